"""From columns to a schema: the atoms each column gives."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gnri.binarizer.categories import check_not_free_text, grouped_one_hot, one_hot
from gnri.binarizer.column import Column, Kind
from gnri.binarizer.cuts import median_cut, quantile_cuts
from gnri.errors import GnriError
from gnri.schema import Above, Atom, Equals, IsTrue, OneOf, Schema


@dataclass(frozen=True, slots=True)
class Settings:
    """How finely columns are turned into atoms; `median` is the paper's encoding."""

    median: bool
    cuts: int
    max_categories: int
    min_share: float


def atoms_of(column: Column, settings: Settings) -> list[Atom]:
    """The atoms of one column; none if it is constant or all missing."""
    match column.kind:
        case Kind.BOOLEAN:
            varies = len(np.unique(column.cells[column.known])) == 2
            return [IsTrue(column.name)] if varies else []
        case Kind.NUMBER:
            return [Above(column.name, cut) for cut in _cuts(column, settings)]
        case Kind.CATEGORY:
            check_not_free_text(column, settings.max_categories)
            if settings.median:
                return one_hot(column)
            return grouped_one_hot(column, settings.max_categories, settings.min_share)


def thresholds(column: str, cuts: Sequence[float]) -> list[Above]:
    """The atoms of a numeric column cut where the user says."""
    numbers = sorted({float(cut) for cut in cuts})
    if not numbers or not np.isfinite(numbers).all():
        raise GnriError(
            f"cuts must be finite numbers, at least one, got {list(cuts)} for column {column!r}"
        )
    return [Above(column, cut) for cut in numbers]


def schema_of(atoms: Sequence[Atom]) -> Schema:
    """The schema of these atoms; those of one categorical column, if several, are a block."""
    _check_distinct(schema := Schema(tuple(atoms)))
    places: dict[str, list[int]] = {}
    for place, atom in enumerate(atoms):
        if isinstance(atom, Equals | OneOf):
            places.setdefault(atom.column, []).append(place)
    blocks = tuple(tuple(block) for block in places.values() if len(block) > 1)
    return Schema(schema.atoms, blocks)


def _cuts(column: Column, settings: Settings) -> list[float]:
    numbers = column.cells[column.known]
    infinite = np.flatnonzero(np.isinf(column.cells))
    if len(infinite):
        raise GnriError(
            f"numbers must be finite, but column {column.name!r} holds "
            f"{column.cells[infinite[0]]} in row {infinite[0]}; replace it by a number, or by a "
            "missing value"
        )
    if not len(numbers):
        return []
    return median_cut(numbers) if settings.median else quantile_cuts(numbers, settings.cuts)


def _check_distinct(schema: Schema) -> None:
    repeated = [name for name, count in Counter(schema.names).items() if count > 1]
    if repeated:
        raise GnriError(
            f"each atom needs a name of its own, but two are called {repeated[0]!r}; rename the "
            "column or the category"
        )
