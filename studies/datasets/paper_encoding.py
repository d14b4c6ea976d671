"""The paper's encoding: a number is cut at its median, a category has an atom for each value.

The values are those of the whole table. So are the medians, as in the paper, unless rows to learn
them from are named.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gnri.data.schema import Above, Atom, Equals, Schema
from gnri.errors import EncodingError
from studies.datasets.samples import Dataset

MISSING = ""


class Encoded(NamedTuple):
    """Atoms in {-1, 0, +1}, the place of each row's class in their order, and what atoms mean."""

    values: NDArray[np.int8]  # (rows, atoms)
    codes: NDArray[np.intp]  # (rows,)
    schema: Schema  # a block for each categorical column, also where it has one value


def encode(dataset: Dataset, cut_by: NDArray[np.intp] | None = None) -> Encoded:
    """Return the table as atoms; a missing cell is 0. A binary column is true at its last value.

    Numbers are cut at the median of all rows, or of those at the places `cut_by`.
    """
    atoms: list[Atom] = []
    blocks: list[tuple[int, ...]] = []
    truths: list[NDArray[np.int8]] = []
    columns = zip(*dataset.rows, strict=True)
    for name, kind, cells in zip(dataset.columns, dataset.kinds, columns, strict=True):
        found = _numeric(name, cells, cut_by) if kind == "numeric" else _values(name, cells, kind)
        if kind == "categorical":
            blocks.append(tuple(range(len(atoms), len(atoms) + len(found))))
        atoms += found
        truths += found.values()
    _, codes = np.unique(np.array(dataset.labels), return_inverse=True)
    return Encoded(np.stack(truths, axis=1), codes, Schema(tuple(atoms), tuple(blocks)))


def _numeric(
    name: str, cells: Sequence[str], cut_by: NDArray[np.intp] | None
) -> dict[Atom, NDArray[np.int8]]:
    numbers = np.array([_number(name, row, cell) for row, cell in enumerate(cells)])
    seen = numbers if cut_by is None else numbers[cut_by]
    seen = seen[~np.isnan(seen)]
    cut = float(np.median(seen)) if len(seen) else 0.0
    return {Above(name, cut): _signs(numbers > cut, ~np.isnan(numbers))}


def _values(name: str, cells: Sequence[str], kind: str) -> dict[Atom, NDArray[np.int8]]:
    column = np.array(cells, dtype=object)
    known = column != MISSING
    values = sorted(set(cells) - {MISSING})
    kept = values[-1:] if kind == "binary" else values
    return {Equals(name, value): _signs(column == value, known) for value in kept}


def _signs(true: NDArray[np.bool_], known: NDArray[np.bool_]) -> NDArray[np.int8]:
    return np.where(known, np.where(true, 1, -1), 0).astype(np.int8)


def _number(name: str, row: int, cell: str) -> float:
    try:
        return float(cell) if cell != MISSING else float("nan")
    except ValueError:
        raise EncodingError(
            f"column {name!r} is numeric, got {cell!r} in row {row}; call it categorical in the "
            "schema, or leave the cell empty if the value is not known"
        ) from None
