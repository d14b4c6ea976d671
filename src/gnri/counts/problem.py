"""Classes of identical literals, and the two rails on which their rules are searched.

Literals that are true on the same rows (a column, its copy, the negation of its complement) form
one class. No symmetric method can tell its members apart, so they are counted once, cost as much
as the cheapest member, and are written together. Literals that are true on all rows, or on none,
are left out.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import combinations, product
from math import comb, prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gnri.counts.block import WORD, Block, literal_codes, pack, unpack
from gnri.counts.counter import Counter
from gnri.counts.rail import DeferredRail, PackedRail, Rail
from gnri.data.schema import Schema
from gnri.episode import Episode
from gnri.rules.dnf import Literal, SignedDNF
from gnri.rules.row_expression import EVERYTHING, Rows, cover, mix

Class = frozenset[Literal]

FoundClasses = tuple[tuple[Class, ...], NDArray[np.intp], NDArray[np.uint64]]

MAX_VOTE_CLAUSES = 24
"""Clauses, at most, of a rule in which classes are written as votes of their members."""

MOST_CHANCE = 1000
"""Columns are no twins if one table in so many, or more, would have such a pair by chance."""

_REPACKED_BITS = 1 << 24  # bits that are unpacked at a time


class Allowed(NamedTuple):
    """Which literals a rule may hold, and what they cost.

    `barred` has for each class the literals that may not speak for it; their negations may not
    speak against it. The price of a literal is multiplied by the factor of its atom, or by 1.
    """

    barred: Mapping[int, Collection[Literal]]
    factors: Mapping[int, Fraction]

    def choose(self, classes: Sequence[Class], kind: int, rail: int) -> list[Class]:
        """Return what is left of each class on a rail: the cheapest members that may be used."""
        barred = self.barred.get(kind, ())
        found = []
        for members in classes:
            left = {one for one in members if (~one if rail else one) not in barred}
            least = min(map(self.factor, left), default=1)
            found.append(frozenset(one for one in left if self.factor(one) == least))
        return found

    def factor(self, literal: Literal) -> Fraction:
        """Return what the price of a literal is multiplied by."""
        return self.factors.get(literal.atom, Fraction(1))


@dataclass(frozen=True, eq=False)
class Problem:
    """The classes of identical literals, and the search problem of each rail.

    Where constraints make them differ, `others` are the classes of the second rail, and `factors`
    what the price of each class is multiplied by, on each rail.
    """

    classes: tuple[Class, ...]
    rails: tuple[Rail, Rail]  # the positive rows as target, then the negative rows
    others: tuple[Class, ...] | None = None
    factors: tuple[Sequence[Fraction], Sequence[Fraction]] | None = None

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
        allowed: Allowed | None = None,
    ) -> Iterator["Problem"]:
        """Yield the problem of each class in `targets`: its rows against all others.

        `targets` gives the weights of a row of the class, and of any other. Where the rows are in
        memory, the rails hold bit masks; else they count where the rows are.
        """
        classes, literals, codes = find_classes(counter, atoms, negations, list(targets))
        for (kind, weights), pair in zip(targets.items(), codes, strict=True):
            if allowed is None:
                yield cls(classes, _make_rails(counter, literals, kind, weights, pair))
            else:
                found = classes, literals, pair
                yield _make_allowed(counter, found, kind, weights, allowed)

    @property
    def is_learnable(self) -> bool:
        """Whether there are positive and negative rows, and a literal that some rows differ in."""
        some = len(self.rails[0].words) and len(self.rails[1].words)
        return bool(some) and 0 not in (self.rails[0].target, self.rails[0].rest)

    def price(self, rail: int, prices: NDArray[np.int64]) -> Rail:
        """Return a rail with these prices of its classes, times their factors."""
        prices = np.rint(prices * self.rails[rail].row_copies).astype(np.int64)
        if self.factors is not None:
            pairs = zip(prices.tolist(), self.factors[rail], strict=True)
            prices = np.array([round(price * factor) for price, factor in pairs], np.int64)
        return self.rails[rail].with_prices(prices)

    def index(self) -> dict[Literal, int]:
        """Return the class of each literal, by its place."""
        return {literal: i for i, members in enumerate(self.classes) for literal in members}

    def with_prices(self, prices: NDArray[np.int64]) -> "Problem":
        """Return the problem with prices of literals (2 rails, atoms, 2)."""
        members = [[(x.atom, 1 - x.positive) for x in c] for c in self.classes]
        first, second = (
            rail.with_prices(np.array([min(part[x] for x in c) for c in members], np.int64))
            for rail, part in zip(self.rails, prices, strict=True)
        )
        return Problem(self.classes, (first, second))

    def to_rule(
        self, rail: int, clauses: Iterable[Iterable[int]], max_clauses: int = MAX_VOTE_CLAUSES
    ) -> SignedDNF:
        """Return clauses of classes as a rule; on the negative rail, as its complement."""
        classes = self.others if rail and self.others is not None else self.classes
        found = [[classes[i] for i in clause] for clause in clauses]
        return SignedDNF(expand_classes(found, max_clauses), positive=rail == 0)


def expand_classes(
    clauses: Collection[Sequence[Class]], max_clauses: int = MAX_VOTE_CLAUSES
) -> list[frozenset[Literal]]:
    """Return clauses of classes as clauses of literals.

    The members of a class are true together on the training rows, but may differ on new rows, and
    no symmetric rule can prefer one of them. So a class holds where more than half of its members
    do. Where these votes would make more than `max_clauses` clauses, every class is written as
    the conjunction of its members.
    """
    votes = sum(prod(comb(len(one), len(one) // 2 + 1) for one in clause) for clause in clauses)
    if votes > min(max_clauses, MAX_VOTE_CLAUSES):
        return [frozenset[Literal]().union(*clause) for clause in clauses]
    return [
        frozenset[Literal]().union(*chosen)
        for clause in clauses
        for chosen in product(*(combinations(sorted(one), len(one) // 2 + 1) for one in clause))
    ]


def _make_allowed(
    counter: Counter,
    found: tuple[Sequence[Class], NDArray[np.intp], NDArray[np.uint64]],
    kind: int,
    weights: tuple[int, int],
    allowed: Allowed,
) -> Problem:
    """Return the problem of a class with only the literals that are allowed on each rail."""
    classes, literals, codes = found
    sides, factors, rails = [], [], list[Rail]()
    for rail in (0, 1):
        left = allowed.choose(classes, kind, rail)
        places = np.array([i for i, members in enumerate(left) if members], np.intp)
        own = _make_rails(counter, literals[places], kind, weights, codes[:, places])
        rails.append(own[rail])
        sides.append(tuple(filter(None, left)))
        factors.append([allowed.factor(min(members)) for members in sides[-1]])
    return Problem(sides[0], (rails[0], rails[1]), sides[1], (factors[0], factors[1]))


def _make_rails(
    counter: Counter,
    literals: NDArray[np.intp],
    kind: int,
    weights: tuple[int, int],
    codes: NDArray[np.uint64],
) -> tuple[Rail, Rail]:
    """Return two rails; the target of the first are the rows of the class `kind`."""
    block, within = counter.blocks.whole, counter.within
    if block is None:
        one = DeferredRail(counter, literals, kind, weights, codes[0])
        other = DeferredRail(counter, literals, kind, weights[::-1], codes[1], swapped=True)
        one.row_copies = other.row_copies = counter.row_copies
        return one, other
    if within == EVERYTHING and block.classes == 2:  # each side has words of its own
        sides = Block(block.words[literals], block.present, block.bounds)
    else:
        there = unpack(block.masks().mask(within)[None])[0].view(np.bool_)
        mine = np.zeros_like(there)
        mine[WORD * block.bounds[kind] : WORD * block.bounds[kind + 1]] = True
        order = (mine, ~mine) if kind == 0 else (~mine, mine)
        bits = [np.flatnonzero(there & side) for side in order]
        step = max(1, _REPACKED_BITS // max(len(there), 1))
        pieces = np.split(literals, range(step, len(literals), step))
        words = np.vstack([_repack(block.words[piece], bits) for piece in pieces])
        split, end = -(-len(bits[0]) // WORD), words.shape[1]
        sides = Block(words, _repack(block.present[None], bits)[0], (0, split, end))
    first = PackedRail(sides, literals, weights, codes[0], kind == 0)
    first.row_copies = counter.row_copies
    return first, first.other_side(codes[1])


def _repack(words: NDArray[np.uint64], sides: Sequence[NDArray[np.intp]]) -> NDArray[np.uint64]:
    """Return the bits of each side in words of their own."""
    truth = unpack(words)
    return np.hstack([pack(np.take(truth, side, axis=1)) for side in sides])


def find_classes(
    counter: Counter, atoms: int, negations: bool, targets: Sequence[int]
) -> FoundClasses:
    """Return the classes of literals, the number of one member of each, and its codes.

    The codes are (targets, 2 rails, classes); see `literal_codes`.
    """
    asked = atoms, negations, tuple(targets)
    if asked not in counter.known_classes:
        counter.known_classes[asked] = _find_classes(counter, *asked)
    return counter.known_classes[asked]


def _find_classes(
    counter: Counter, atoms: int, negations: bool, targets: tuple[int, ...]
) -> FoundClasses:
    every = np.arange(0, 2 * atoms, 1 if negations else 2)
    true = counter.counts([EVERYTHING], every)[0]
    varies = (true.sum(axis=0) > 0) & (true.sum(axis=0) < counter.rows.sum())
    groups: dict[bytes, list[int]] = {}
    digests = counter.digests([cover([i]) for i in every.tolist()])
    for i in np.flatnonzero(varies).tolist():
        groups.setdefault(digests[i], []).append(int(every[i]))
    classes = tuple(frozenset(Literal(i // 2, i % 2 == 0) for i in one) for one in groups.values())
    literals = np.array([group[0] for group in groups.values()], np.intp)
    mine = np.arange(len(counter.rows)) == np.array(targets)[:, None]
    members = np.stack([mine, ~mine], axis=1).reshape(2 * len(targets), -1)
    sums = partial(counter.code_sums, literals)
    codes = literal_codes(true[:, np.searchsorted(every, literals)], members, sums)
    return classes, literals, codes.reshape(len(targets), 2, len(classes))


def mix_codes(classes: Sequence[Class], codes: NDArray[np.uint64], atoms: int) -> list[int]:
    """Return a code for each literal that no order or sign of rows, columns or labels changes.

    `codes` are those of `find_classes`; literals without a class have the code 0.
    """
    mixed = mix(mix(codes).sum(axis=1)).sum(axis=0).tolist()
    found = [0] * (2 * atoms)
    for members, code in zip(classes, mixed, strict=True):
        for literal in members:
            found[literal.number] = code
    return found


def find_twins(
    schema: Schema, counter: Counter, rank: Callable[[str], Any] | None = None
) -> dict[str, str]:
    """Return for each column that can be left out the one that says the same.

    The atoms of the two columns are the same on every row, or each other's negation. Of several
    columns the one of least rank is kept, then with the shortest name, then the first in the
    alphabet.

    >>> from gnri.data.schema import IsTrue
    >>> schema = Schema((IsTrue("working"), IsTrue("old"), IsTrue("retired")))
    >>> values = np.tile(np.array([[1, 1, -1], [-1, 1, 1], [0, -1, 0]], np.int8), (9, 1))
    >>> find_twins(schema, Counter.from_values(values, np.zeros(27, np.intp), 1))
    {'working': 'retired'}
    """
    every = np.arange(2 * len(schema.atoms))
    sizes = counter.counts([EVERYTHING], every)[0].sum(axis=0).tolist()
    keys, ways = column_keys(schema, counter), dict[str, int]()
    for place, atom in enumerate(schema.atoms):
        both = sizes[2 * place : 2 * place + 2]
        # In how many ways so many rows can be true and false, or a lower bound of it.
        ways[atom.column] = max(ways.get(atom.column, 0), comb(sum(both), min(*both, 12)))
    kept: dict[frozenset[frozenset[bytes]], str] = {}
    for name in sorted(keys, key=lambda name: (rank and rank(name), len(name), name)):
        kept.setdefault(keys[name], name)
    twins = {name: kept[key] for name, key in keys.items()}
    enough = MOST_CHANCE * comb(len(keys), 2)
    return {one: twin for one, twin in twins.items() if one != twin and ways[one] > enough}


def column_keys(schema: Schema, counter: Counter) -> dict[str, frozenset[frozenset[bytes]]]:
    """Return a key of each column; those that say the same on every row have the same."""
    digests, truths = counter.digests(_covers(schema)), dict[str, set[frozenset[bytes]]]()
    for place, atom in enumerate(schema.atoms):
        both = frozenset(digests[2 * place : 2 * place + 2])
        truths.setdefault(atom.column, set()).add(both)
    return {name: frozenset(truth) for name, truth in truths.items()}


def _covers(schema: Schema) -> list[Rows]:
    """Return the rows of each literal."""
    return [cover([i]) for i in range(2 * len(schema.atoms))]
