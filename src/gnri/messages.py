"""Parts of messages: short values, similar names, plurals."""

from collections.abc import Sequence
from difflib import get_close_matches

_MAX_CANDIDATES = 2_000
_MAX_LENGTH = 80


def closest(name: str, names: Sequence[str]) -> str | None:
    """Return the known name most similar to `name`, if one is similar."""
    near = [
        known for known in names if abs(len(known) - len(name)) <= 3 and len(known) <= _MAX_LENGTH
    ]
    return next(iter(get_close_matches(name[:_MAX_LENGTH], near[:_MAX_CANDIDATES], n=1)), None)


def shorten(thing: object) -> str:
    """Return a value as shown in a message, cut if it is long."""
    shown = ascii(thing[:_MAX_LENGTH] if isinstance(thing, str | list) else thing)
    return shown if len(shown) <= _MAX_LENGTH else f"{shown[:_MAX_LENGTH]}..."


def plural(number: int, thing: str) -> str:
    """Return a number and its noun.

    >>> plural(1, "row"), plural(1200, "row")
    ('1 row', '1,200 rows')
    """
    return f"{number:,} {thing}{'' if number == 1 else 's'}"
