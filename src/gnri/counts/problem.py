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

from gnri.counts.block import literal_codes, pack
from gnri.counts.counter import Counter
from gnri.counts.rail import DeferredRail, PackedRail, Rail
from gnri.episode import Episode
from gnri.rules.dnf import Literal, SignedDNF
from gnri.rules.row_expression import EVERYTHING, cover

Class = frozenset[Literal]

ROOM = 24
"""Clauses of a rule, at most, for classes to be written as votes of their members."""

_LEADING = 24  # literals that rows are sorted by


@dataclass(frozen=True, eq=False)
class Problem:
    """The classes of identical literals, and the search problem of each rail."""

    classes: tuple[Class, ...]
    rails: tuple[Rail, Rail]  # the positive rows as target, then the negative rows

    @classmethod
    def from_episode(cls, episode: Episode, negations: bool = True) -> "Problem":
        """Return the problem of the labelled rows of an episode; each literal costs 0."""
        kinds = np.select([episode.labels == 1, episode.labels == -1], [0, 1], -1)
        counter = Counter.from_values(episode.values, kinds, 2)
        (found,) = cls.from_counter(counter, episode.atoms, {0: episode.weights}, negations)
        return found

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
        rows are in memory, the rails hold bit masks; else they count where the rows are.
        """
        classes, literals, codes = _tell_literals(counter, atoms, negations, list(targets))
        found = counter.truth(literals)
        for (kind, weights), pair in zip(targets.items(), codes, strict=True):
            rails: tuple[Rail, Rail]
            if found is None:
                rails = (
                    DeferredRail(counter, literals, kind, weights, pair[0]),
                    DeferredRail(counter, literals, kind, weights[::-1], pair[1], swapped=True),
                )
            else:
                truth, kinds = found
                parts = truth[:, kinds == kind], truth[:, kinds != kind]
                rails = _pack(parts, literals % 2 == 0, weights, pair)
            yield cls(classes, rails)

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


def _pack(
    parts: tuple[NDArray[np.bool_], NDArray[np.bool_]],
    positive: NDArray[np.bool_],
    weights: tuple[int, int],
    codes: NDArray[np.uint64],
) -> tuple[PackedRail, PackedRail]:
    """Return the rails of rows in memory, from the truth of literals on the rows of each side."""
    first, second = (pack(np.take(part, _sort_rows(part[positive]), axis=1)) for part in parts)
    words, swapped = np.hstack([first, second]), np.hstack([second, first])
    rows = parts[0].shape[1], parts[1].shape[1]
    return (
        PackedRail(words, rows, weights, codes[0]),
        PackedRail(swapped, rows[::-1], weights[::-1], codes[1], swapped=True),
    )


def _sort_rows(truth: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return an order of rows, similar ones together: what few rows share then lies in few words.

    By the literals that are true on nearest to half of them; no count depends on the order of rows.
    """
    balance = np.abs(np.count_nonzero(truth, axis=1) * 2 - truth.shape[1])
    leading = truth[np.argsort(balance, kind="stable")[:_LEADING]]
    octets = np.zeros((_LEADING // 8, truth.shape[1]), np.uint8)
    octets[: -(-len(leading) // 8)] = np.packbits(leading, axis=0)
    return np.lexsort(octets[::-1])


def _tell_literals(
    counter: Counter, atoms: int, negations: bool, targets: Sequence[int]
) -> tuple[tuple[Class, ...], NDArray[np.intp], NDArray[np.uint64]]:
    """Return the classes of literals that say something, the number of one of each, and its code.

    The codes (targets, 2 rails, classes) depend on no order; see `literal_codes`.
    """
    every = np.arange(0, 2 * atoms, 1 if negations else 2)
    true = counter.counts([EVERYTHING], every)[0]
    told = (true.sum(axis=0) > 0) & (true.sum(axis=0) < counter.rows.sum())
    groups: dict[bytes, list[int]] = {}
    answers = counter.answers([cover([i]) for i in every.tolist()])
    for i in np.flatnonzero(told).tolist():
        groups.setdefault(answers[i], []).append(int(every[i]))
    classes = tuple(frozenset(Literal(i // 2, i % 2 == 0) for i in one) for one in groups.values())
    literals = np.array([group[0] for group in groups.values()], np.intp)
    mine = np.arange(len(counter.rows)) == np.array(targets)[:, None]
    members = np.stack([mine, ~mine], axis=1).reshape(2 * len(targets), -1)
    sums = partial(counter.code_sums, literals)
    codes = literal_codes(true[:, np.searchsorted(every, literals)], members, sums)
    return classes, literals, codes.reshape(len(targets), 2, len(classes))
