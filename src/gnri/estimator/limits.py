"""The limits that a user sets on the search."""

from numbers import Integral

from gnri.errors import GnriError
from gnri.search.limits import DEFAULT, Limits


def limits_of(max_clauses: object, max_literals: object, negations: object) -> Limits:
    """What was set, checked; the rest, None, is as in every search."""
    if not isinstance(negations, bool):
        raise GnriError(f"negations must be True or False, got {negations!r}")
    return Limits(
        max_clauses=_size("max_clauses", max_clauses, DEFAULT.max_clauses),
        max_literals=_size("max_literals", max_literals, DEFAULT.max_literals),
        negations=negations,
    )


def _size(name: str, given: object, default: int) -> int:
    if given is None:
        return default
    if isinstance(given, bool) or not isinstance(given, Integral) or given < 1:
        raise GnriError(f"{name} must be a whole number from 1 up, or None, got {given!r}")
    return int(given)
