"""Some rows of a table as packed bits, and what is counted on them.

Literals are told apart by order-free 64-bit codes: colour refinement of the graph between rows and
literals. A literal's code is the mixed sum of the codes of the rows where it is true, a row's code
the mixed sum of the codes of its true literals. Sums are modulo 2^64, so that any order and any
chunking of rows and literals give the same codes.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.errors import ShapeError
from gnri.rules.row_expression import Masks, Rows

ROUNDS = 3
ROW, LITERAL = np.uint64(0x8A5CD789635D2DFF), np.uint64(0x121FD2155C472F96)

CodeSums = Callable[[NDArray[np.uint64], NDArray[np.uint64]], NDArray[np.uint64]]


def mix(codes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """A bijection of the 64-bit integers that looks random (the finaliser of splitmix64)."""
    codes = codes + np.uint64(0x9E3779B97F4A7C15)
    codes = (codes ^ (codes >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    codes = (codes ^ (codes >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return codes ^ (codes >> np.uint64(31))


def literal_codes(
    true: NDArray[np.int64], members: NDArray[np.bool_], code_sums: CodeSums
) -> NDArray[np.uint64]:
    """Return the codes of literals, in each of several splits of the classes in two.

    `true` (classes, literals) counts the rows where a literal is true, `members` (splits, classes)
    says which classes are the target. `code_sums` sums over rows, wherever they are: from the
    codes of literals (splits, literals), and what begins a row's code by its class (splits,
    classes), for each literal the sum of the codes of the rows where it is true.
    """
    roles = mix(members.astype(np.uint64) + ROW)
    colour = mix(np.zeros(1, np.uint64) + LITERAL)
    codes = mix(colour + mix(roles @ true.astype(np.uint64)))
    for _ in range(ROUNDS - 1):
        codes = mix(colour + mix(code_sums(codes, roles)))
    return codes


WORD = 64
DIGEST = 16  # bytes

_CACHED = 1 << 15  # words counted at a time, so that they stay in the cache
_AT_ONCE = 1 << 10  # words of rows whose codes are summed at a time
_FEW = 1 << 18  # bits that are multiplied faster than looked up in tables of octets
_HALF, _LOW = np.uint64(32), np.uint64((1 << 32) - 1)  # float64 adds 2^21 halves exactly
_MEMBERS = np.unpackbits(np.arange(256, dtype=np.uint8)[None], axis=0).astype(np.uint64)
"""Which of eight literals are true, by the octet they make: (8, 256)."""


@dataclass(frozen=True, eq=False)
class Block:
    """The truth of every literal on some rows, those of each class in words of their own.

    Literal 2 i says that atom i is true, 2 i + 1 that it is false. Bits where there is no row are
    zero. Each row stands for `weight` rows that are alike. `numbers` are those of the rows in
    the table, in the order of their bits, where they are known.
    """

    words: NDArray[np.uint64]  # (literals, words)
    present: NDArray[np.uint64]  # (words,): where there is a row
    bounds: tuple[int, ...]  # the first word of each class, and the end
    weight: int = 1
    numbers: NDArray[np.intp] | None = None

    @property
    def classes(self) -> int:
        return len(self.bounds) - 1

    def masks(self) -> Masks:
        return Masks(self.words, self.present)


def block_of(truth: Sequence[NDArray[np.bool_]]) -> Block:
    """The block of the rows of each class, their truths as (literals, rows)."""
    packed = [pack(part) for part in truth]
    present = [pack(np.ones((1, part.shape[1]), np.bool_))[0] for part in truth]
    bounds = np.cumsum([0, *(part.shape[1] for part in packed)]).tolist()
    return Block(np.concatenate(packed, axis=1), np.concatenate(present), tuple(bounds))


def block_from_values(values: NDArray[np.int8], codes: NDArray[np.integer], classes: int) -> Block:
    """Return the block of rows in memory, from their atoms (rows, atoms) and class codes."""
    if values.ndim != 2 or len(values) != len(codes):
        raise ShapeError(
            f"rows must have 2 axes, and a class for each row, got the shape {values.shape} and "
            f"{len(codes)} classes; pass one code for each row"
        )
    order = [np.flatnonzero(codes == kind) for kind in range(classes)]
    block = block_of([truth_of(values[rows]) for rows in order])
    return replace(block, numbers=np.concatenate(order))


def truth_of(values: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Return the truth of each literal on each row (literals, rows); a missing cell makes none."""
    atoms = np.ascontiguousarray(values.T)
    return np.stack([atoms > 0, atoms < 0], axis=1).reshape(2 * len(atoms), values.shape[0])


def find_rows(block: Block, where: Rows) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the bit of each row within an expression and its number, in the order of numbers.

    Where no numbers are known, the bits are the numbers.
    """
    present, mask = unpack(np.stack([block.present, block.masks().mask(where)])).view(np.bool_)
    bits = np.flatnonzero(mask)
    numbers = bits if block.numbers is None else block.numbers[mask[present]]
    order = np.argsort(numbers, kind="stable")
    return bits[order], numbers[order]


def truth_within(
    block: Block, within: Rows, literals: NDArray[np.intp] | slice
) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
    """Return the truth of literals on the rows within an expression, in the order of the table.

    As (literals, rows), and the class of each row.
    """
    bits, _ = find_rows(block, within)
    truth = np.take(unpack(block.words[literals]), bits, axis=1).view(np.bool_)
    return truth, np.searchsorted(block.bounds, bits // WORD, side="right") - 1


def joined(blocks: Sequence[Block]) -> Block:
    """One block of the rows of several of the same weight."""
    if len(blocks) == 1:
        return blocks[0]
    words, present, bounds = [], [], [0]
    for kind in range(blocks[0].classes):
        places = [slice(*block.bounds[kind : kind + 2]) for block in blocks]
        words += [block.words[:, place] for block, place in zip(blocks, places, strict=True)]
        present += [block.present[place] for block, place in zip(blocks, places, strict=True)]
        bounds.append(bounds[-1] + sum(place.stop - place.start for place in places))
    both = np.concatenate(words, axis=1), np.concatenate(present)
    return Block(*both, tuple(bounds), blocks[0].weight)


def pack(truth: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Truth (literals, rows) as bits (literals, words), the last word filled up with zeros."""
    packed = np.zeros((len(truth), -(-truth.shape[1] // WORD) * WORD // 8), np.uint8)
    bits = np.packbits(truth, axis=1)
    packed[:, : bits.shape[1]] = bits
    return packed.view(np.uint64)


def unpack(words: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """Return the bits of words (k, words), each 0 or 1: (k, 64 words)."""
    return np.unpackbits(np.ascontiguousarray(words).view(np.uint8), axis=1)


def sizes(block: Block, where: Sequence[Rows]) -> NDArray[np.int64]:
    """How many rows of each class are in each of these: (where, classes)."""
    masks = block.masks()
    found = [_by_class(block, np.bitwise_count(masks.mask(rows))) for rows in where]
    return np.array(found, np.int64).reshape(len(where), block.classes) * block.weight


def counts(block: Block, where: Sequence[Rows], literals: NDArray[np.intp]) -> NDArray[np.int64]:
    """How many of them have each literal true besides, and how many there are, last.

    (where, classes, literals + 1)
    """
    masks = block.masks()
    words = _of(block.words, literals)
    found = np.empty((len(where), block.classes, len(literals) + 1), np.int64)
    step = max(1, _CACHED // max(len(literals), 1))
    for i, rows in enumerate(where):
        mask = masks.mask(rows)
        found[i, :, -1] = _by_class(block, np.bitwise_count(mask))
        for kind, (first, end) in enumerate(pairwise(block.bounds)):
            pieces = [slice(at, min(at + step, end)) for at in range(first, end, step)]
            hits = [np.bitwise_count(words[:, piece] & mask[piece]) for piece in pieces]
            found[i, kind, :-1] = sum(part.sum(axis=1, dtype=np.uint32) for part in hits)
    return found * block.weight


def _of(words: NDArray[np.uint64], literals: NDArray[np.intp]) -> NDArray[np.uint64]:
    """The words of some literals, not copied where these are all, or every other one."""
    step = int(literals[1] - literals[0]) if len(literals) > 1 else 1
    if len(literals) and step > 0 and (np.diff(literals) == step).all():
        return words[literals[0] :: step][: len(literals)]
    return words[literals]


def answers(block: Block, where: Sequence[Rows]) -> NDArray[np.uint8]:
    """Return a digest of the rows in each of these (where, DIGEST): equal for the same rows."""
    masks = block.masks()
    return digests(np.ascontiguousarray(masks.mask(rows)) for rows in where)


def digests(several: Iterable[NDArray[Any]]) -> NDArray[np.uint8]:
    """Return a digest of each of several contiguous arrays: (several, DIGEST)."""
    found = b"".join(blake2b(one.data, digest_size=DIGEST).digest() for one in several)
    return np.frombuffer(found, np.uint8).reshape(-1, DIGEST)


def code_sums(
    block: Block,
    within: Rows,
    literals: NDArray[np.intp],
    codes: NDArray[np.uint64],
    roles: NDArray[np.uint64],
) -> NDArray[np.uint64]:
    """A round of colour refinement: the sum of the codes of the rows where each literal is true.

    From the codes (colourings, literals) of the literals, and what begins a row's code in each
    colouring, by its class (colourings, classes). Rows that are not `within` the expression do not
    count. Sums (colourings, literals) are modulo 2^64.
    """
    total = np.zeros_like(codes)
    sums = _byte_sums(codes)
    mask = block.masks().mask(within)
    for kind, (first, end) in enumerate(pairwise(block.bounds)):
        for start in range(first, end, _AT_ONCE):
            piece = slice(start, min(start + _AT_ONCE, end))
            words = block.words[literals, piece] & mask[piece]  # no literal is true on other rows
            bits = unpack(words)
            if bits.size <= _FEW:
                rows = mix(roles[:, kind, None] + mix(codes @ bits.astype(np.uint64)))
                total += rows @ bits.T
                continue
            octets = np.packbits(bits, axis=0)  # eight literals of a row in each
            for colouring, role in enumerate(roles[:, kind]):
                rows = mix(role + mix(_row_sums(octets, sums[colouring])))
                total[colouring] += _literal_sums(octets, rows)[: len(literals)]
    return total * np.uint64(block.weight)


def _byte_sums(codes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """For eight literals each, the sum of the codes of those in every subset of them."""
    padded = np.pad(codes, ((0, 0), (0, -codes.shape[1] % 8)))
    return padded.reshape(len(codes), -1, 8) @ _MEMBERS


def _row_sums(octets: NDArray[np.uint8], sums: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The sum of the codes of the literals that are true in each row."""
    total = np.zeros(octets.shape[1], np.uint64)
    for octet, of_subset in zip(octets, sums, strict=True):
        total += of_subset[octet]
    return total


def _literal_sums(octets: NDArray[np.uint8], rows: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The sum of the codes of the rows where each literal is true."""
    halves = [(rows & _LOW).astype(np.float64), (rows >> _HALF).astype(np.float64)]
    found = np.empty((len(octets), 8), np.uint64)
    for place, octet in enumerate(octets):
        low, high = (np.bincount(octet, half, 256).astype(np.uint64) for half in halves)
        found[place] = _MEMBERS @ (low + (high << _HALF))
    return found.reshape(-1)


def _by_class(block: Block, hits: NDArray[np.uint8]) -> NDArray[np.int64]:
    """The sums over the words of each class: (classes, ...)."""
    parts = pairwise(block.bounds)
    return np.stack([hits[..., i:j].sum(axis=-1, dtype=np.int64) for i, j in parts])
