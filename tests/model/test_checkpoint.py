import json
import pickle
import re
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save as to_bytes

from gnri.errors import CheckpointError
from gnri.model import checkpoint
from gnri.model.checkpoint import CONFIG, WEIGHTS, load
from studies.training.checkpoints import save_checkpoint

SHAPES = {"layer.weight": (3, 2), "layer.bias": (3,)}


def weights() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    return {name: rng.normal(size=shape).astype(np.float32) for name, shape in SHAPES.items()}


def expected(config: dict, condition: str) -> dict[str, tuple[int, ...]]:
    assert (config, condition) == ({"width": 3}, "gnri")
    return SHAPES


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return save_checkpoint(
        tmp_path / "model", {"width": 3}, "gnri", weights(), extra={"recipe": {"seed": 1}}
    )


def put_weights(folder: Path, tensors: dict[str, np.ndarray]) -> None:
    """Whole, well-formed weights that are simply not what the model needs."""
    (folder / WEIGHTS).write_bytes(to_bytes(tensors))


def put_config(folder: Path, **changes: object) -> None:
    config = json.loads((folder / CONFIG).read_text())
    (folder / CONFIG).write_text(json.dumps(config | changes))


def test_what_was_saved_comes_back(folder: Path) -> None:
    found = load(folder, expected=expected)
    assert (found.model_config, found.condition) == ({"width": 3}, "gnri")
    assert found.extra == {"recipe": {"seed": 1}}
    assert found.tensors.keys() == SHAPES.keys()
    assert all(np.array_equal(found.tensors[name], tensor) for name, tensor in weights().items())
    assert sorted(path.name for path in folder.iterdir()) == [CONFIG, WEIGHTS]


def test_half_precision_is_stored_small_and_loaded_as_asked(tmp_path: Path) -> None:
    save_checkpoint(tmp_path, {"width": 3}, "gnri", weights(), extra={}, dtype="F16")
    found = load(tmp_path, expected=expected).arrays(np.float64)
    assert all(array.dtype == np.float64 for array in found.values())
    halved = {name: tensor.astype(np.float16) for name, tensor in weights().items()}
    assert all(np.array_equal(found[name], tensor) for name, tensor in halved.items())
    assert json.loads((tmp_path / CONFIG).read_text())["dtype"] == "F16"


def test_saving_again_replaces_the_checkpoint(folder: Path) -> None:
    zeros = {name: np.zeros(shape) for name, shape in SHAPES.items()}
    save_checkpoint(folder, {"width": 3}, "gnri", zeros, extra={})
    assert not any(tensor.any() for tensor in load(folder, expected=expected).tensors.values())


def cut_short(folder: Path) -> None:
    (folder / WEIGHTS).write_bytes((folder / WEIGHTS).read_bytes()[:-4])


def cut_to_nothing(folder: Path) -> None:
    (folder / WEIGHTS).write_bytes(b"")


def too_long(folder: Path) -> None:
    (folder / WEIGHTS).write_bytes((folder / WEIGHTS).read_bytes() + b"more")


def huge_header(folder: Path) -> None:
    data = (folder / WEIGHTS).read_bytes()
    (folder / WEIGHTS).write_bytes(struct.pack("<Q", 2**62) + data[8:])


def changed_weight(folder: Path) -> None:
    data = bytearray((folder / WEIGHTS).read_bytes())
    data[-1] ^= 1
    (folder / WEIGHTS).write_bytes(bytes(data))


def overlapping(folder: Path) -> None:
    header = {
        "layer.weight": {"dtype": "F32", "shape": [3, 2], "data_offsets": [0, 24]},
        "layer.bias": {"dtype": "F32", "shape": [3], "data_offsets": [12, 24]},
    }
    text = json.dumps(header).encode()
    (folder / WEIGHTS).write_bytes(struct.pack("<Q", len(text)) + text + bytes(24))


def wrong_span(folder: Path) -> None:
    header = {
        "layer.weight": {"dtype": "F32", "shape": [3, 2], "data_offsets": [0, 12]},
        "layer.bias": {"dtype": "F32", "shape": [3], "data_offsets": [12, 36]},
    }
    text = json.dumps(header).encode()
    (folder / WEIGHTS).write_bytes(struct.pack("<Q", len(text)) + text + bytes(36))


def misshapen(folder: Path) -> None:
    put_weights(folder, weights() | {"layer.weight": np.zeros((2, 3), np.float32)})


def foreign(folder: Path) -> None:
    put_weights(folder, weights() | {"head.weight": np.zeros(1, np.float32)})


def incomplete(folder: Path) -> None:
    put_weights(folder, {"layer.bias": np.zeros(3, np.float32)})


def another_dtype(folder: Path) -> None:
    put_weights(folder, {name: tensor.astype(np.float64) for name, tensor in weights().items()})


def pickled(folder: Path) -> None:
    (folder / WEIGHTS).write_bytes(pickle.dumps(weights()))


def not_a_number(folder: Path) -> None:
    from hashlib import sha256

    put_weights(folder, weights() | {"layer.bias": np.full(3, np.nan, np.float32)})
    put_config(folder, sha256=sha256((folder / WEIGHTS).read_bytes()).hexdigest())


def no_weights(folder: Path) -> None:
    (folder / WEIGHTS).unlink()


def no_config(folder: Path) -> None:
    (folder / CONFIG).unlink()


def linked(folder: Path) -> None:
    (folder / WEIGHTS).rename(folder / "elsewhere")
    (folder / WEIGHTS).symlink_to(folder / "elsewhere")


def a_folder(folder: Path) -> None:
    (folder / WEIGHTS).unlink()
    (folder / WEIGHTS).mkdir()


def newer(folder: Path) -> None:
    put_config(folder, version=2)


def another_format(folder: Path) -> None:
    put_config(folder, format="someone-else")


def not_json(folder: Path) -> None:
    (folder / CONFIG).write_text("{")


def json_nan(folder: Path) -> None:
    (folder / CONFIG).write_text('{"format": NaN}')


def key_twice(folder: Path) -> None:
    (folder / CONFIG).write_text('{"format": "gnri-checkpoint", "format": "gnri-checkpoint"}')


def deep_json(folder: Path) -> None:
    (folder / CONFIG).write_text("[" * 100000)


def long_config(folder: Path) -> None:
    (folder / CONFIG).write_text(" " * (checkpoint.CONFIG_LIMIT + 1))


def long_header(folder: Path) -> None:
    length = checkpoint.HEADER_LIMIT + 1
    (folder / WEIGHTS).write_bytes(length.to_bytes(8, "little") + b" " * length)


def no_model(folder: Path) -> None:
    put_config(folder, model="large")


def odd_dtype(folder: Path) -> None:
    put_config(folder, dtype="F8")


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (cut_short, "truncated or not a safetensors file"),
        (cut_to_nothing, "truncated or not a safetensors file"),
        (too_long, "truncated or not a safetensors file"),
        (huge_header, "truncated or not a safetensors file"),
        (changed_weight, "SHA-256"),
        (overlapping, "truncated or not a safetensors file: .*offset"),
        (wrong_span, "truncated or not a safetensors file: "),
        (misshapen, r"must be \[3, 2\], got \[2, 3\]"),
        (foreign, "unexpected .*head.weight"),
        (incomplete, "missing .*layer.weight"),
        (another_dtype, "must be F32"),
        (pickled, "truncated or not a safetensors file"),
        (not_a_number, "'layer.bias' holds NaN"),
        (no_weights, "No such file"),
        (no_config, "No such file"),
        (linked, "not a regular file"),
        (a_folder, "not a regular file"),
        (newer, "version 2"),
        (another_format, "not a gnri checkpoint"),
        (not_json, "not strict JSON"),
        (json_nan, "NaN is not JSON"),
        (key_twice, "twice"),
        (deep_json, "not strict JSON"),
        (long_config, "more than the"),
        (long_header, "header has 131073 bytes, more than the 131072 allowed"),
        (no_model, "'model' must be a dict"),
        (odd_dtype, "dtype must be one of F16, F32"),
    ],
)
def test_damage_is_named(folder: Path, damage: Callable[[Path], None], message: str) -> None:
    damage(folder)
    with pytest.raises(CheckpointError) as raised:
        load(folder, expected=expected)
    # The path comes first and repeats this test's name, so only what follows it may match.
    assert re.search(message, str(raised.value).split("not usable: ")[1])


def test_weights_above_the_limit_are_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoint, "WEIGHTS_LIMIT", 50)
    with pytest.raises(CheckpointError, match="more than the 50 allowed"):
        load(folder, expected=expected)


def test_a_config_no_model_fits_is_refused(folder: Path) -> None:
    def confused(config: dict, condition: str) -> dict[str, tuple[int, ...]]:
        raise TypeError("no such setting: depth")

    with pytest.raises(CheckpointError, match="no model can be built from it: no such setting"):
        load(folder, expected=confused)


def test_weights_that_overflow_half_precision_are_not_saved(tmp_path: Path) -> None:
    large = weights() | {"layer.bias": np.full(3, 1e6)}
    with pytest.raises(CheckpointError, match="infinity"):
        save_checkpoint(tmp_path / "new", {}, "gnri", large, extra={}, dtype="F16")
    assert not (tmp_path / "new").exists()
