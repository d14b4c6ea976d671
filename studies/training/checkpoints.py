"""Write a checkpoint, as `gnri.model.checkpoint` reads it."""

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save

from gnri.atomic_write import write_atomically
from gnri.model.checkpoint import CONFIG, DTYPES, FORMAT, VERSION, WEIGHTS, Tensors, check_finite


def save_checkpoint(
    folder: Path | str,
    model_config: Mapping[str, Any],
    condition: str,
    tensors: Tensors,
    *,
    extra: Mapping[str, Any],
    dtype: str = "F32",
) -> Path:
    """Write a checkpoint with weights of a dtype of `DTYPES`; `extra` holds recipe and such."""
    folder = Path(folder)
    with np.errstate(over="ignore"):  # an overflow is reported as what it leads to
        stored = {name: np.array(t, DTYPES[dtype], order="C") for name, t in tensors.items()}
    check_finite(stored, folder)
    weights = save(stored)
    config = {
        "format": FORMAT,
        "version": VERSION,
        "condition": condition,
        "model": dict(model_config),
        "dtype": dtype,
        "sha256": sha256(weights).hexdigest(),
        "extra": dict(extra),
    }
    text = json.dumps(config, indent=2, allow_nan=False) + "\n"
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(folder / WEIGHTS, weights)
    write_atomically(folder / CONFIG, text.encode())
    return folder
