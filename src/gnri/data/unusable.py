"""Columns that no atoms can be made of: all of them are named at once."""

from collections.abc import Collection
from typing import NamedTuple

from gnri.data.kinds import DATE_ADVICE, first_look
from gnri.errors import GnriError

_SHOWN = 3


class Unusable(NamedTuple):
    """What is wrong with a column, what to do but leave it out, and which parameters allow it."""

    column: str
    said: str
    advice: str
    allow: str = ""


class ColumnsError(GnriError):
    """Columns that are neither numbers, nor Booleans, nor categories."""

    def __init__(self, *unusable: Unusable) -> None:
        super().__init__(*unusable)
        self.unusable = unusable

    @property
    def columns(self) -> list[str]:
        return [one.column for one in self.unusable]

    def __str__(self) -> str:
        allows = dict.fromkeys(one.allow for one in self.unusable if one.allow)
        allowed = "".join(f", or {allow}" for allow in allows)
        return self.explain("drop the column" if len(self.unusable) == 1 else "drop them") + allowed

    def explain(self, drop: str) -> str:
        """Return what is wrong, and what to do; `drop` says how a column is left out."""
        said = [f"{one.column!r} {one.said}" for one in self.unusable]
        more = [repr(name) for name in self.columns[_SHOWN:]]
        listed = " and ".join([*said[:_SHOWN], *([f"so on: {', '.join(more)}"] if more else [])])
        one = len(self.unusable) == 1
        advice = self.unusable[0].advice if one else "replace each by what matters"
        return (
            f"{'a column' if one else 'columns'} must hold numbers, Booleans or categories, but "
            f"{listed}; {drop}, or {advice}"
        )


def dates(column: str) -> Unusable:
    """Describe a column of dates or times."""
    return Unusable(column, "holds dates or times", DATE_ADVICE)


def mixed_types(column: str, types: Collection[str]) -> Unusable:
    """Describe a column of cells of several types, or of none that we know."""
    said = f"holds {', '.join(sorted(types))}, not one kind throughout"
    return Unusable(column, said, "convert it to one kind, with None where a cell is missing")


def foreign_type(column: str, kind: str) -> Unusable:
    """Describe a column whose type is none of ours, such as a list."""
    said = f"holds values of the type {kind}"
    return Unusable(column, said, "replace it by numbers, Booleans or text")


def free_text(column: str, values: Collection[object], rows: int) -> Unusable:
    """Describe a column of so many different values that they cannot be categories."""
    said = f"holds {len(values)} different values in {rows} rows"
    found = first_look([value for value in values if isinstance(value, str)])
    if found is None:
        advice = "replace it by what matters in it"
        return Unusable(column, f"{said}, like free text or an identifier", advice)
    first, look = found
    return Unusable(column, f"{said} (such as {first!r}, {look.what})", look.advice)


def nothing_frequent(column: str, distinct: int, most: int, min_share: float) -> Unusable:
    """Describe a column whose values would all be grouped."""
    return Unusable(
        column,
        f"has {distinct} categories, too many or too rare to keep any of them apart",
        "group them yourself",
        f"allow more with max_categories (now {most}) and min_share (now {min_share:g})",
    )
