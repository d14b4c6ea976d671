"""The literals of an episode as packed bits, and the two rails on which they are searched.

Literals that are true on the same labelled rows (a column, its copy, the negation of its
complement) are one class: no symmetric method can tell its members apart, so that they are counted
once, priced as their cheapest member, and written together: see `spelling`. Literals that are true
on all labelled rows, or on none, say nothing and are left out.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gnri.counts.fingerprint import fingerprints
from gnri.counts.rail import Rail
from gnri.counts.spelling import ROOM, spelt
from gnri.episode import Episode
from gnri.rules.dnf import Literal, SignedDNF

_WORD = 64
_LEADING = 24  # atoms that rows are sorted by


@dataclass(frozen=True, eq=False)
class Table:
    """The classes of identical literals, and the search problem of each rail."""

    classes: tuple[frozenset[Literal], ...]
    rails: tuple[Rail, Rail]  # the positive rows as target, then the negative rows

    @property
    def decidable(self) -> bool:
        """Whether there are two classes of rows, and a literal that tells some of them apart."""
        return bool(self.classes) and 0 not in (self.rails[0].target, self.rails[0].rest)

    def index(self) -> dict[Literal, int]:
        """Which class each literal belongs to."""
        return {literal: i for i, members in enumerate(self.classes) for literal in members}

    def priced(self, prices: NDArray[np.int64]) -> "Table":
        """The same with the prices (2 rails, atoms, 2); a class costs what its cheapest does."""
        members = [[(x.atom, 1 - x.positive) for x in c] for c in self.classes]
        return self.with_prices(
            *(np.array([min(part[x] for x in c) for c in members], np.int64) for part in prices)
        )

    def with_prices(self, first: NDArray[np.int64], second: NDArray[np.int64]) -> "Table":
        """The same with a price for each class of literals, those of each rail."""
        return Table(self.classes, (self.rails[0].priced(first), self.rails[1].priced(second)))

    def rule(self, rail: int, clauses: Iterable[Iterable[int]], room: int = ROOM) -> SignedDNF:
        """Clauses of classes as a rule: on rail 1 a rule of the negative rows, so a complement."""
        found = [[self.classes[i] for i in clause] for clause in clauses]
        return SignedDNF(spelt(found, room), positive=rail == 0)


def tabulate(episode: Episode, negations: bool = True) -> Table:
    """The labelled rows of an episode, packed; each literal at the price of 0."""
    blocks = [_truth(_sorted(episode.values[episode.labels == s]), negations) for s in (1, -1)]
    packed = [_pack(block) for block in blocks]
    words = np.concatenate(packed, axis=1)
    groups = _identical(words, _informative(blocks))
    kept = np.array([group[0] for group in groups], np.intp)
    rails = tuple(
        _rail(
            [packed[i][kept] for i in order],
            [blocks[i][kept] for i in order],
            (episode.weights[order[0]], episode.weights[order[1]]),
        )
        for order in ((0, 1), (1, 0))
    )
    literals = [Literal(atom, sign) for atom in range(episode.atoms) for sign in _signs(negations)]
    classes = tuple(frozenset(literals[i] for i in group) for group in groups)
    return Table(classes, (rails[0], rails[1]))


def _rail(
    packed: Sequence[NDArray[np.uint64]],
    blocks: Sequence[NDArray[np.bool_]],
    weights: tuple[int, int],
) -> Rail:
    """The rail whose target rows are those of the first block."""
    sizes = [block.shape[1] for block in blocks]
    truth = np.concatenate(blocks, axis=1).T
    codes = fingerprints(truth, np.repeat([1, 0], sizes), np.zeros(truth.shape[1], int)).literals
    words = np.concatenate(packed, axis=1)
    return Rail(words, codes, (sizes[0], sizes[1]), weights=weights)


def _sorted(values: NDArray[np.int8]) -> NDArray[np.int8]:
    """The rows, similar ones together: what few rows share then lies in few words.

    By the atoms that are true on nearest to half of them; no count depends on the order of rows.
    """
    balance = np.abs((values > 0).sum(axis=0) * 2 - len(values))
    leading = np.argsort(balance, kind="stable")[:_LEADING]
    return values[np.lexsort((values[:, leading] > 0).T[::-1])]


def _signs(negations: bool) -> tuple[bool, ...]:
    return (True, False) if negations else (True,)


def _truth(values: NDArray[np.int8], negations: bool) -> NDArray[np.bool_]:
    """Truth of each literal on each row, as (literals, rows); a missing cell makes none true."""
    table = np.ascontiguousarray(values.T)
    signs = [table > 0, table < 0] if negations else [table > 0]
    return np.stack(signs, axis=1).reshape(len(signs) * len(table), values.shape[0])


def _pack(truth: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Rows as bits: (literals, words), the last word filled up with zeros."""
    words = -(-truth.shape[1] // _WORD)
    packed = np.zeros((len(truth), words * _WORD // 8), np.uint8)
    bits = np.packbits(truth, axis=1)
    packed[:, : bits.shape[1]] = bits
    return packed.view(np.uint64)


def _informative(blocks: Sequence[NDArray[np.bool_]]) -> NDArray[np.intp]:
    """The literals that are true on some labelled row and not on all."""
    true = sum(block.sum(axis=1) for block in blocks)
    return np.flatnonzero((true > 0) & (true < sum(block.shape[1] for block in blocks)))


def _identical(words: NDArray[np.uint64], literals: NDArray[np.intp]) -> list[list[int]]:
    """The given literals, in groups of equal truth."""
    groups: dict[bytes, list[int]] = {}
    for i in literals.tolist():
        groups.setdefault(words[i].tobytes(), []).append(i)
    return list(groups.values())
