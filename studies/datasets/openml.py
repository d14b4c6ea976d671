"""Tables from OpenML, through scikit-learn, compared with what the benchmark was measured on."""

import warnings
from collections import Counter
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from gnri.errors import GnriError
from studies import read_data
from studies.datasets.paper_encoding import MISSING, encode
from studies.datasets.samples import Dataset


@dataclass(frozen=True, slots=True)
class Entry:
    """What is expected of a table, in catalogue.toml."""

    openml: int
    kinds: tuple[str, ...]
    classes: dict[str, int]
    atoms: int
    missing: int
    content: str


KINDS = {"n": "numeric", "c": "categorical", "b": "binary"}
CATALOGUE = {  # the tables of the benchmark that OpenML has
    name: Entry(**entry | {"kinds": tuple(KINDS[letter] for letter in entry["kinds"])})
    for name, entry in read_data("studies.datasets", "catalogue.toml").items()
}


def fetch(name: str) -> Dataset:
    """Return the table of this name, downloaded once and kept by scikit-learn.

    Its numbers of rows, columns, classes and missing cells must be the benchmark's. Categories may
    have other names and rows another order; `origin` says whether the content is the same.
    """
    entry = CATALOGUE[name]
    frame, target = _download(name, entry.openml)
    columns = tuple(map(str, frame.columns))
    if len(columns) != len(entry.kinds):
        raise _unlike(name, "columns", len(entry.kinds), len(columns))
    rows = tuple(zip(*(map(_cell, frame[column]) for column in frame.columns), strict=True))
    labels = tuple(_renamed([_cell(label) for label in target], list(entry.classes)))
    found = Dataset(name, columns, rows, labels, entry.kinds, f"OpenML {entry.openml}")
    compared = {
        "classes": (entry.classes, dict(sorted(Counter(labels).items()))),
        "missing cells": (entry.missing, sum(row.count(MISSING) for row in rows)),
        "atoms": (entry.atoms, encode(found).values.shape[1]),
    }
    for what, (expected, got) in compared.items():
        if expected != got:
            raise _unlike(name, what, expected, got)
    if content_checksum(found) == entry.content:
        return found
    return replace(found, origin=f"{found.origin}, not in content the same as the benchmark's")


def content_checksum(dataset: Dataset) -> str:
    """Return a SHA-256 of numbers and, for other cells, of the order in which values first come."""
    coded: list[object] = []
    columns = (*zip(*dataset.rows, strict=True), dataset.labels)
    for column, kind in zip(columns, (*dataset.kinds, "class"), strict=True):
        places = {value: i for i, value in enumerate(dict.fromkeys(filter(None, column)))}
        if kind == "numeric":
            coded.append([float(cell) if cell else None for cell in column])
        else:
            coded.append([places[cell] if cell else -1 for cell in column])
    return sha256(repr(coded).encode()).hexdigest()


def _download(name: str, number: int) -> tuple[Any, Any]:
    from sklearn.datasets import fetch_openml

    try:
        with warnings.catch_warnings():
            # Each try that fails is one; if all do, the error below says so.
            warnings.filterwarnings("ignore", message="A network error occurred")
            bunch = fetch_openml(data_id=number, as_frame=True, parser="liac-arff")
    except ImportError:
        raise GnriError(
            f"{name} comes from OpenML, which needs pandas; install it with `pip install pandas`"
        ) from None
    except (OSError, ValueError) as error:
        raise GnriError(
            f"{name} comes from OpenML (number {number}), which did not answer: {error}; name a "
            "folder that holds it with --data-dir or GNRI_DATA"
        ) from None
    return bunch.data, bunch.target


def _cell(cell: Any) -> str:
    """Return a whole number without its point, a missing value as no text at all."""
    if cell is None or cell != cell or str(cell) in ("?", "<NA>"):
        return MISSING
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() else repr(float(cell))
    return str(cell).strip().strip("'\"").strip()


def _renamed(labels: list[str], classes: list[str]) -> list[str]:
    """Return the labels under the names of `classes`, which stand in the same order."""
    theirs = sorted(set(labels))
    if len(theirs) != len(classes):
        return labels
    names = dict(zip(theirs, classes, strict=True))
    return [names[label] for label in labels]


def _unlike(name: str, what: str, expected: object, got: object) -> GnriError:
    return GnriError(
        f"OpenML's {name} is not the table of the benchmark: its {what} must be {expected}, got "
        f"{got}; name a folder that holds it with --data-dir or GNRI_DATA"
    )
