"""The errors that gnri raises on bad input, and parts of their messages.

A message says what was expected, what was given, and what to do about it.
"""

import re
from collections.abc import Sequence
from difflib import get_close_matches

_MAX_CANDIDATES = 2_000
_MAX_LENGTH = 80
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Characters that control a terminal or the direction of text, and lone surrogates."""


class GnriError(ValueError):
    """The base of every error that bad input can cause."""


class ShapeError(GnriError):
    """Arrays whose sizes do not fit together."""


class EncodingError(GnriError):
    """A value of the wrong type or range: a cell, a label, a score, a weight or a price."""


class RuleError(GnriError):
    """An invalid rule, or one that cannot be read or written: a wrong atom, file or format."""


class RuleSyntaxError(RuleError):
    """A rule text that cannot be read."""


class SymmetryError(GnriError):
    """Not a permutation, or a symmetry of the wrong size."""


class CheckpointError(GnriError):
    """An unknown model, a checkpoint that cannot be used, or weights that give NaN or infinity."""


class RecipeError(GnriError):
    """A training recipe with an unknown or impossible setting."""


def closest(name: str, names: Sequence[str]) -> str | None:
    """Return the known name most similar to `name`, if one is similar."""
    near = [
        known for known in names if abs(len(known) - len(name)) <= 3 and len(known) <= _MAX_LENGTH
    ]
    return next(iter(get_close_matches(name[:_MAX_LENGTH], near[:_MAX_CANDIDATES], n=1)), None)


def shorten(thing: object) -> str:
    """Return a value as shown in a message, cut if it is long."""
    shown = escape(repr(thing[:_MAX_LENGTH] if isinstance(thing, str | list) else thing))
    return shown if len(shown) <= _MAX_LENGTH else f"{shown[:_MAX_LENGTH]}..."


def plural(number: int, thing: str) -> str:
    """Return a number and its noun.

    >>> plural(1, "row"), plural(1200, "row")
    ('1 row', '1,200 rows')
    """
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def escape(text: str, keep: str = "") -> str:
    r"""Return the text with control characters escaped, so that a terminal only prints it.

    >>> print(escape("\x1b[2J\n"))
    \x1b[2J\n
    """
    return _CONTROL.sub(lambda one: one[0] if one[0] in keep else ascii(one[0])[1:-1], text)
