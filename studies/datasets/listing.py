"""What there is to learn from, in a few numbers each."""

from pathlib import Path
from typing import NamedTuple

from gnri.data.samples import SAMPLES, Dataset
from studies.datasets import folder
from studies.datasets.catalogue import CATALOGUE
from studies.datasets.encoding import encode
from studies.datasets.loading import folder_of, load, names


class Facts(NamedTuple):
    """Atoms are those of the paper's encoding; None stands for what only a folder can tell."""

    name: str
    rows: int | None
    columns: int | None
    atoms: int | None
    classes: int | None
    majority: float | None  # the share of the largest class
    origin: str


def listed(data_dir: Path | None = None) -> list[Facts]:
    """The facts of every table by name; nothing is downloaded for it."""
    place = folder_of(data_dir)
    here = {*SAMPLES, *([] if place is None else folder.listed(place))}
    return [
        facts(load(name, data_dir)) if name in here else _expected(name) for name in names(data_dir)
    ]


def facts(dataset: Dataset) -> Facts:
    """The facts of a table that is at hand."""
    sizes = list(dataset.class_counts.values())
    columns, atoms = len(dataset.columns), encode(dataset).values.shape[1]
    return _facts(dataset.name, columns, atoms, sizes, dataset.origin)


def _expected(name: str) -> Facts:
    """The facts of a table that is still to be had."""
    if name not in CATALOGUE:
        return Facts(name, None, None, None, None, None, "a data folder only")
    entry = CATALOGUE[name]
    sizes = list(entry.classes.values())
    return _facts(name, len(entry.kinds), entry.atoms, sizes, f"OpenML {entry.openml}")


def _facts(name: str, columns: int, atoms: int, sizes: list[int], origin: str) -> Facts:
    rows = sum(sizes)
    return Facts(name, rows, columns, atoms, len(sizes), max(sizes) / rows, origin)
