"""Columns that no atoms can be made of: all of them are named at once."""

from collections.abc import Collection
from typing import NamedTuple

from gnri.data.schema import Scalar
from gnri.errors import GnriError
from gnri.numerals import first_alike

_SHOWN = 3


class Unfit(NamedTuple):
    """What is wrong with a column, what to do but leave it out, and which parameters allow it."""

    column: str
    said: str
    advice: str
    allow: str = ""


class ColumnsError(GnriError):
    """Columns that are neither numbers, nor Booleans, nor categories."""

    def __init__(self, *unfit: Unfit) -> None:
        super().__init__(*unfit)
        self.unfit = unfit

    @property
    def columns(self) -> list[str]:
        return [one.column for one in self.unfit]

    def __str__(self) -> str:
        allowed = "".join(f", or {allow}" for allow in dict.fromkeys(self._allows))
        return self.told("drop the column" if len(self.unfit) == 1 else "drop them") + allowed

    def told(self, drop: str) -> str:
        """What is wrong, and what to do; `drop` says how a column is left out."""
        said = [f"{one.column!r} {one.said}" for one in self.unfit]
        more = [repr(name) for name in self.columns[_SHOWN:]]
        listed = " and ".join([*said[:_SHOWN], *([f"so on: {', '.join(more)}"] if more else [])])
        advice = self.unfit[0].advice if len(self.unfit) == 1 else "replace each by what matters"
        a_column = "a column" if len(self.unfit) == 1 else "columns"
        return (
            f"{a_column} must hold numbers, Booleans or categories, but {listed}; {drop}, or "
            f"{advice}"
        )

    @property
    def _allows(self) -> list[str]:
        return [one.allow for one in self.unfit if one.allow]


def free_text(column: str, values: Collection[Scalar], rows: int) -> Unfit:
    """What to say of a column of so many different values that they cannot be categories."""
    said = f"holds {len(values)} different values in {rows} rows"
    alike = first_alike([value for value in values if isinstance(value, str)])
    if alike is None:
        advice = "replace it by what matters in it"
        return Unfit(column, f"{said}, like free text or an identifier", advice)
    first, look = alike
    return Unfit(column, f"{said} (such as {first!r}, {look.what})", look.advice)


def nothing_frequent(column: str, distinct: int, most: int, min_share: float) -> Unfit:
    """What to say of a column whose values would all be grouped."""
    return Unfit(
        column,
        f"has {distinct} categories, too many or too rare to keep any of them apart",
        "group them yourself",
        f"allow more with max_categories (now {most}) and min_share (now {min_share:g})",
    )
