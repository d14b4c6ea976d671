"""From a table to a schema, the atoms each column gives, and to their truth in each row."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.binarizer.categories import check_not_free_text, grouped_one_hot, one_hot
from gnri.binarizer.column import Column, Kind
from gnri.binarizer.cuts import TAILS, median_cut, quantile_cuts
from gnri.binarizer.reading import as_read_by
from gnri.binarizer.table import Table
from gnri.binarizer.unfit import ColumnsError, Unfit
from gnri.cells import truth
from gnri.data.schema import Above, Atom, Equals, IsTrue, OneOf, Schema
from gnri.errors import GnriError

STRATEGIES = ("auto", "median")

CUTS, MAX_CATEGORIES, MIN_SHARE = 9, 50, 0.01
"""What is done where nothing else is said."""

MANY_ATOMS = 10_000
"""Where all cuts would come to more, columns get fewer: models compare all pairs of atoms."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How finely columns are turned into atoms; `median` is the paper's encoding."""

    median: bool
    cuts: int
    tails: bool  # more cuts near both ends
    max_categories: int
    min_share: float


def settings_of(
    strategy: str,
    columns: int,
    *,
    cuts: object = None,
    max_categories: object = MAX_CATEGORIES,
    min_share: Any = MIN_SHARE,
) -> Settings:
    """The settings of a table of so many columns; a `GnriError` for what cannot be."""
    if strategy not in STRATEGIES:
        raise GnriError(f"strategy must be 'auto' or 'median', got {strategy!r}")
    wanted = _whole("cuts", CUTS if cuts is None else cuts, 1)
    categories = _whole("max_categories", max_categories, 2)
    if not isinstance(min_share, Real) or not 0 <= float(min_share) < 1:
        raise GnriError(f"min_share must be a number from 0 to below 1, got {min_share!r}")
    most = max(1, min(wanted, MANY_ATOMS // columns))
    tails = cuts is None and columns * (CUTS + 2 * len(TAILS)) <= MANY_ATOMS
    return Settings(strategy == "median", most, tails, categories, float(min_share))


def learn_schema(
    table: Table, settings: Settings, given: Mapping[str, Sequence[float]] | None = None
) -> Schema:
    """The atoms of a table; columns that cuts are `given` for are cut there and nowhere else."""
    given = given or {}
    check_known(given, table.names)
    atoms: list[Atom] = []
    unfit: list[Unfit] = []
    for place, name in enumerate(table.names):
        try:
            column = table.column(place, name)
            atoms += _own(column, given[name]) if name in given else atoms_of(column, settings)
        except ColumnsError as error:
            unfit += error.unfit
    if unfit:
        raise ColumnsError(*unfit)
    if not atoms:
        raise GnriError(
            f"no rule can be made of this table: each of its {len(table.names)} columns is "
            f"constant or all missing in the {table.rows} rows; add a column that varies"
        )
    return schema_of(atoms)


def truths(schema: Schema, table: Table, columns: Sequence[str]) -> NDArray[np.int8]:
    """The truth of every atom in every row (rows, atoms): +1, -1, or 0 where unknown.

    `columns` are the names that the columns of the table had when the schema was learnt.
    """
    place = {name: i for i, name in enumerate(columns)}
    values = np.empty((table.rows, len(schema.atoms)), dtype=np.int8)
    column: Column | None = None
    for i, atom in enumerate(schema.atoms):
        if column is None or column.name != atom.column:
            column = table.column(place[atom.column], atom.column)
        read_as = as_read_by(atom, column)
        values[:, i] = truth(atom, read_as.cells, column.known)
    return values


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


def check_known(wanted: Sequence[str] | Mapping[str, Any], names: Sequence[str]) -> None:
    """Raise for a column that is to be cut and is not there."""
    for name in wanted:
        if name not in names:
            raise GnriError(f"cuts were given for {name!r}, which is not a column with cuts")


def _own(column: Column, cuts: Sequence[float]) -> list[Atom]:
    if column.kind != Kind.NUMBER:
        raise GnriError(f"only numbers can be cut, but column {column.name!r} holds {column.kind}")
    return list(thresholds(column.name, cuts))


def _whole(name: str, value: object, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise GnriError(f"{name} must be a whole number from {least} up, got {value!r}")
    return int(value)


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
    if settings.median:
        return median_cut(numbers)
    return quantile_cuts(numbers, settings.cuts, tails=settings.tails)


def _check_distinct(schema: Schema) -> None:
    repeated = [name for name, count in Counter(schema.names).items() if count > 1]
    if repeated:
        raise GnriError(
            f"each atom needs a name of its own, but two are called {repeated[0]!r}; rename the "
            "column or the category"
        )
