"""Checkpoints on disk: `model.safetensors` and a `config.json` that describes it.

Files are not trusted. The size is checked before a file is read; then its header, the names and
shapes of its tensors, its hash and its values. Nothing is unpickled.
"""

import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import DTypeLike, NDArray
from safetensors import SafetensorError, deserialize

from gnri.errors import CheckpointError, shorten

FORMAT, VERSION = "gnri-checkpoint", 1
CONFIG, WEIGHTS = "config.json", "model.safetensors"
CONFIG_LIMIT, WEIGHTS_LIMIT = 1 << 17, 64 << 20
HEADER_LIMIT = 1 << 17  # of the weights, in JSON, which takes many times its size in memory
DTYPES: dict[str, np.dtype[Any]] = {"F16": np.dtype("<f2"), "F32": np.dtype("<f4")}

Tensors = Mapping[str, NDArray[np.floating]]

Shapes = Mapping[str, tuple[int, ...]]


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """A whole checkpoint, checked."""

    model_config: dict[str, Any]
    condition: str
    tensors: Tensors
    sha256: str
    extra: dict[str, Any]

    def arrays(self, dtype: DTypeLike = np.float32) -> Tensors:
        """Return copies of the tensors in a dtype."""
        return {name: tensor.astype(dtype) for name, tensor in self.tensors.items()}


def load(folder: Path | str, *, expected: Callable[[dict[str, Any], str], Shapes]) -> Checkpoint:
    """Read a checkpoint; `expected` gives its shapes from the model settings and condition."""
    folder = Path(folder)
    path = folder / CONFIG
    config = _read_config(path)
    try:
        shapes = expected(config["model"], config["condition"])
    except (ValueError, TypeError, KeyError, RuntimeError) as error:
        _fail(path, f"no model can be built from it: {error}")
    path = folder / WEIGHTS
    data = _read(path, WEIGHTS_LIMIT)
    tensors = _read_tensors(data, shapes, config["dtype"], path)
    if sha256(data).hexdigest() != config["sha256"]:
        _fail(path, f"its SHA-256 is not the one in {CONFIG}; fetch both files again")
    check_finite(tensors, path)
    return Checkpoint(
        config["model"], config["condition"], tensors, config["sha256"], config["extra"]
    )


def _read(path: Path, limit: int) -> bytes:
    """Return the bytes of a file, if it is a plain one of at most `limit` bytes."""
    try:
        found = path.lstat()
        if not stat.S_ISREG(found.st_mode):
            _fail(path, "it is not a regular file; replace it by the file itself")
        if found.st_size > limit:
            _fail(path, f"it has {found.st_size} bytes, more than the {limit} allowed")
        return path.read_bytes()
    except OSError as error:
        _fail(path, f"it cannot be read: {error.strerror}")


_FIELDS = {"condition": str, "model": dict, "dtype": str, "sha256": str, "extra": dict}


def _read_config(path: Path) -> dict[str, Any]:
    """Return the settings in a file of JSON: UTF-8, no NaN, no key twice."""
    from gnri.rules.documents import parse_json

    data = _read(path, CONFIG_LIMIT)
    try:
        config = parse_json(data.decode())
    except (ValueError, RecursionError) as error:
        _fail(path, f"it is not strict JSON: {error}")
    if not isinstance(config, dict) or config.get("format") != FORMAT:
        _fail(path, f'its "format" is not "{FORMAT}", so it is not a gnri checkpoint')
    version = config.get("version")
    if type(version) is not int or version != VERSION:
        _fail(path, f"it has version {version!r}, this gnri reads {VERSION}; install another gnri")
    for name, kind in _FIELDS.items():
        if not isinstance(config.get(name), kind):
            _fail(path, f"its {name!r} must be a {kind.__name__}, got {config.get(name)!r:.40}")
    if config["dtype"] not in DTYPES:
        _fail(path, f"its dtype must be one of {', '.join(DTYPES)}, got {config['dtype']!r:.40}")
    return config


def _read_tensors(data: bytes, shapes: Shapes, dtype: str, path: Path) -> Tensors:
    """Return the tensors of exactly these names and shapes, which `data` must hold."""
    length = int.from_bytes(data[:8], "little")
    if len(data) > length > HEADER_LIMIT:
        _fail(path, f"its header has {length} bytes, more than the {HEADER_LIMIT} allowed")
    try:
        found = dict(deserialize(data))  # type: ignore[no-untyped-call]
    except SafetensorError as error:
        _fail(path, f"it is truncated or not a safetensors file: {shorten(str(error))}")
    if found.keys() != shapes.keys():
        missing, unexpected = (
            sorted(some)[:3] for some in (shapes - found.keys(), found - shapes.keys())
        )
        words = f"missing {missing}, unexpected {unexpected}"
        _fail(path, f"its tensors do not match the model: {words}")
    tensors = {}
    for name, shape in shapes.items():
        tensor = found[name]
        if tensor["dtype"] != dtype:
            _fail(path, f"tensor {name!r} must be {dtype}, as {CONFIG} says")
        if tensor["shape"] != list(shape):
            _fail(path, f"tensor {name!r} must be {list(shape)}, got {tensor['shape']}")
        tensors[name] = np.frombuffer(tensor["data"], DTYPES[dtype]).reshape(shape)
    return tensors


def check_finite(tensors: Tensors, path: Path) -> None:
    """Refuse NaN and infinity."""
    for name, tensor in tensors.items():
        if not np.isfinite(tensor).all():
            _fail(path, f"tensor {name!r} holds NaN or infinity")


def _fail(path: Path, reason: str) -> NoReturn:
    raise CheckpointError(f"the checkpoint file {path} is not usable: {reason}")
