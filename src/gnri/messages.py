"""Words that one-line messages share: values cut short, near names, numbers of things."""

from collections.abc import Sequence
from difflib import get_close_matches

_CANDIDATES = 2_000
_LONGEST = 80


def closest(name: str, names: Sequence[str]) -> str | None:
    """Return the known name most like `name`, looked for at bounded cost."""
    near = [known for known in names if abs(len(known) - len(name)) <= 3 and len(known) <= _LONGEST]
    return next(iter(get_close_matches(name[:_LONGEST], near[:_CANDIDATES], n=1)), None)


def shorten(thing: object) -> str:
    """Return how a value is shown in a message, cut where it is long."""
    shown = ascii(thing[:_LONGEST] if isinstance(thing, str | list) else thing)
    return shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}..."


def plural(number: int, thing: str) -> str:
    """Return a number of things in words.

    >>> plural(1, "row"), plural(1200, "row")
    ('1 row', '1,200 rows')
    """
    return f"{number:,} {thing}{'' if number == 1 else 's'}"
