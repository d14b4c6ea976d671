"""The table of `tabulate`, made of blocks wherever they are: the same classes, codes and counts.

A mask of its rails is an array of one word, and that word is a selection: what stands for the rows
in place of their bits. The search combines and stacks such masks as it does any others.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from functools import cached_property, partial
from hashlib import blake2b
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from gnri.counts import block as on_block
from gnri.counts.blocks import Blocks
from gnri.counts.fingerprint import LITERAL, ROUNDS, ROW, mix
from gnri.counts.halving import Halved, halved
from gnri.counts.rail import LOG_UNIT, Clause, Rail
from gnri.counts.table import Table
from gnri.rules.dnf import Literal
from gnri.rules.row_expression import EVERYTHING, Rows, cover

_WORD = 64
_REMEMBERED = 1 << 22  # numbers kept for later


class Counter:
    """What can be asked of the rows `within` a selection: counts by class.

    What was asked lately is not counted again.
    """

    def __init__(self, blocks: Blocks, within: Rows = EVERYTHING) -> None:
        self.blocks, self.within = blocks, within
        self._sizes = _Memory()
        self._counts: dict[int, tuple[Halved, _Memory]] = {}  # by the identity of the literals

    def sizes(self, selections: Sequence[Rows]) -> NDArray[np.int64]:
        """Rows of each class: (selections, classes)."""
        return self._sizes.answer(selections, self._count_sizes)

    def counts(self, selections: Sequence[Rows], literals: NDArray[np.intp]) -> NDArray[np.int64]:
        """Those where each literal is true besides: (selections, classes, literals)."""
        if id(literals) not in self._counts:
            self._counts[id(literals)] = self._first_counts(literals)
        half, memory = self._counts[id(literals)]
        return memory.answer(
            selections, lambda fresh: half.whole(self._count_literals(fresh, half.counted))
        )

    def _first_counts(self, literals: NDArray[np.intp]) -> "tuple[Halved, _Memory]":
        """What to count of the literals, seen by counting all of them once."""
        memory = _Memory()
        found = self._count_literals([EVERYTHING], literals)[..., :-1]
        memory.answer([EVERYTHING], lambda _: found)
        return halved(literals, found[0].sum(axis=0), int(self.rows.sum())), memory

    def rest(self, taken: Rows) -> "Counter":
        """The same of the rows that are not taken."""
        return Counter(self.blocks, self.within & ~taken)

    def _count_sizes(self, selections: list[Rows]) -> NDArray[np.int64]:
        return self.blocks.total(partial(on_block.sizes, selections=self._inside(selections)))

    def _count_literals(
        self, selections: list[Rows], literals: NDArray[np.intp]
    ) -> NDArray[np.int64]:
        inside = self._inside(selections)
        return self.blocks.total(partial(on_block.counts, selections=inside, literals=literals))

    def _inside(self, selections: Sequence[Rows]) -> list[Rows]:
        return [rows & self.within for rows in selections]

    def answers(self, selections: Sequence[Rows]) -> list[bytes]:
        """A digest of the rows in each selection: equal where these are the same rows."""
        work = partial(on_block.answers, selections=self._inside(selections))
        return _joined(self.blocks.listed(work))

    @cached_property
    def literal_answers(self) -> list[bytes]:
        """The same for each literal."""
        return _joined(self.blocks.listed(partial(on_block.literal_answers, within=self.within)))

    def code_sums(
        self, literals: NDArray[np.intp], codes: NDArray[np.uint64], roles: NDArray[np.uint64]
    ) -> NDArray[np.uint64]:
        """A round of colour refinement; see `block.code_sums`."""
        work = partial(on_block.code_sums, within=self.within, literals=literals)
        return self.blocks.total(partial(work, codes=codes, roles=roles))

    @cached_property
    def rows(self) -> NDArray[np.int64]:
        """The rows of each class."""
        return self.sizes([EVERYTHING])[0]


class _Memory:
    """Counts of selections, as many as there is room for."""

    def __init__(self) -> None:
        self._known: dict[Rows, NDArray[np.int64]] = {}

    def answer(
        self, selections: Sequence[Rows], count: Callable[[list[Rows]], NDArray[np.int64]]
    ) -> NDArray[np.int64]:
        """What `count` says of each selection; it is asked only for those that are not known."""
        known = self._known
        fresh = [rows for rows in dict.fromkeys(selections) if rows not in known]
        if fresh:
            found = count(fresh)
            known |= zip(fresh, found, strict=True)
        answers = np.stack([known[rows] for rows in selections])
        if len(known) * answers[0].size > _REMEMBERED:
            known.clear()
        return answers


class Side(NamedTuple):
    """Whose rows are the target: those of a class, or those of all the others.

    A row of the class counts `weights[0]` times, one of another class `weights[1]` times.
    """

    kind: int
    others: bool
    weights: tuple[int, int]

    def split(self, by_class: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Counts (..., classes) as those of the target and those of the rest."""
        mine = by_class[..., self.kind]
        rest = by_class.sum(axis=-1) - mine
        mine, rest = mine * self.weights[0], rest * self.weights[1]
        return (rest, mine) if self.others else (mine, rest)

    def stricter(self, times: int) -> "Side":
        """The same where the rows of the rest count so many times as often."""
        mine, rest = self.weights
        weights = (mine * times, rest) if self.others else (mine, rest * times)
        return self._replace(weights=weights)


class CountedRail(Rail):
    """A rail whose rows are counted where they are; `split` is 0, as a mask is of one piece.

    `literals` are the numbers that the literal classes have in the blocks.
    """

    def __init__(
        self,
        counter: Counter,
        literals: NDArray[np.intp],
        codes: NDArray[np.uint64],
        side: Side,
    ) -> None:
        self.counter, self.literals, self.side = counter, literals, side
        self.target, self.rest = map(int, side.split(counter.rows))
        self.split = 0
        self.words: Any = _Words(literals, side._replace(weights=(1, 1)).split(counter.rows))
        self._tell_apart(codes, np.zeros(len(literals), np.int64))

    def stricter(self, times: int) -> Self:
        rail = copy(self)
        rail.side, rail.rest = self.side.stricter(times), self.rest * times
        return rail

    @cached_property
    def everything(self) -> NDArray[Any]:
        return _mask(EVERYTHING)

    def cover(self, clause: Clause) -> NDArray[Any]:
        return _mask(cover(self.literals[list(clause)].tolist()))

    def size(self, masks: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        found = self.counter.sizes(masks[..., 0].reshape(-1).tolist())
        return self.side.split(found.reshape(*masks.shape[:-1], -1))

    def count(self, masks: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        found = self.counter.counts(masks[:, 0].tolist(), self.literals)
        return self.side.split(found.transpose(0, 2, 1))

    def information(
        self,
        target: NDArray[np.int64],
        rest: NDArray[np.int64],
        among: tuple[int, int],
    ) -> NDArray[np.int64]:
        all_target, all_rest = among
        start = int(_log(all_target) - _log(all_target + all_rest))
        return target * (_log(target) - _log(target + rest) - start)


class _Words:
    """A mask for each literal class; `size` is that of the words they would fill if packed."""

    def __init__(self, literals: NDArray[np.intp], rows: Iterable[Any]) -> None:
        self._masks = np.array([[cover([i])] for i in literals.tolist()], object).reshape(-1, 1)
        self.size = len(literals) * sum(-(-int(part) // _WORD) for part in rows)

    def __len__(self) -> int:
        return len(self._masks)

    def __getitem__(self, places: Any) -> NDArray[Any]:
        return self._masks[places]


def counted_tables(
    counter: Counter, atoms: int, targets: Mapping[int, int], negations: bool = True
) -> list[Table]:
    """For each class in `targets` the table in which it is positive and the others negative.

    Its rows count there as often as `targets` says.
    """
    groups = _identical(counter, atoms, negations)
    kept = np.array([group[0] for group in groups], np.intp)
    classes = tuple(frozenset(Literal(i // 2, i % 2 == 0) for i in group) for group in groups)
    sides = [
        Side(kind, others, (weight, 1))
        for kind, weight in targets.items()
        for others in (False, True)
    ]
    codes = _codes(counter, kept, sides)
    rails = [CountedRail(counter, kept, *pair) for pair in zip(codes, sides, strict=True)]
    return [
        Table(classes, (one, other)) for one, other in zip(rails[::2], rails[1::2], strict=True)
    ]


def _identical(counter: Counter, atoms: int, negations: bool) -> list[list[int]]:
    """The literals that are true on some rows and not on all, in groups of equal truth."""
    literals = np.arange(0, 2 * atoms, 1 if negations else 2)
    true = counter.counts([EVERYTHING], literals)[0].sum(axis=0)
    told = literals[(true > 0) & (true < counter.rows.sum())]
    groups: dict[bytes, list[int]] = {}
    for i in told.tolist():
        groups.setdefault(counter.literal_answers[i], []).append(i)
    return list(groups.values())


def _codes(
    counter: Counter, literals: NDArray[np.intp], sides: Sequence[Side]
) -> NDArray[np.uint64]:
    """The codes that `fingerprints` gives the literals, on each side: (sides, literals)."""
    kinds = np.arange(len(counter.rows))
    members = np.array([(kinds == side.kind) != side.others for side in sides])
    roles = mix(members.astype(np.uint64) + ROW)
    colour = mix(np.zeros(1, np.uint64) + LITERAL)
    true = counter.counts([EVERYTHING], literals)[0].astype(np.uint64)
    codes = mix(colour + mix(roles @ true))
    for _ in range(ROUNDS - 1):
        codes = mix(colour + mix(counter.code_sums(literals, codes, roles)))
    return codes


def _joined(by_block: list[list[bytes]]) -> list[bytes]:
    """The digests of all blocks as one, for each of what they are digests of."""
    size = on_block.DIGEST
    parts = zip(*by_block, strict=True)
    return [blake2b(b"".join(part), digest_size=size).digest() for part in parts]


def _log(counts: NDArray[np.int64] | int) -> NDArray[np.int64]:
    """log2 in LOG_UNIT; of 0, anything."""
    return np.rint(np.log2(np.maximum(counts, 1)) * LOG_UNIT).astype(np.int64)


def _mask(rows: Rows) -> NDArray[Any]:
    mask = np.empty(1, object)
    mask[0] = rows
    return mask
