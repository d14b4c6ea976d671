"""Which rows, said by what is true of them and not one by one.

A bit mask holds a bit for each row. A row expression stands for such a mask where the rows are
elsewhere, in a file or on other machines: it says how to make the mask from the literals, and the
mask is made wherever rows are counted. Expressions combine by &, | and ~ as masks do, also with
the integers 0 (no row) and -1 (every row), which have no bit set and every bit set.
"""

from collections.abc import Iterable
from enum import StrEnum
from functools import reduce
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

NOTHING, EVERYTHING = 0, -1

_KEY = 16  # bytes


class Operation(StrEnum):
    """How an expression is made of its parts."""

    COVER = "cover"
    AND = "and"
    OR = "or"
    NOT = "not"


class RowExpression:
    """The rows where all of some literals are true, or a combination of such expressions.

    Two that are made in the same way, up to the order of the parts of & and |, are equal.

    >>> a, b = cover([0]), cover([3, 5])
    >>> a & b == b & a, a & 0, a & -1 == a
    (True, 0, True)
    """

    __slots__ = ("key", "literals", "operation", "parts")

    def __init__(
        self,
        operation: Operation,
        parts: "tuple[RowExpression, ...]" = (),
        literals: tuple[int, ...] = (),
    ) -> None:
        self.operation, self.parts, self.literals = operation, parts, literals
        names = [part.key for part in parts] or [literal.to_bytes(4) for literal in literals]
        made = blake2b(b"".join(sorted(names)), digest_size=_KEY, person=operation.encode())
        self.key: bytes = made.digest()

    def __reduce__(self) -> tuple[type["RowExpression"], tuple[object, ...]]:
        return RowExpression, (self.operation, self.parts, self.literals)

    def __and__(self, other: "Rows") -> "Rows":
        if isinstance(other, RowExpression):
            return RowExpression(Operation.AND, (self, other))
        return self if other == EVERYTHING else NOTHING

    def __or__(self, other: "Rows") -> "Rows":
        if isinstance(other, RowExpression):
            return RowExpression(Operation.OR, (self, other))
        return self if other == NOTHING else EVERYTHING

    __rand__, __ror__ = __and__, __or__

    def __invert__(self) -> "RowExpression":
        if self.operation is Operation.NOT:
            return self.parts[0]
        return RowExpression(Operation.NOT, (self,))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RowExpression) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        inside = self.literals if self.operation is Operation.COVER else self.parts
        return f"{self.operation}{tuple(inside)}"


Rows = RowExpression | int
"""An expression, or NOTHING or EVERYTHING."""


def cover(literals: Iterable[int]) -> Rows:
    """Return the rows where all of these literals are true."""
    found = tuple(sorted(literals))
    return RowExpression(Operation.COVER, literals=found) if found else EVERYTHING


def all_of(several: Iterable[Rows]) -> Rows:
    """Return the rows in all of several expressions.

    >>> all_of([]) == EVERYTHING, all_of([cover([2])]) == cover([2])
    (True, True)
    """
    return _combine(Operation.AND, several, neutral=EVERYTHING, final=NOTHING)


def any_of(several: Iterable[Rows]) -> Rows:
    """Return the rows in any of several expressions."""
    return _combine(Operation.OR, several, neutral=NOTHING, final=EVERYTHING)


def _combine(operation: Operation, several: Iterable[Rows], neutral: int, final: int) -> Rows:
    """Return one expression of many parts: as deep as one of two, however many there are."""
    found = list(several)
    parts = tuple(rows for rows in found if isinstance(rows, RowExpression))
    if any(rows == final for rows in found):
        return final
    if len(parts) < 2:
        return parts[0] if parts else neutral
    return RowExpression(operation, parts)


class Masks:
    """The masks of row expressions on one block of rows, each made once."""

    def __init__(self, words: NDArray[np.uint64], everything: NDArray[np.uint64]) -> None:
        self._words, self._everything = words, everything
        self._known: dict[bytes, NDArray[np.uint64]] = {}

    def mask(self, rows: Rows) -> NDArray[np.uint64]:
        """Return the bits of the rows in this block."""
        if not isinstance(rows, RowExpression):
            return self._everything if rows == EVERYTHING else np.zeros_like(self._everything)
        found = self._known.get(rows.key)
        if found is None:
            found = self._known[rows.key] = self._made(rows)
        return found

    def _made(self, rows: RowExpression) -> NDArray[np.uint64]:
        match rows.operation:
            case Operation.COVER:
                covered = self._words[rows.literals[0]]
                for literal in rows.literals[1:]:
                    covered = covered & self._words[literal]
                return covered
            case Operation.NOT:
                return self._everything & ~self.mask(rows.parts[0])
            case Operation.AND:
                return reduce(np.bitwise_and, map(self.mask, rows.parts))
            case Operation.OR:
                return reduce(np.bitwise_or, map(self.mask, rows.parts))
