"""Tables by name, wherever they are."""

import os
from pathlib import Path

from gnri.data.samples import SAMPLES, Dataset
from gnri.errors import GnriError
from studies.datasets import folder
from studies.datasets.catalogue import CATALOGUE
from studies.datasets.openml import fetch

BENCHMARK = (
    "adult",
    "breast-cancer-wisconsin",
    "car",
    "credit-approval",
    "diabetes",
    "german-credit",
    "hepatitis",
    "ionosphere",
    "kr-vs-kp",
    "mushroom",
    "nursery",
    "spambase",
    "tic-tac-toe",
    "vote",
    "monks-1",
    "monks-2",
    "monks-3",
    "mutag",
    "clevr-hans3",
)
"""The nineteen tables of the paper."""


def load(name: str, data_dir: Path | None = None) -> Dataset:
    """A table from `data_dir`, or else from the folder that GNRI_DATA names; what is not there is
    generated, or read from scikit-learn or OpenML.
    """
    place = folder_of(data_dir)
    if place is not None and name in folder.listed(place):
        return folder.read(place, name)
    if name in SAMPLES:
        return SAMPLES[name]()
    if name in CATALOGUE:
        return fetch(name)
    if name in BENCHMARK:
        raise GnriError(
            f"{name} can only be read from a folder that holds it; name one with --data-dir or "
            "GNRI_DATA"
        )
    raise GnriError(f"no table is called {name!r}; the names are {', '.join(names(data_dir))}")


def names(data_dir: Path | None = None) -> list[str]:
    """Every name that is known: the benchmark's, the bundled, and those of the data folder."""
    place = folder_of(data_dir)
    own = [] if place is None else folder.listed(place)
    return list(dict.fromkeys([*BENCHMARK, *SAMPLES, *own]))


def folder_of(data_dir: Path | None) -> Path | None:
    """The folder that is named, here or by GNRI_DATA."""
    named = data_dir or os.environ.get("GNRI_DATA")
    return Path(named) if named else None
