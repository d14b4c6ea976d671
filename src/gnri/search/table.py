"""The literals of an episode as packed bits, and the two rails on which they are searched.

Literals that are true on the same labelled rows (a column, its copy, the negation of its
complement) are one class: no symmetric method can tell its members apart, so that they are counted
once, priced as their cheapest member, and written together. Literals that are true on all labelled
rows, or on none, say nothing and are left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gnri.counts.fingerprint import fingerprints
from gnri.episodes.episode import Episode
from gnri.logic.formula import Literal
from gnri.search.rail import Rail

_WORD = 64
_LEADING = 24  # atoms that rows are sorted by


@dataclass(frozen=True, eq=False)
class Table:
    """The classes of identical literals, and the search problem of each rail."""

    classes: tuple[frozenset[Literal], ...]
    rails: tuple[Rail, Rail]  # the positive rows as target, then the negative rows

    def index(self) -> dict[Literal, int]:
        """Which class each literal belongs to."""
        return {literal: i for i, members in enumerate(self.classes) for literal in members}


def tabulate(episode: Episode, prices: NDArray[np.int64], negations: bool = True) -> Table:
    """The labelled rows of an episode, packed."""
    blocks = [_truth(_sorted(episode.values[episode.labels == s]), negations) for s in (1, -1)]
    packed = [_pack(block) for block in blocks]
    words = np.concatenate(packed, axis=1)
    groups = _identical(words, _informative(blocks))
    kept = np.array([group[0] for group in groups], np.intp)
    price = prices[:, : 1 + negations].ravel()
    cheapest = np.array([price[group].min() for group in groups], np.int64)
    rails = tuple(
        _rail([packed[i][kept] for i in order], [blocks[i][kept] for i in order], cheapest)
        for order in ((0, 1), (1, 0))
    )
    literals = [Literal(atom, sign) for atom in range(episode.atoms) for sign in _signs(negations)]
    classes = tuple(frozenset(literals[i] for i in group) for group in groups)
    return Table(classes, (rails[0], rails[1]))


def _rail(
    packed: Sequence[NDArray[np.uint64]],
    blocks: Sequence[NDArray[np.bool_]],
    prices: NDArray[np.int64],
) -> Rail:
    """The rail whose target rows are those of the first block."""
    sizes = [block.shape[1] for block in blocks]
    truth = np.concatenate(blocks, axis=1).T
    codes = fingerprints(truth, np.repeat([1, 0], sizes), prices).literals
    return Rail(np.concatenate(packed, axis=1), codes, prices, (sizes[0], sizes[1]))


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
