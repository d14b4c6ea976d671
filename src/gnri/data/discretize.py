"""From the value counts of columns to the atoms they give: a function of counts alone.

Labels and the order of rows play no part in where numbers are cut and which values are grouped.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import floor
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.data.kinds import (
    KIND_WORDS,
    ColumnKind,
    ColumnsError,
    Unusable,
    are_dates,
    dates,
    free_text,
    is_identifier_name,
    is_index_name,
    is_time_name,
)
from gnri.data.schema import Above, Atom, Equals, IsTrue, OneOf, Scalar, Schema, make_schema
from gnri.data.value_counts import NumberCounts, ValueCounts
from gnri.errors import GnriError, shorten

STRATEGIES = ("auto", "median")
CUTS, MAX_CATEGORIES, MIN_FREQUENCY = 9, 50, 0.01  # defaults

MANY_ATOMS = 10_000  # with more, columns get fewer cuts: models compare all pairs of atoms
TAILS = (100, 40, 20)  # one in so many numbers lies beyond an outer cut, on either side
FEWEST_IN_SEQUENCE = 20  # rows from which a sequence of whole numbers counts the rows
FEWEST_BEYOND = 20  # numbers beyond an outer cut, at least


@dataclass(frozen=True, slots=True)
class BinarizerSettings:
    """How finely columns are turned into atoms; `median` is the paper's encoding."""

    median: bool
    cuts: int
    tails: bool  # more cuts near both ends
    max_categories: int
    min_frequency: float


def make_settings(
    strategy: str,
    columns: int,
    *,
    n_bins: object = None,
    max_categories: object = MAX_CATEGORIES,
    min_frequency: Any = MIN_FREQUENCY,
) -> BinarizerSettings:
    """Return the settings of a table of so many columns; raise `GnriError` for what cannot be."""
    if strategy not in STRATEGIES:
        raise GnriError(f"strategy must be 'auto' or 'median', got {strategy!r}")
    wanted = _check_whole("n_bins", CUTS + 1 if n_bins is None else n_bins, 2) - 1
    categories = _check_whole("max_categories", max_categories, 2)
    if not isinstance(min_frequency, Real) or not 0 <= float(min_frequency) < 1:
        raise GnriError(f"min_frequency must be a number from 0 to below 1, got {min_frequency!r}")
    most = max(1, min(wanted, MANY_ATOMS // columns))
    tails = n_bins is None and columns * (CUTS + 2 * len(TAILS)) <= MANY_ATOMS
    return BinarizerSettings(strategy == "median", most, tails, categories, float(min_frequency))


def learn_schema(
    counts: Sequence[ValueCounts],
    rows: int,
    settings: BinarizerSettings,
    thresholds: Mapping[str, Sequence[float]] | None = None,
) -> Schema:
    """Return the atoms of a table of decided columns; `thresholds` replace the cuts of a column.

    All columns that no atoms can be made of are named in one error.
    """
    thresholds = thresholds or {}
    for name in thresholds:
        if name not in [one.name for one in counts]:
            raise GnriError(f"thresholds were given for {name!r}, which is not a column of numbers")
    atoms: list[Atom] = []
    unusable: list[Unusable] = []
    for one in counts:
        try:
            atoms += make_atoms(one, settings, thresholds.get(one.name))
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


def find_unusable(
    counts: Sequence[ValueCounts], settings: BinarizerSettings, use: Collection[str] = ()
) -> dict[str, Unusable]:
    """Return the columns to leave out of decided ones, by name, and why; none of those in `use`.

    These are columns that no atoms can be made of, the index that pandas writes, dates, and numbers
    that tell the rows apart and nothing else. Such numbers are used if no other column varies.
    Raise if no column is left.
    """
    judged = [one for one in counts if one.name not in use or not one.name]
    found = {one.name: why for one in judged if (why := why_unusable(one, settings))}
    left = [one for one in counts if one.name not in found]
    if not found or any(len(one.values) + len(one.numbers.counts) > 1 for one in left):
        return found
    if any(_why_no_atoms(one, settings) for one in counts if one.name in found):
        raise ColumnsError(*found.values())
    return {}


def why_unusable(counts: ValueCounts, settings: BinarizerSettings) -> Unusable | None:
    """Return why a column should be left out; None if it should not."""
    return _why_no_atoms(counts, settings) or _why_identifier(counts)


def _why_no_atoms(counts: ValueCounts, settings: BinarizerSettings) -> Unusable | None:
    """Return why no useful atoms can be made of a column; None if they can."""
    name = counts.name
    if is_index_name(name):
        advice = "give it a name of its own if it matters"
        return Unusable(
            name, "is the index of the rows, which pandas writes without a name", advice
        )
    if counts.unusable is None and counts.kind == ColumnKind.CATEGORY:
        if are_dates(counts.values):
            return dates(name)
        return _why_no_categories(name, counts.values, settings)
    return counts.unusable


def _why_identifier(counts: ValueCounts) -> Unusable | None:
    """Return why a column only tells the rows apart; None if it does not.

    It holds a whole number in every row, another one in each, and these are a sequence without
    gaps, or it has the name of an identifier. In few rows both may be so by chance.
    """
    numbers, rows = counts.numbers, int(counts.numbers.counts.sum())
    if counts.kind != ColumnKind.NUMBER or counts.missing or rows < 2:
        return None
    lowest, highest = numbers.lowest, numbers.highest
    # In bounded counts of very many numbers a bucket has several, and not all of them are known.
    exact = numbers.shift == 0
    if (lowest != np.round(lowest)).any() or (exact and (numbers.counts > 1).any()):
        return None
    advice = "if it is a measurement, ask for it with --use (in Python use=[...])"
    span = highest - lowest + 1
    tight = bool((numbers.counts == span).all() and (lowest[1:] == highest[:-1] + 1).all())
    if tight and rows >= FEWEST_IN_SEQUENCE and not is_time_name(counts.name):
        said = f"numbers the rows, from {lowest[0]:.16g} to {highest[-1]:.16g}"
        return Unusable(counts.name, said, advice)
    if is_identifier_name(counts.name, sure=rows < FEWEST_IN_SEQUENCE):
        said = "holds another whole number in every row, and has the name of an identifier"
        return Unusable(counts.name, said, advice)
    return None


def make_atoms(
    counts: ValueCounts, settings: BinarizerSettings, thresholds: Sequence[float] | None = None
) -> list[Atom]:
    """Return the atoms of one column; none if it is constant or all missing."""
    name = counts.name
    if counts.unusable is not None:
        raise ColumnsError(counts.unusable)
    if thresholds is not None:
        if counts.kind != ColumnKind.NUMBER:
            held = KIND_WORDS[counts.kind or ColumnKind.CATEGORY]
            raise GnriError(f"only numbers can be cut, but column {name!r} holds {held}")
        try:
            cuts = sorted({float(cut) for cut in thresholds})
        except (TypeError, ValueError):
            cuts = []
        if not cuts or not np.isfinite(cuts).all():
            raise GnriError(
                f"thresholds of {name!r} must be one or more finite numbers, got "
                f"{shorten(thresholds)}"
            )
        return [Above(name, cut) for cut in cuts]
    match counts.kind:
        case ColumnKind.FLAG:
            return [IsTrue(name)] if len(counts.values) == 2 else []
        case ColumnKind.NUMBER:
            if settings.median:
                cuts = median_cut(counts.numbers)
            else:
                cuts = quantile_cuts(counts.numbers, settings.cuts, tails=settings.tails)
            return [Above(name, cut) for cut in cuts]
    return _category_atoms(name, counts.values, settings)


def _category_atoms(name: str, counts: Counter[Any], settings: BinarizerSettings) -> list[Atom]:
    """Return an atom for each value, rare ones grouped; of two values, one atom tells both."""
    if why := _why_no_categories(name, counts, settings):
        raise ColumnsError(why)
    rare = _rare(counts, settings)
    values = [value for value in _sorted(counts) if value not in rare]
    if len(counts) == 2:
        (other,) = counts.keys() - values[-1:]
        return [Equals(name, values[-1], other)]
    kept: list[Atom] = [Equals(name, value) for value in values]
    if not rare:
        return kept if len(kept) > 1 else []
    group = _sorted(rare)
    other = Equals(name, group[0]) if len(group) == 1 else OneOf(name, tuple(group))
    return kept if len(kept) == 1 else [*kept, other]


def _why_no_categories(
    name: str, counts: Counter[Any], settings: BinarizerSettings
) -> Unusable | None:
    """Return why these values cannot be categories; None if they can."""
    most, rows = settings.max_categories, counts.total()
    if len(counts) > most and 2 * len(counts) > rows:
        return free_text(name, counts, rows)
    if len(counts) > 1 and len(_rare(counts, settings)) == len(counts):
        said = f"has {len(counts)} categories, too many or too rare to keep any of them apart"
        allow = f"max_categories (now {most}) and min_frequency (now {settings.min_frequency:g})"
        return Unusable(name, said, "group them yourself", f"allow more with {allow}")
    return None


def _rare(counts: Counter[Any], settings: BinarizerSettings) -> set[Scalar]:
    """Return the values to group: below `min_frequency`, and the rarest of the rest while many.

    Values that are equally frequent are grouped or kept together.
    """
    if settings.median:
        return set()
    most, rows = settings.max_categories, counts.total()
    rare = {value for value, count in counts.items() if count < settings.min_frequency * rows}
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


def quantile_cuts(numbers: NumberCounts, most: int, *, tails: bool = False) -> list[float]:
    """Return cuts between distinct numbers: at every gap, or at the `most` nearest quantiles.

    With `tails` there are more near both ends, where there are numbers enough.

    >>> from gnri.data.value_counts import count_numbers
    >>> quantile_cuts(count_numbers(np.arange(100.0)), most=3)
    [24.0, 49.0, 74.0]
    """
    gaps = max(len(numbers.counts) - 1, 0)
    chosen = range(gaps) if gaps <= most else nearest_gaps(numbers.counts, most, tails=tails)
    lows, highs = numbers.highest, numbers.lowest
    return [cut_between(float(lows[gap]), float(highs[gap + 1])) for gap in chosen]


def median_cut(numbers: NumberCounts) -> list[float]:
    """Return the median as the only cut, as in the paper; no cut if no number is above it.

    Of two distinct numbers, return a cut between them. A bucket counts as its lowest number.
    """
    if len(numbers.counts) <= 2:
        return quantile_cuts(numbers, 1)
    total, upto = int(numbers.counts.sum()), np.cumsum(numbers.counts)
    places = np.searchsorted(upto, [(total - 1) // 2, total // 2], side="right")
    low, high = (float(numbers.lowest[place]) for place in places)
    median = low if low == high else low / 2 + high / 2
    return [median] if median < numbers.highest[-1] else []


def cut_between(low: float, high: float) -> float:
    """Return a number c with few decimals and low <= c < high, so that `> c` tells the two apart.

    >>> cut_between(34, 35), cut_between(1.23, 1.29), cut_between(30, 40)
    (34.0, 1.26, 35.0)
    """
    middle = low / 2 + high / 2
    for decimals in range(16):
        cut = floor(middle * 10**decimals) / 10**decimals if abs(middle) < 1e150 else middle
        if low <= cut < high:
            return float(cut)
    return low


def nearest_gaps(counts: NDArray[np.int64], most: int, *, tails: bool = False) -> list[int]:
    """Return the gaps whose share of numbers below is nearest to 1/(most + 1), 2/(most + 1), ...

    If one number, such as 0, fills more than half of the cells and `most` is at least 3, there is
    a cut on each side of it, and the shares are those of the other numbers.
    """
    commonest = int(counts.argmax())
    if most < 3 or 2 * int(counts[commonest]) <= counts.sum():
        chosen = _nearest(counts, range(1, most + 1), most + 1)
    else:
        sides = {commonest - 1, commonest} & set(range(len(counts) - 1))
        others, left = counts.copy(), most - len(sides)
        others[commonest] = 0
        chosen = sides | _nearest(others, range(1, left + 1), left + 1)
    if tails:
        outer = [one for one in TAILS if counts.sum() >= FEWEST_BEYOND * one]
        chosen = chosen.union(*(_nearest(counts, (1, one - 1), one) for one in outer))
    return sorted(chosen)


def _nearest(counts: NDArray[np.int64], wanted: Iterable[int], parts: int) -> set[int]:
    """Return the gaps whose share of numbers below is nearest to each of `wanted` / `parts`."""
    below = np.cumsum(counts)[:-1]
    total = int(counts.sum())
    return {int(np.abs(below * parts - share * total).argmin()) for share in wanted}
