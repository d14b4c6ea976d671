"""Weights on disk: `model.safetensors` beside a `config.json` that says what they are.

A checkpoint may come from anywhere, so a file is checked before it is believed: size, header,
names, shapes and hash first, and only then is memory taken for the weights. Nothing is unpickled.
"""

import json
import math
import os
import stat
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

import torch
from safetensors import SafetensorError
from safetensors.torch import load as from_bytes
from safetensors.torch import save as to_bytes
from torch import Tensor

from gnri.atomic_write import write_atomically
from gnri.errors import CheckpointError

FORMAT, VERSION = "gnri-checkpoint", 1
CONFIG, WEIGHTS = "config.json", "model.safetensors"
CONFIG_LIMIT, WEIGHTS_LIMIT = 1 << 17, 64 << 20
HEADER_LIMIT = 1 << 17  # of the weights: it is JSON, which takes many times its size as it is read
DTYPES = {"F16": torch.float16, "F32": torch.float32}

Shapes = Mapping[str, tuple[int, ...]]


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """A whole checkpoint, checked."""

    model_config: dict[str, Any]
    condition: str
    tensors: dict[str, Tensor]
    sha256: str
    extra: dict[str, Any]


def save(
    folder: Path | str,
    model_config: Mapping[str, Any],
    condition: str,
    tensors: Mapping[str, Tensor],
    *,
    extra: Mapping[str, Any],
    dtype: torch.dtype = torch.float32,
) -> Path:
    """Write a checkpoint with the weights as `dtype`; `extra` holds the recipe and the like."""
    folder = Path(folder)
    stored = {
        name: tensor.detach().cpu().to(dtype).contiguous() for name, tensor in tensors.items()
    }
    _check_finite(stored, folder)
    weights = to_bytes({name: tensor.contiguous() for name, tensor in stored.items()})
    config = {
        "format": FORMAT,
        "version": VERSION,
        "condition": condition,
        "model": dict(model_config),
        "dtype": next(name for name, kind in DTYPES.items() if kind is dtype),
        "sha256": sha256(weights).hexdigest(),
        "extra": dict(extra),
    }
    text = json.dumps(config, indent=2, allow_nan=False) + "\n"
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(folder / WEIGHTS, weights)
    write_atomically(folder / CONFIG, text.encode())
    return folder


def load(
    folder: Path | str,
    *,
    expected: Callable[[dict[str, Any], str], Shapes],
    dtype: torch.dtype = torch.float32,
) -> Checkpoint:
    """Read a checkpoint. `expected` gives the shapes that a model config and condition imply."""
    folder = Path(folder)
    with _opened(folder / CONFIG, CONFIG_LIMIT) as file:
        config = _checked_config(_strict_json(file.read(), folder / CONFIG), folder / CONFIG)
    shapes = _implied_shapes(expected, config, folder / CONFIG)
    path = folder / WEIGHTS
    with _opened(path, WEIGHTS_LIMIT) as file:
        _check_header(file, shapes, config["dtype"], path)
        file.seek(0)
        data = file.read()
    if sha256(data).hexdigest() != config["sha256"]:
        _fail(path, f"its SHA-256 is not the one in {CONFIG}; fetch both files again")
    try:
        tensors = from_bytes(data)
    except SafetensorError as error:
        _fail(path, f"it cannot be read: {error}")
    _check_finite(tensors, path)
    tensors = {name: tensor.to(dtype) for name, tensor in tensors.items()}
    return Checkpoint(
        config["model"], config["condition"], tensors, config["sha256"], config["extra"]
    )


def _opened(path: Path, limit: int) -> BinaryIO:
    """The file at `path`, if it is a plain one of at most `limit` bytes."""
    try:
        found = path.lstat()
    except OSError as error:
        _fail(path, f"it cannot be read: {error.strerror}")
    if not stat.S_ISREG(found.st_mode):
        _fail(path, "it is not a plain file; put the file itself in its place")
    if found.st_size > limit:
        _fail(path, f"it has {found.st_size} bytes, more than the {limit} allowed")
    try:
        return path.open("rb")
    except OSError as error:
        _fail(path, f"it cannot be read: {error.strerror}")


def _strict_json(data: bytes, path: Path) -> Any:
    """The JSON in `data`: UTF-8, no NaN, no key twice."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        table = dict(pairs)
        if len(table) != len(pairs):
            raise ValueError("a key occurs twice")
        return table

    def refuse(constant: str) -> NoReturn:
        raise ValueError(f"{constant} is not JSON")

    try:
        return json.loads(data.decode(), object_pairs_hook=once, parse_constant=refuse)
    except (ValueError, RecursionError) as error:
        _fail(path, f"it is not strict JSON: {error}")


_FIELDS = {"condition": str, "model": dict, "dtype": str, "sha256": str, "extra": dict}


def _checked_config(config: Any, path: Path) -> dict[str, Any]:
    if not isinstance(config, dict) or config.get("format") != FORMAT:
        _fail(path, f'it does not say "format": "{FORMAT}"; this is no checkpoint of ours')
    version = config.get("version")
    if type(version) is not int or version != VERSION:
        _fail(path, f"it has version {version!r}, this gnri reads {VERSION}; use a matching gnri")
    for name, kind in _FIELDS.items():
        if not isinstance(config.get(name), kind):
            _fail(path, f"its {name!r} must be a {kind.__name__}, got {config.get(name)!r:.40}")
    if config["dtype"] not in DTYPES:
        _fail(path, f"its dtype must be one of {', '.join(DTYPES)}, got {config['dtype']!r:.40}")
    return config


def _implied_shapes(
    expected: Callable[[dict[str, Any], str], Shapes], config: dict[str, Any], path: Path
) -> Shapes:
    try:
        return expected(config["model"], config["condition"])
    except (ValueError, TypeError, KeyError, RuntimeError) as error:
        _fail(path, f"no model can be built from it: {error}")


def _check_header(file: BinaryIO, shapes: Shapes, dtype: str, path: Path) -> None:
    """Raise unless the file holds tensors of exactly these names and shapes, end to end."""
    total = os.fstat(file.fileno()).st_size
    prefix = file.read(8)
    length = struct.unpack("<Q", prefix)[0] if len(prefix) == 8 else total
    if 8 + length > total:
        _fail(path, f"its header runs past its end at {total} bytes; it is cut short or foreign")
    if length > HEADER_LIMIT:
        _fail(path, f"its header has {length} bytes, more than the {HEADER_LIMIT} allowed")
    header = _strict_json(file.read(length), path)
    if not isinstance(header, dict):
        _fail(path, "its header is not a table")
    header.pop("__metadata__", None)
    _check_names(set(header), set(shapes), path)
    ranges = sorted(_byte_range(header[name], shapes[name], dtype, name, path) for name in shapes)
    ends = [0, *(end for _, end in ranges)]
    if [start for start, _ in ranges] != ends[:-1]:
        _fail(path, "its tensors overlap or leave gaps")
    if 8 + length + ends[-1] != total:
        _fail(path, f"its header promises {8 + length + ends[-1]} bytes, the file has {total}")


def _check_names(found: set[str], wanted: set[str], path: Path) -> None:
    if found != wanted:
        missing, foreign = sorted(wanted - found)[:3], sorted(found - wanted)[:3]
        _fail(path, f"its tensors are not the model's: missing {missing}, foreign {foreign}")


def _byte_range(
    entry: Any, shape: tuple[int, ...], dtype: str, name: str, path: Path
) -> tuple[int, int]:
    """Where the header says the tensor lies, if it has the right dtype and shape."""
    if not isinstance(entry, dict) or entry.get("dtype") != dtype:
        _fail(path, f"tensor {name!r} must be {dtype}, as {CONFIG} says")
    if entry.get("shape") != list(shape):
        _fail(path, f"tensor {name!r} must be {list(shape)}, got {entry.get('shape')!r:.60}")
    place = entry.get("data_offsets")
    if not isinstance(place, list) or [type(end) for end in place] != [int, int]:
        _fail(path, f"tensor {name!r} has no place in the file")
    start, end = place
    if end - start != DTYPES[dtype].itemsize * math.prod(shape):
        _fail(path, f"tensor {name!r} of shape {list(shape)} cannot fill {end - start} bytes")
    return start, end


def _check_finite(tensors: Mapping[str, Tensor], path: Path) -> None:
    for name, tensor in tensors.items():
        if not torch.isfinite(tensor).all():
            _fail(path, f"tensor {name!r} holds NaN or infinity")


def _fail(path: Path, reason: str) -> NoReturn:
    raise CheckpointError(f"the checkpoint file {path} is not usable: {reason}")
