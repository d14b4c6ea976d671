"""From the value counts of columns to the atoms they give: a function of counts alone."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np

from gnri.data.kinds import KIND_WORDS, ColumnKind
from gnri.data.schema import Above, Atom, Equals, IsTrue, OneOf, Scalar, Schema, make_schema
from gnri.data.thresholds import TAILS, median_cut, quantile_cuts
from gnri.data.unusable import ColumnsError, Unusable, free_text, nothing_frequent
from gnri.data.value_counts import ValueCounts
from gnri.errors import GnriError

STRATEGIES = ("auto", "median")

CUTS, MAX_CATEGORIES, MIN_SHARE = 9, 50, 0.01
"""What is done where nothing else is said."""

MANY_ATOMS = 10_000
"""Where all cuts would come to more, columns get fewer: models compare all pairs of atoms."""


@dataclass(frozen=True, slots=True)
class BinarizerSettings:
    """How finely columns are turned into atoms; `median` is the paper's encoding."""

    median: bool
    cuts: int
    tails: bool  # more cuts near both ends
    max_categories: int
    min_share: float


def make_settings(
    strategy: str,
    columns: int,
    *,
    cuts: object = None,
    max_categories: object = MAX_CATEGORIES,
    min_share: Any = MIN_SHARE,
) -> BinarizerSettings:
    """Return the settings of a table of so many columns; raise `GnriError` for what cannot be."""
    if strategy not in STRATEGIES:
        raise GnriError(f"strategy must be 'auto' or 'median', got {strategy!r}")
    wanted = _check_whole("cuts", CUTS if cuts is None else cuts, 1)
    categories = _check_whole("max_categories", max_categories, 2)
    if not isinstance(min_share, Real) or not 0 <= float(min_share) < 1:
        raise GnriError(f"min_share must be a number from 0 to below 1, got {min_share!r}")
    most = max(1, min(wanted, MANY_ATOMS // columns))
    tails = cuts is None and columns * (CUTS + 2 * len(TAILS)) <= MANY_ATOMS
    return BinarizerSettings(strategy == "median", most, tails, categories, float(min_share))


def learn_schema(
    counts: Sequence[ValueCounts],
    rows: int,
    settings: BinarizerSettings,
    thresholds: Mapping[str, Sequence[float]] | None = None,
) -> Schema:
    """Return the atoms of a table; columns with `thresholds` are cut there and nowhere else.

    Columns must be decided. Those that no atoms can be made of are all named in one error.
    """
    thresholds = thresholds or {}
    check_cut(thresholds, [one.name for one in counts])
    atoms: list[Atom] = []
    unusable: list[Unusable] = []
    for one in counts:
        try:
            own = thresholds.get(one.name)
            atoms += make_atoms(one, settings) if own is None else _cut_at(one, own)
        except ColumnsError as error:
            unusable += error.unusable
    if unusable:
        raise ColumnsError(*unusable)
    if not atoms:
        raise GnriError(
            f"no rule can be made of this table: each of its {len(counts)} columns is constant or "
            f"all missing in the {rows} rows; add a column that varies"
        )
    return make_schema(atoms)


def make_atoms(counts: ValueCounts, settings: BinarizerSettings) -> list[Atom]:
    """Return the atoms of one column; none if it is constant or all missing."""
    if counts.unusable is not None:
        raise ColumnsError(counts.unusable)
    match counts.kind:
        case ColumnKind.FLAG:
            return [IsTrue(counts.name)] if len(counts.values) == 2 else []
        case ColumnKind.NUMBER if settings.median:
            return [Above(counts.name, cut) for cut in median_cut(counts.numbers)]
        case ColumnKind.NUMBER:
            cuts = quantile_cuts(counts.numbers, settings.cuts, tails=settings.tails)
            return [Above(counts.name, cut) for cut in cuts]
    return _category_atoms(counts.name, counts.values, settings)


def make_thresholds(column: str, cuts: Sequence[float]) -> list[Above]:
    """Return the atoms of a numeric column cut where the user says."""
    numbers = sorted({float(cut) for cut in cuts})
    if not numbers or not np.isfinite(numbers).all():
        raise GnriError(
            f"cuts must be finite numbers, at least one, got {list(cuts)} for column {column!r}"
        )
    return [Above(column, cut) for cut in numbers]


def check_cut(wanted: Iterable[str], names: Sequence[str]) -> None:
    """Raise for a column that is to be cut and is not there."""
    for name in wanted:
        if name not in names:
            raise GnriError(f"cuts were given for {name!r}, which is not a column with cuts")


def _cut_at(counts: ValueCounts, cuts: Sequence[float]) -> list[Above]:
    if counts.unusable is not None:
        raise ColumnsError(counts.unusable)
    if counts.kind != ColumnKind.NUMBER:
        held = KIND_WORDS.get(counts.kind or ColumnKind.CATEGORY)
        raise GnriError(f"only numbers can be cut, but column {counts.name!r} holds {held}")
    return make_thresholds(counts.name, cuts)


def _category_atoms(name: str, counts: "Counter[Any]", settings: BinarizerSettings) -> list[Atom]:
    """Return an atom for each value, rare ones grouped; of two values, one atom tells both."""
    most, rows = settings.max_categories, counts.total()
    if len(counts) > most and 2 * len(counts) > rows:
        raise ColumnsError(free_text(name, counts, rows))
    rare = set() if settings.median else _rare(counts, most, settings.min_share)
    if rare and len(rare) == len(counts) > 1:
        raise ColumnsError(nothing_frequent(name, len(counts), most, settings.min_share))
    kept: list[Atom] = [Equals(name, value) for value in _sorted(counts) if value not in rare]
    if not rare:
        return kept[1:] if len(kept) <= 2 else kept
    group = _sorted(rare)
    other = Equals(name, group[0]) if len(group) == 1 else OneOf(name, tuple(group))
    return kept if len(kept) == 1 else [*kept, other]


def _rare(counts: "Counter[Any]", most: int, min_share: float) -> set[Scalar]:
    """Return the values to group: below `min_share`, and the rarest of the rest while many.

    Values that are equally frequent are grouped or kept together.
    """
    rows = counts.total()
    rare = {value for value, count in counts.items() if count < min_share * rows}
    for level in sorted(set(counts.values())):
        if len(counts) - len(rare) + bool(rare) <= most:
            break
        rare |= {value for value, count in counts.items() if count == level}
    return rare


def _sorted(values: Iterable[Scalar]) -> list[Scalar]:
    """Return the values in order, numbers before text."""
    return sorted(values, key=lambda value: (isinstance(value, str), value))


def _check_whole(name: str, value: object, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise GnriError(f"{name} must be a whole number from {least} up, got {value!r}")
    return int(value)
