"""Text that is a number, and text that only looks like one, or like a date.

What only looks like a number is never read as one: 1,234 is a thousand to some and one to others.
It is named instead, with what to write.
"""

import re
from collections.abc import Collection
from typing import NamedTuple

NUMBER = re.compile(
    r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?)", re.ASCII | re.IGNORECASE
)
_WHOLE = re.compile(r"[+-]?(\d+)", re.ASCII)
LARGEST = 2**53
"""Beyond, a 64-bit float skips whole numbers."""


class Look(NamedTuple):
    """What a text looks like, and what to do about it."""

    what: str
    advice: str


_BEYOND = Look(
    "a whole number beyond 2^53, where neighbours cannot be told apart",
    "leave the column out if it is an identifier, or make the numbers smaller",
)
_DAY = r"\d{4}[-/.]\d\d?[-/.]\d\d?|\d\d?[-/.]\d\d?[-/.](?:\d\d){1,2}"
_TIME = r"\d\d?:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?[AaPp][Mm]|Z| ?[+-]\d\d:?\d\d)?"
_MONEY = r"[$€£¥]|(?:USD|EUR|GBP|JPY|CHF)"
_LOOKS = {
    rf"(?:{_DAY})(?:[T ]+{_TIME})?|{_TIME}": Look(
        "a date or a time",
        "replace it by a number, such as a year, a weekday or the days since an event",
    ),
    r"[+-]?[\d.,]+ ?%": Look("a percentage", "write the number alone, such as 51"),
    rf"(?:{_MONEY}) ?[+-]?[\d.,]+|[+-]?[\d.,]+ ?(?:{_MONEY})": Look(
        "an amount of money", "write the number alone, such as 51.00"
    ),
    r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?": Look(
        "a number with commas for thousands", "write it without, such as 1234.56"
    ),
    r"[+-]?(?:\d{1,3}(?:\.\d{3})+|\d+),\d+": Look(
        "a number with a decimal comma", "write it with a point, such as 1234.56"
    ),
}
_PATTERNS = [(re.compile(pattern, re.ASCII), look) for pattern, look in _LOOKS.items()]


def is_number(text: str) -> bool:
    """Whether it is the text of a number, and of no code.

    >>> [is_number(text) for text in ("1e3", "007", "9007199254740993", "51%")]
    [True, False, False, False]
    """
    return bool(NUMBER.fullmatch(text)) and not is_code(text)


def is_code(text: str) -> bool:
    """Whether it is a whole number with a zero before it, or too large to be held exactly."""
    whole = _WHOLE.fullmatch(text)
    if whole is None:
        return False
    return (whole[1].startswith("0") and whole[1] != "0") or _is_beyond(whole[1])


def look_of(text: str) -> Look | None:
    """What a text that is no number looks like.

    >>> look_of("51 %").what, look_of("1.234,56").what, look_of("almond")
    ('a percentage', 'a number with a decimal comma', None)
    """
    if (whole := _WHOLE.fullmatch(text)) and _is_beyond(whole[1]):
        return _BEYOND
    return next((look for pattern, look in _PATTERNS if pattern.fullmatch(text)), None)


def first_alike(values: Collection[str]) -> tuple[str, Look] | None:
    """The first value that only looks like a number or a date, if nearly all are or do."""
    looks = {value: look_of(value) for value in values if not is_number(value)}
    unlike = sum(look is None for look in looks.values())
    if not is_few(unlike, len(values)):
        return None
    return next(((value, look) for value, look in looks.items() if look is not None), None)


def is_few(odd: int, cells: int) -> bool:
    """Whether so few cells are odd, one in ten, that the column is meant as the others are."""
    return 10 * odd <= cells


def _is_beyond(digits: str) -> bool:
    return len(digits) > len(str(LARGEST)) or int(digits) > LARGEST
