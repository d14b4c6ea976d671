"""Classes of identical literals, and the two rails on which rules of them are searched.

Literals that are true on the same rows (a column, its copy, the negation of its complement) are
one class: no symmetric method can tell its members apart, so that they are counted once, priced as
their cheapest member, and written together. Literals that are true on all rows, or on none, say
nothing and are left out.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, product
from math import comb, prod

import numpy as np
from numpy.typing import NDArray

from gnri.counts.block import block_of, literal_codes, truth_of
from gnri.counts.blocks import MemoryBlocks
from gnri.counts.counter import Counter
from gnri.counts.rail import DeferredRail, PackedRail, Rail, Side
from gnri.episode import Episode
from gnri.rules.dnf import Literal, SignedDNF
from gnri.rules.row_expression import EVERYTHING

Class = frozenset[Literal]

ROOM = 24
"""Clauses of a rule, at most, for classes to be written as votes of their members."""

_LEADING = 24  # atoms that rows are sorted by


@dataclass(frozen=True, eq=False)
class Problem:
    """The classes of identical literals, and the search problem of each rail."""

    classes: tuple[Class, ...]
    rails: tuple[Rail, Rail]  # the positive rows as target, then the negative rows

    @classmethod
    def from_episode(cls, episode: Episode, negations: bool = True) -> "Problem":
        """Return the problem of the labelled rows of an episode; each literal costs 0."""
        parts = [episode.values[episode.labels == sign] for sign in (1, -1)]
        return _pack(parts, episode.weights, negations)

    @classmethod
    def from_counter(
        cls,
        counter: Counter,
        atoms: int,
        targets: Mapping[int, tuple[int, int]],
        negations: bool = True,
    ) -> Iterator["Problem"]:
        """Yield for each class in `targets` the problem to tell its rows from all others.

        `targets` says how often a row of the class counts, and how often one of another. Where the
        rows are in memory, the rails are those of `from_episode`, one problem at a time; else
        they count where the rows are.
        """
        table = counter.table()
        if table is None:
            yield from _defer(counter, atoms, targets, negations)
            return
        values, codes = table
        for kind, weights in targets.items():
            parts = [values[codes == kind], values[codes != kind]]
            yield _pack(parts, weights, negations)

    @property
    def decidable(self) -> bool:
        """Whether there are two classes of rows, and a literal that tells some of them apart."""
        return bool(self.classes) and 0 not in (self.rails[0].target, self.rails[0].rest)

    def index(self) -> dict[Literal, int]:
        """Return which class each literal belongs to."""
        return {literal: i for i, members in enumerate(self.classes) for literal in members}

    def priced(self, prices: NDArray[np.int64]) -> "Problem":
        """Return it with the prices (2 rails, atoms, 2); a class costs what its cheapest does."""
        members = [[(x.atom, 1 - x.positive) for x in c] for c in self.classes]
        return self.with_prices(
            *(np.array([min(part[x] for x in c) for c in members], np.int64) for part in prices)
        )

    def with_prices(self, first: NDArray[np.int64], second: NDArray[np.int64]) -> "Problem":
        """Return it with a price for each class of literals, those of each rail."""
        return Problem(self.classes, (self.rails[0].priced(first), self.rails[1].priced(second)))

    def to_rule(self, rail: int, clauses: Iterable[Iterable[int]], room: int = ROOM) -> SignedDNF:
        """Return clauses of classes as a rule; on rail 1, of the negative rows, its complement."""
        found = [[self.classes[i] for i in clause] for clause in clauses]
        return SignedDNF(expand_classes(found, room), positive=rail == 0)


def expand_classes(
    clauses: Collection[Sequence[Class]], room: int = ROOM
) -> list[frozenset[Literal]]:
    """Return each clause, a conjunction of classes, in literals.

    On the rows at hand the members of a class are true together. On new rows they may part, and no
    symmetric rule can prefer one of them: so a class holds where more than half of its members do.
    Where the votes of all classes would make more than `room` clauses, every class is written as
    the conjunction of its members instead.

    >>> a, b, c = (Literal(atom, True) for atom in range(3))
    >>> [sorted(clause) for clause in expand_classes([[frozenset([a])]])] == [[a]]
    True
    >>> votes = expand_classes([[frozenset([a, b, c])]])
    >>> sorted(map(sorted, votes)) == [[a, b], [a, c], [b, c]]
    True
    """
    if sum(prod(map(_votes, clause)) for clause in clauses) > min(room, ROOM):
        return [frozenset[Literal]().union(*clause) for clause in clauses]
    return [
        frozenset[Literal]().union(*chosen)
        for clause in clauses
        for chosen in product(*map(_majorities, clause))
    ]


def _majorities(members: Class) -> Iterable[tuple[Literal, ...]]:
    return combinations(sorted(members), _majority(members))


def _votes(members: Class) -> int:
    return comb(len(members), _majority(members))


def _majority(members: Class) -> int:
    return len(members) // 2 + 1


def _pack(parts: Sequence[NDArray[np.int8]], weights: tuple[int, int], negations: bool) -> Problem:
    """Return the problem of rows in memory: the positive ones, then the negative ones."""
    block = block_of([truth_of(_sort_rows(part)) for part in parts])
    counter = Counter(MemoryBlocks([block]))
    sides = [Side(0, others, weights) for others in (False, True)]
    classes, literals, codes = _tell_literals(counter, parts[0].shape[1], negations, sides)
    first, second = np.split(block.words[literals], [block.bounds[1]], axis=1)
    words, swapped = np.hstack([first, second]), np.hstack([second, first])
    rows = len(parts[0]), len(parts[1])
    rail = PackedRail(words, codes[0], rows, weights)
    other = PackedRail(swapped, codes[1], rows[::-1], weights[::-1], swapped=True)
    return Problem(classes, (rail, other))


def _sort_rows(values: NDArray[np.int8]) -> NDArray[np.int8]:
    """Return the rows, similar ones together: what few rows share then lies in few words.

    By the atoms that are true on nearest to half of them; no count depends on the order of rows.
    """
    balance = np.abs((values > 0).sum(axis=0) * 2 - len(values))
    leading = np.argsort(balance, kind="stable")[:_LEADING]
    return values[np.lexsort((values[:, leading] > 0).T[::-1])]


def _defer(
    counter: Counter, atoms: int, targets: Mapping[int, tuple[int, int]], negations: bool
) -> Iterator[Problem]:
    """Yield the problems of rows that are counted where they are."""
    sides = [Side(kind, others, pair) for kind, pair in targets.items() for others in (False, True)]
    classes, literals, codes = _tell_literals(counter, atoms, negations, sides)
    made = [DeferredRail(counter, literals, *pair) for pair in zip(codes, sides, strict=True)]
    for one, other in zip(made[::2], made[1::2], strict=True):
        yield Problem(classes, (one, other))


def _tell_literals(
    counter: Counter, atoms: int, negations: bool, sides: Sequence[Side]
) -> tuple[tuple[Class, ...], NDArray[np.intp], NDArray[np.uint64]]:
    """Return the classes of literals that say something, the number of one of each, and its code.

    The codes (sides, classes) depend on no order; see `fingerprint`.
    """
    every = np.arange(0, 2 * atoms, 1 if negations else 2)
    true = counter.counts([EVERYTHING], every)[0]
    told = (true.sum(axis=0) > 0) & (true.sum(axis=0) < counter.rows.sum())
    groups: dict[bytes, list[int]] = {}
    for i in every[told].tolist():
        groups.setdefault(counter.literal_answers[i], []).append(i)
    classes = tuple(frozenset(Literal(i // 2, i % 2 == 0) for i in one) for one in groups.values())
    literals = np.array([group[0] for group in groups.values()], np.intp)
    kinds = np.arange(len(counter.rows))
    members = np.array([(kinds == side.kind) != side.others for side in sides])
    sums = partial(counter.code_sums, literals)
    codes = literal_codes(true[:, np.searchsorted(every, literals)], members, sums)
    return classes, literals, codes
