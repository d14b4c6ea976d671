"""Columns that were meant as numbers and are read as text, because of a few cells or of all."""

from collections import Counter

from gnri.messages import counted, shorten
from gnri.numerals import is_code, is_few, is_number, look_of
from gnri.tables.cells import Kind, missing_codes


def near_number_note(name: str, cells: list[str]) -> str | None:
    """What to say of a column of text of which nearly all cells are or look like numbers.

    >>> print(near_number_note("age", ["51"] * 18 + ["4O", "52%"]))
    age is read as text, not as numbers: '4O' in row 19 below the header cannot be read \
as one, nor can 1 other cell; correct it, or leave the cell empty if it is unknown
    """
    missing = missing_codes(Kind.NUMBER)
    present = {cell: count for cell, count in Counter(cells).items() if cell not in missing}
    odd = {cell: count for cell, count in present.items() if not is_number(cell)}
    unlike = sum(count for cell, count in odd.items() if look_of(cell) is None)
    if not odd or any(map(is_code, odd)) or not is_few(unlike, sum(present.values())):
        return None
    first = next(iter(odd))
    look = look_of(first)
    what = "" if look is None else f" ({look.what})"
    advice = "correct it, or leave the cell empty if it is unknown" if look is None else look.advice
    return (
        f"{name} is read as text, not as numbers: {shorten(first)} in row {cells.index(first) + 1} "
        f"below the header cannot be read as one{what}{_others(sum(odd.values()) - 1)}; {advice}"
    )


def _others(count: int) -> str:
    return f", nor can {counted(count, 'other cell')}" if count else ""
