"""Tables by name, wherever they are, and a few facts of each."""

import os
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from gnri.errors import GnriError
from studies.datasets import folder
from studies.datasets.openml import CATALOGUE, fetch
from studies.datasets.paper_encoding import encode
from studies.datasets.samples import SAMPLES, Dataset, sample

BENCHMARK = (  # the nineteen tables of the paper
    *("adult", "breast-cancer-wisconsin", "car", "credit-approval", "diabetes", "german-credit"),
    *("hepatitis", "ionosphere", "kr-vs-kp", "mushroom", "nursery", "spambase", "tic-tac-toe"),
    *("vote", "monks-1", "monks-2", "monks-3", "mutag", "clevr-hans3"),
)


def load(name: str, data_dir: Path | None = None) -> Dataset:
    """Load a table from `data_dir` or GNRI_DATA, else generate it or ask scikit-learn or OpenML."""
    place = folder_of(data_dir)
    if place is not None and name in folder.names_in(place):
        return folder.read(place, name)
    if name in SAMPLES:
        return sample(name)
    if name in CATALOGUE:
        return fetch(name)
    if name in BENCHMARK:
        raise GnriError(
            f"{name} can only be read from a folder that holds it; name one with --data-dir or "
            "GNRI_DATA"
        )
    raise GnriError(f"no table is called {name!r}; the names are {', '.join(names(data_dir))}")


def names(data_dir: Path | None = None) -> list[str]:
    """Return every known name: the benchmark's, the bundled, those of the data folder."""
    place = folder_of(data_dir)
    own = [] if place is None else folder.names_in(place)
    return list(dict.fromkeys([*BENCHMARK, *SAMPLES, *own]))


def folder_of(data_dir: Path | None) -> Path | None:
    """Return the folder that is named, here or by GNRI_DATA."""
    named = data_dir or os.environ.get("GNRI_DATA")
    return Path(named) if named else None


class Facts(NamedTuple):
    """Atoms are those of the paper's encoding; None stands for what only a folder can tell."""

    name: str
    rows: int | None
    columns: int | None
    atoms: int | None
    classes: int | None
    majority: float | None  # the share of the largest class
    origin: str


def list_facts(data_dir: Path | None = None) -> list[Facts]:
    """Return the facts of every table by name; nothing is downloaded for it."""
    place = folder_of(data_dir)
    here = {*SAMPLES, *([] if place is None else folder.names_in(place))}
    return [facts(load(n, data_dir)) if n in here else _expected(n) for n in names(data_dir)]


def facts(dataset: Dataset) -> Facts:
    """Return the facts of a table that is at hand."""
    sizes = list(Counter(dataset.labels).values())
    columns, atoms = len(dataset.columns), encode(dataset).values.shape[1]
    return _facts(dataset.name, columns, atoms, sizes, dataset.origin)


def _expected(name: str) -> Facts:
    """Return the facts of a table that is still to be had."""
    if name not in CATALOGUE:
        return Facts(name, None, None, None, None, None, "a data folder only")
    entry = CATALOGUE[name]
    sizes = list(entry.classes.values())
    return _facts(name, len(entry.kinds), entry.atoms, sizes, f"OpenML {entry.openml}")


def _facts(name: str, columns: int, atoms: int, sizes: list[int], origin: str) -> Facts:
    rows = sum(sizes)
    return Facts(name, rows, columns, atoms, len(sizes), max(sizes) / rows, origin)
