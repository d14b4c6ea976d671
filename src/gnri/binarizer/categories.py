"""The atoms of a categorical column: one for each value, rare values grouped."""

from collections import Counter
from collections.abc import Iterable

from gnri.binarizer.column import Column
from gnri.binarizer.unfit import ColumnsError, free_text, nothing_frequent
from gnri.data.schema import Atom, Equals, OneOf, Scalar


def one_hot(column: Column) -> list[Atom]:
    """An atom for each value; one atom alone where there are two, as it says the same of both."""
    values = in_order(column.cells[column.known])
    if len(values) <= 2:
        return [Equals(column.name, value) for value in values[1:]]
    return [Equals(column.name, value) for value in values]


def grouped_one_hot(column: Column, most: int, min_share: float) -> list[Atom]:
    """As `one_hot`, with at most `most` atoms and the values below `min_share` in one of them.

    Values that are equally frequent are grouped or kept together.
    """
    counts = Counter(column.cells[column.known])
    rare = rare_of(counts, most, min_share)
    if not rare:
        return one_hot(column)
    if len(rare) == len(counts) > 1:
        raise ColumnsError(nothing_frequent(column.name, len(counts), most, min_share))
    kept: list[Atom] = [Equals(column.name, v) for v in in_order(counts) if v not in rare]
    return kept if len(kept) == 1 else [*kept, group_of(column.name, in_order(rare))]


def check_not_free_text(column: Column, most: int) -> None:
    """Raise if the values are so many and so different that they cannot be categories."""
    distinct, rows = list(dict.fromkeys(column.cells[column.known])), int(column.known.sum())
    if len(distinct) > most and 2 * len(distinct) > rows:
        raise ColumnsError(free_text(column.name, distinct, rows))


def rare_of(counts: "Counter[Scalar]", most: int, min_share: float) -> set[Scalar]:
    """The values to group: below `min_share`, and of the rest the rarest while they are many."""
    rows = counts.total()
    rare = {value for value, count in counts.items() if count < min_share * rows}
    for level in sorted(set(counts.values())):
        if len(counts) - len(rare) + bool(rare) <= most:
            break
        rare |= {value for value, count in counts.items() if count == level}
    return rare


def group_of(name: str, values: list[Scalar]) -> Atom:
    """One atom for several values."""
    return Equals(name, values[0]) if len(values) == 1 else OneOf(name, tuple(values))


def in_order(values: Iterable[Scalar]) -> list[Scalar]:
    """The different values, numbers before text."""
    return sorted(set(values), key=lambda value: (isinstance(value, str), value))
