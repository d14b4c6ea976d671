"""Decide whether a column holds numbers, Booleans or categories, and which cells are missing.

A column read as text is numeric or Boolean only if all cells that are not missing are; otherwise
it is categorical. Empty cells, `?` and the texts that `pandas.read_csv` takes as missing are
missing in every column; `na`, `-` and `.` are missing among numbers and Booleans, but are
categories among other texts. A whole number with a leading zero, such as 007, or one that is too
large for a 64-bit float to hold exactly is a code: a column with codes is categorical. Numbers
that are all 0 or 1 are Booleans, whatever type they came in. A text that
only looks like a number is never parsed as one: 1,234 is above a thousand to some readers and
above one to others. A note or an error names such a text and says what to write instead.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np

from gnri.errors import GnriError


class ColumnKind(StrEnum):
    """What a column holds."""

    NUMBER = "number"
    FLAG = "flag"
    CATEGORY = "category"


KIND_WORDS = {"number": "numbers", "flag": "Booleans", "category": "categories"}

MISSING = frozenset(
    {
        *("", "?", "NA", "N/A", "n/a", "<NA>", "#NA", "#N/A", "#N/A N/A", "NULL", "null", "None"),
        *("nan", "NaN", "-nan", "-NaN", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"),
    }
)
"""Texts that are missing in every column: those of pandas.read_csv, and `?`."""

MISSING_BUT_IN_TEXT = MISSING | {"na", "-", "."}
"""Texts that are missing among numbers and Booleans; `na`, `-` and `.` are values in text."""

_INDEX_NAME = re.compile(r"|Unnamed: 0(?:\.\d+)*|__index_level_\d+__", re.ASCII)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|#")
_IDENTIFIERS = frozenset({"id", "ids", "uid", "uuid", "guid", "key"})
_COMPOUNDS = ("number", "nummer", "nr")  # as at the end of `Kundennummer`
_NUMBERINGS = frozenset(
    {"index", "idx", "row", "rownames", "number", "num", "no", "nr", "serial", "#"}
)
_TIMES = frozenset(
    {
        *("year", "quarter", "month", "week", "day", "hour", "minute", "second"),
        "time",
        "date",
        "age",
    }
)

MISSING_TYPES = ("NAType", "NaTType")  # of pandas, by name, so that it need not be imported

NUMBER = re.compile(
    r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?)", re.ASCII | re.IGNORECASE
)
# Possessive quantifiers (`++`, `?+`) do not backtrack in a long column.
_PLAIN = r"[+-]?+(?:0|[1-9]\d{0,14}+)(?:\.\d++)?+"
_PLAIN_LINES = re.compile(rf"(?:{_PLAIN}\n)*+{_PLAIN}", re.ASCII)
TRUTHS = {"true": True, "false": False}
_ZERO_ONE = {"0", "1", "0.0", "1.0"}
_FLAGS = {**TRUTHS, "1": True, "0": False, "1.0": True, "0.0": False}
_WHOLE = re.compile(r"[+-]?(\d+)", re.ASCII)
LARGEST_EXACT = 2**53  # beyond, a 64-bit float skips whole numbers


class Look(NamedTuple):
    """What a text looks like, and what to write instead."""

    what: str
    advice: str


DATE_ADVICE = "replace it by a number, such as a year, a weekday or the days since an event"
DATE = Look("a date or a time", DATE_ADVICE)
_BEYOND = Look(
    "a whole number beyond 2^53, where neighbours cannot be told apart",
    "leave the column out if it is an identifier, or make the numbers smaller",
)
_DAY = r"\d{4}[-/.]\d\d?[-/.]\d\d?|\d\d?[-/.]\d\d?[-/.](?:\d\d){1,2}"
_TIME = r"\d\d?:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?[AaPp][Mm]|Z| ?[+-]\d\d:?\d\d)?"
_MONEY = r"[$€£¥]|(?:USD|EUR|GBP|JPY|CHF)"
_LOOKS = {
    rf"(?:{_DAY})(?:[T ]+{_TIME})?|{_TIME}": DATE,
    r"[+-]?[\d.,]+ ?%": Look("a percentage", "write the number alone, such as 51"),
    rf"(?:{_MONEY}) ?[+-]?[\d.,]+|[+-]?[\d.,]+ ?(?:{_MONEY})": Look(
        "an amount of money", "write the number alone, such as 51.00"
    ),
    r"[+-]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?": Look(
        "a number with commas for thousands", "write it without, such as 1234.56"
    ),
    r"[+-]?(?:\d{1,3}(?:\.\d{3})+|\d+),\d+": Look(
        "a number with a decimal comma",
        'write it with a point, or read the file with --decimal , (in Python decimal=",")',
    ),
}
_ISO_DATE = re.compile(rf"\d{{4}}-\d\d-\d\d(?:[T ]{_TIME})?", re.ASCII)
_PATTERNS = [(re.compile(pattern, re.ASCII), look) for pattern, look in _LOOKS.items()]


def is_missing(cell: Any) -> bool:
    """Return whether a cell is None, NaN, or one of the markers of pandas."""
    if cell is None or type(cell).__name__ in MISSING_TYPES:
        return True
    return isinstance(cell, float | np.floating) and bool(cell != cell)


def missing_texts(kind: ColumnKind) -> frozenset[str]:
    """Return the texts that are missing in a column of this kind."""
    return MISSING if kind == ColumnKind.CATEGORY else MISSING_BUT_IN_TEXT


def decide_kind(texts: Iterable[str]) -> ColumnKind:
    """Return the kind of a column of text; 0 and 1 alone are Booleans, as are true and false.

    >>> [str(decide_kind(cells)) for cells in (["1", "2.5", ""], ["0", "1"], ["007", "12"])]
    ['number', 'flag', 'category']
    """
    texts = set(texts) - MISSING
    present = texts - MISSING_BUT_IN_TEXT
    if present and (are_truths(present) or present <= _ZERO_ONE):
        return ColumnKind.FLAG
    # If all cells are `na`, `-` or `.`, they are values: these are missing only beside numbers.
    numeric = are_numbers(present) if present else not texts
    return ColumnKind.NUMBER if numeric else ColumnKind.CATEGORY


def are_truths(texts: Iterable[str]) -> bool:
    """Return whether all texts are true or false, in any case."""
    return all(text.lower() in TRUTHS for text in texts)


def are_numbers(texts: Iterable[str]) -> bool:
    """Return whether all texts are numbers, apart from those that stand for a missing number."""
    present = set(texts) - MISSING_BUT_IN_TEXT
    return _are_plain(present) or all(map(is_number, present))


def parse_numbers(texts: Sequence[str]) -> list[float | None]:
    """Return each text as a float; None if it is not a number. Codes such as 007 are converted."""
    if _are_plain([text for text in texts if text not in MISSING_BUT_IN_TEXT]):
        return [None if text in MISSING_BUT_IN_TEXT else float(text) for text in texts]
    return [float(text) if NUMBER.fullmatch(text) else None for text in texts]


def _are_plain(texts: Collection[str]) -> bool:
    """Return whether all texts are short decimal numbers without an exponent or leading zeros.

    For speed, one regular expression matches all of them at once. Other numbers are not plain.
    """
    lines = "\n".join(texts)
    return lines.count("\n") + 1 == len(texts) and bool(_PLAIN_LINES.fullmatch(lines))


def parse_flags(texts: Sequence[str]) -> list[bool | None]:
    """Return each text as a Boolean; None if it is not one."""
    return [_FLAGS.get(text.lower()) for text in texts]


def is_number(text: str) -> bool:
    """Return whether a text is a number, and not a code such as 007.

    >>> [is_number(text) for text in ("1e3", "007", "9007199254740993", "51%")]
    [True, False, False, False]
    """
    return bool(NUMBER.fullmatch(text)) and not is_code(text)


def point_for_comma(text: str) -> str:
    """Return a number with a decimal comma as one with a point; any other text as it is.

    >>> [point_for_comma(text) for text in ("-1,5", ",5e3", "1.234,5", "a,b")]
    ['-1.5', '.5e3', '1.234,5', 'a,b']
    """
    found = text.replace(",", ".")
    return found if "." not in text and text.count(",") == 1 and NUMBER.fullmatch(found) else text


def is_code(text: str) -> bool:
    """Return whether a text is a whole number with leading zeros, or too large to be exact."""
    whole = _WHOLE.fullmatch(text)
    digits = whole[1] if whole else "0"
    return (digits.startswith("0") and digits != "0") or _is_beyond(digits)


def is_index_name(name: str) -> bool:
    """Return whether pandas and Arrow name the index of a frame so, in CSV and Parquet.

    >>> [is_index_name(name) for name in ("", "Unnamed: 0", "__index_level_0__", "Unnamed: 3")]
    [True, True, True, False]
    """
    return _INDEX_NAME.fullmatch(name) is not None


def is_identifier_name(name: str, *, sure: bool = False) -> bool:
    """Return whether a column has the name of an identifier; with `sure`, of nothing else.

    >>> [is_identifier_name(name) for name in ("PassengerId", "row_number", "no_of_rooms", "idle")]
    [True, True, False, False]
    >>> [is_identifier_name(name) for name in ("Kundennummer", "Vorgangsnr", "nummernschild")]
    [True, True, False]
    """
    words = [word.lower() for word in _WORD.findall(name)] or [""]
    if words[0] in _IDENTIFIERS or words[-1] in _IDENTIFIERS:
        return True
    return (words[-1] in _NUMBERINGS or words[-1].endswith(_COMPOUNDS)) and not sure


def is_time_name(name: str) -> bool:
    """Return whether a column has the name of a time, which may be a sequence and yet matter.

    >>> is_time_name("year"), is_time_name("DayOfWeek"), is_time_name("record")
    (True, True, False)
    """
    return not _TIMES.isdisjoint(word.lower() for word in _WORD.findall(name))


def look_of(text: str) -> Look | None:
    """Return what a text looks like, such as a date or a percentage; None if like none of them.

    >>> look_of("51 %").what, look_of("1.234,56").what, look_of("almond")
    ('a percentage', 'a number with a decimal comma', None)
    """
    if (whole := _WHOLE.fullmatch(text)) and _is_beyond(whole[1]):
        return _BEYOND
    return next((look for pattern, look in _PATTERNS if pattern.fullmatch(text)), None)


def are_dates(texts: Collection[object]) -> bool:
    """Return whether all of these are dates or times as ISO 8601 writes them, such as 2020-01-31.

    >>> are_dates(["2020-01-31", "2020-02-01 08:30"]), are_dates(["31.1.2020"])
    (True, False)
    """
    found = (isinstance(text, str) and _ISO_DATE.fullmatch(text) for text in texts)
    return len(texts) > 0 and all(found)


def _is_beyond(digits: str) -> bool:
    return len(digits) > len(str(LARGEST_EXACT)) or int(digits) > LARGEST_EXACT


def is_few(odd: int, cells: int) -> bool:
    """Return whether at most one cell in ten is odd, so that the others tell what is meant."""
    return 10 * odd <= cells


class Unusable(NamedTuple):
    """Why no atoms can be made of a column, what to do, and which parameters would allow it."""

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
        """Return the names of the columns."""
        return [one.column for one in self.unusable]

    def __str__(self) -> str:
        allows = dict.fromkeys(one.allow for one in self.unusable if one.allow)
        allowed = "".join(f", or {allow}" for allow in allows)
        return self.explain("drop the column" if len(self.unusable) == 1 else "drop them") + allowed

    def explain(self, drop: str) -> str:
        """Return what is wrong, and what to do; `drop` says how a column is left out."""
        said = [f"{one.column!r} {one.said}" for one in self.unusable]
        more = [repr(name) for name in self.columns[3:]]
        listed = " and ".join([*said[:3], *([f"so on: {', '.join(more)}"] if more else [])])
        single = len(self.unusable) == 1
        advice = self.unusable[0].advice if single else "replace each by what matters"
        return (
            f"{'a column' if single else 'columns'} must hold numbers, Booleans or categories, but "
            f"{listed}; {drop}, or {advice}"
        )


def dates(column: str) -> Unusable:
    """Describe a column of dates or times."""
    return Unusable(column, "holds dates or times", DATE_ADVICE)


def free_text(column: str, values: Collection[object], rows: int) -> Unusable:
    """Describe a column of so many different values that they cannot be categories."""
    said = f"holds {len(values):,} different values in {rows:,} rows"
    texts = [value for value in values if isinstance(value, str)]
    looks = {text: look_of(text) for text in texts if not is_number(text)}
    if is_few(sum(look is None for look in looks.values()), len(texts)):
        for text, look in looks.items():
            if look is not None:
                return Unusable(column, f"{said} (such as {text!r}, {look.what})", look.advice)
    advice = "replace it by what matters in it"
    return Unusable(column, f"{said}, like free text or an identifier", advice)
