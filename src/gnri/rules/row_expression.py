"""Expressions that select rows by the literals that are true of them.

A bit mask has a bit for each row. A row expression says how to make such a mask from the literals,
so that rows in files or on other machines can be counted where they are. Expressions combine by &,
| and ~ as masks do, also with the integers 0 (no row) and -1 (every row).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import reduce
from hashlib import blake2b
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

NOTHING, EVERYTHING = 0, -1

_POINT_WORDS = 1 << 13  # words of rows whose points are added up at a time


def mix(codes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return codes scrambled one to one, by the finaliser of splitmix64."""
    codes = codes + np.uint64(0x9E3779B97F4A7C15)
    codes = (codes ^ (codes >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    codes = (codes ^ (codes >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return codes ^ (codes >> np.uint64(31))


class Operation(StrEnum):
    """How an expression is made of its parts."""

    COVER = "cover"
    AND = "and"
    OR = "or"
    NOT = "not"
    POINTS = "points"
    SAMPLE = "sample"
    CLASSES = "classes"


@dataclass(slots=True, eq=False, repr=False)
class RowExpression:
    """The rows where all of some literals are true, or a combination of such expressions.

    Two are equal if they have the same parts, in any order.

    >>> a, b = cover([0]), cover([3, 5])
    >>> a & b == b & a, a & 0, a & -1 == a
    (True, 0, True)
    """

    operation: Operation
    parts: "tuple[RowExpression, ...]" = ()
    literals: tuple[int, ...] = ()
    points: tuple[int, ...] = ()
    bound: int = 0
    key: bytes = field(init=False)

    def __post_init__(self) -> None:
        names = [part.key for part in self.parts] or [one.to_bytes(4) for one in self.literals]
        if self.operation is Operation.POINTS:
            pairs = zip(self.points, names[::2], names[1::2], strict=True)
            names = [b"%d %s%s" % pair for pair in pairs] + [b"%d" % self.bound]
        elif self.operation is Operation.SAMPLE:
            names = [np.array([*self.literals, *self.points, self.bound], np.uint64).tobytes()]
        elif self.operation is Operation.CLASSES:  # their order counts
            names = [b"".join(names)]
        digest = blake2b(b"".join(sorted(names)), digest_size=16, person=self.operation.encode())
        self.key = digest.digest()

    def __and__(self, other: "Rows") -> "Rows":
        return all_of([self, other])

    def __or__(self, other: "Rows") -> "Rows":
        return any_of([self, other])

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


def more_points(lines: Iterable[tuple[Rows, Rows, int]], bound: int) -> Rows:
    """Return the rows with more than `bound` points.

    A line has the rows that get its points, those that lose as many, and the points.
    """
    # To lose a negative number of points is to get them.
    signed = [(a, b, p) if p > 0 else (b, a, -p) for a, b, p in lines]
    found = [line for line in signed if isinstance(line[0], RowExpression)]
    if not found:
        return EVERYTHING if bound < 0 else NOTHING
    parts = tuple(part for true, false, _ in found for part in (true, false))
    points = tuple(p for _, _, p in found)
    return RowExpression(Operation.POINTS, parts, points=points, bound=bound)  # type: ignore[arg-type]


def sample_of(codes: Sequence[int], parts: int, part: int) -> RowExpression:
    """Return one of several parts of the rows, by what is true of them; equal rows stay together.

    `codes` has a 64-bit number for each literal; a row belongs to the part that the scrambled sum
    of the codes of its true literals has as its remainder.
    """
    return RowExpression(Operation.SAMPLE, literals=(parts,), points=tuple(codes), bound=part)


def by_class(several: Iterable[Rows]) -> RowExpression:
    """Return of the rows of each class those in its own expression."""
    every = RowExpression(Operation.AND)  # of no parts
    constants = {EVERYTHING: every, NOTHING: ~every}
    parts = [one if isinstance(one, RowExpression) else constants[one] for one in several]
    return RowExpression(Operation.CLASSES, tuple(parts))


def _combine(operation: Operation, several: Iterable[Rows], neutral: int, final: int) -> Rows:
    """Return one flat expression of all parts; `final` decides it and `neutral` adds nothing."""
    found = list(several)
    if any(rows == final for rows in found):
        return final
    parts = tuple(rows for rows in found if isinstance(rows, RowExpression))
    if len(parts) < 2:
        return parts[0] if parts else neutral
    return RowExpression(operation, parts)


class Masks:
    """The masks of row expressions on one block of rows, each made once.

    `bounds` are the first word of each class, and the end. Samples, which take long, are kept in
    `samples` for later.
    """

    def __init__(
        self,
        words: NDArray[np.uint64],
        everything: NDArray[np.uint64],
        bounds: Sequence[int],
        samples: dict[bytes, NDArray[np.uint64]],
    ) -> None:
        self._words, self._everything = words, everything
        self._bounds, self._samples = bounds, samples
        self._known: dict[bytes, NDArray[np.uint64]] = {}

    def mask(self, rows: Rows) -> NDArray[np.uint64]:
        """Return the bits of the rows in this block."""
        if not isinstance(rows, RowExpression):
            return self._everything if rows == EVERYTHING else np.zeros_like(self._everything)
        if rows.key not in self._known:
            self._known[rows.key] = self._make(rows)
        return self._known[rows.key]

    def _make(self, rows: RowExpression) -> NDArray[np.uint64]:
        match rows.operation:
            case Operation.COVER:
                return reduce(np.bitwise_and, (self._words[literal] for literal in rows.literals))
            case Operation.NOT:
                return self._everything & ~self.mask(rows.parts[0])
            case Operation.AND:
                return reduce(np.bitwise_and, map(self.mask, rows.parts), self._everything)
            case Operation.OR:
                return reduce(np.bitwise_or, map(self.mask, rows.parts))
            case Operation.POINTS:
                return self._everything & self._with_more_points(rows)
            case Operation.CLASSES:
                own = zip(rows.parts, pairwise(self._bounds), strict=True)
                return np.concatenate([self.mask(part)[slice(*ends)] for part, ends in own])
            case Operation.SAMPLE:
                if rows.key not in self._samples:
                    self._samples[rows.key] = self._everything & self._sampled(rows)
                return self._samples[rows.key]

    def _sampled(self, rows: RowExpression) -> NDArray[np.uint64]:
        total = np.zeros(64 * len(self._everything), np.uint64)
        for words, code in zip(self._words, np.array(rows.points, np.uint64), strict=True):
            total += code * np.unpackbits(np.ascontiguousarray(words).view(np.uint8))
        parts = np.uint64(rows.literals[0])
        return np.packbits(mix(total) % parts == np.uint64(rows.bound)).view(np.uint64)

    def _with_more_points(self, rows: RowExpression) -> NDArray[np.uint64]:
        masks = np.array(list(map(self.mask, rows.parts)))  # gets and loses, line by line
        points = np.array([sign * p for p in rows.points for sign in (1, -1)], np.float32)
        found = np.empty_like(self._everything)
        step = max(1, _POINT_WORDS // len(masks))
        for start in range(0, len(found), step):
            part = slice(start, start + step)
            bits = np.unpackbits(np.ascontiguousarray(masks[:, part]).view(np.uint8), axis=1)
            total = points @ bits.astype(np.float32)  # exact: points add up to 2^22 at most
            found[part] = np.packbits(total > rows.bound).view(np.uint64)
        return found
