"""A block: some rows of a table as packed bits, and the counts on them.

Literals get 64-bit codes by colour refinement of the graph between rows and literals. The code of
a literal is the mixed sum of the codes of the rows where it is true, the code of a row that of its
true literals. Sums are modulo 2^64, so that no order of rows or literals matters.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.rules.row_expression import Masks, Rows, mix

ROUNDS = 3
ROW, LITERAL = np.uint64(0x8A5CD789635D2DFF), np.uint64(0x121FD2155C472F96)

WORD = 64
DIGEST = 16  # bytes

_CACHE_WORDS = 1 << 15  # words counted at a time, so that they stay in the cache
_CODE_BITS = 1 << 19  # bits of rows whose codes are summed at a time
_SORT_ATOMS = 24  # atoms that rows are sorted by
_SAMPLE_ROWS = 1 << 11  # rows that these are chosen by, about; fewer are not sorted
_HALF, _LOW = np.uint64(32), np.uint64((1 << 32) - 1)  # float64 adds 2^21 halves exactly
_BIT_VALUES = np.array([128, 64, 32, 16, 8, 4, 2, 1], np.uint8)


def literal_codes(
    true: NDArray[np.int64],
    members: NDArray[np.bool_],
    code_sums: Callable[[NDArray[np.uint64], NDArray[np.uint64]], NDArray[np.uint64]],
) -> NDArray[np.uint64]:
    """Return the codes of literals (splits, literals), for several splits of the classes in two.

    `true` (classes, literals) counts the rows where a literal is true, `members` (splits, classes)
    says which classes are the target. `code_sums` takes the codes of the literals and the initial
    code of a row by its class (splits, classes), and sums over the rows of each literal.
    """
    roles = mix(members.astype(np.uint64) + ROW)
    colour = mix(np.zeros(1, np.uint64) + LITERAL)
    codes = mix(colour + mix(roles @ true.astype(np.uint64)))
    for _ in range(ROUNDS - 1):
        codes = mix(colour + mix(code_sums(codes, roles)))
    return codes


@dataclass(frozen=True, eq=False)
class Block:
    """The truth of each literal on some rows, each class in words of its own.

    Literal 2 i says that atom i is true, 2 i + 1 that it is false. Bits without a row are zero.
    Each row stands for `weight` equal rows. `numbers`, if known, are the places of the rows in the
    table, in the order of their bits.
    """

    words: NDArray[np.uint64]  # (literals, words)
    present: NDArray[np.uint64]  # (words,): where there is a row
    bounds: tuple[int, ...]  # the first word of each class, and the end
    weight: int = 1
    numbers: NDArray[np.intp] | None = None

    @property
    def classes(self) -> int:
        """The number of classes."""
        return len(self.bounds) - 1

    def masks(self) -> Masks:
        """Return what turns row expressions into bits."""
        return Masks(self.words, self.present, self.bounds, self._samples)

    @cached_property
    def _samples(self) -> dict[bytes, NDArray[np.uint64]]:
        return {}


def make_block(truth: Sequence[NDArray[np.bool_]]) -> Block:
    """Return the block of rows whose truth (literals, rows) is given class by class."""
    present = [pack(np.ones((1, part.shape[1]), np.bool_))[0] for part in truth]
    bounds = np.cumsum([0, *map(len, present)]).tolist()
    return Block(np.hstack([pack(part) for part in truth]), np.hstack(present), tuple(bounds))


def block_from_values(values: NDArray[np.int8], codes: NDArray[np.integer], classes: int) -> Block:
    """Return the block of rows in memory, from their atoms (rows, atoms) and class codes.

    A missing cell makes no literal true. Rows of any other code are left out.
    """
    leading = leading_atoms(len(values), values.__getitem__)
    order = sort_rows(values.T[leading] > 0, codes, classes)
    parts = [np.ascontiguousarray(values[rows].T) for rows in order]
    signs = [np.stack([atoms > 0, atoms < 0], axis=1) for atoms in parts]
    block = make_block([part.reshape(2 * len(part), part.shape[2]) for part in signs])
    return replace(block, numbers=np.concatenate(order))


def sort_rows(
    leading: NDArray[np.bool_], codes: NDArray[np.integer], classes: int
) -> list[NDArray[np.intp]]:
    """Return the rows of each class, similar ones together, so that masks have more empty words.

    They are sorted by the leading atoms (atoms, rows). No count depends on it.
    """
    keys = pack_bytes(leading.view(np.uint8))[::-1]
    order = np.lexsort((*keys, codes))
    bounds = np.searchsorted(codes[order], np.arange(classes + 1))
    return [order[first:end] for first, end in pairwise(bounds)]


def leading_atoms(
    rows: int, encode: Callable[[NDArray[np.intp]], NDArray[np.int8]]
) -> NDArray[np.intp]:
    """Return the atoms that are true on nearest to half of the rows; none where rows are few.

    `encode` returns the atoms (rows, atoms) of the rows of some numbers.
    """
    if rows < _SAMPLE_ROWS:
        return np.zeros(0, np.intp)
    few = encode(np.arange(0, rows, rows // _SAMPLE_ROWS))
    balance = np.abs(np.count_nonzero(few > 0, axis=0) * 2 - len(few))
    return np.argsort(balance, kind="stable")[:_SORT_ATOMS]


def find_rows(
    block: Block, where: Rows
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """Return the bit, the class and the number of each row in an expression, sorted by number.

    Where numbers are not known, the bits serve as numbers.
    """
    present, mask = unpack(np.stack([block.present, block.masks().mask(where)])).view(np.bool_)
    bits = np.flatnonzero(mask)
    numbers = bits if block.numbers is None else block.numbers[mask[present]]
    order = np.argsort(numbers, kind="stable")
    bits = bits[order]
    return bits, np.searchsorted(block.bounds, bits // WORD, side="right") - 1, numbers[order]


def join_blocks(blocks: Sequence[Block]) -> Block:
    """Return one block of the rows of several blocks of the same weight."""
    if len(blocks) == 1:
        return blocks[0]
    kinds = range(blocks[0].classes)
    places = [(block, slice(*block.bounds[i : i + 2])) for i in kinds for block in blocks]
    words = np.concatenate([block.words[:, place] for block, place in places], axis=1)
    present = np.concatenate([block.present[place] for block, place in places])
    bounds = np.sum([block.bounds for block in blocks], axis=0).tolist()
    return Block(words, present, tuple(bounds), blocks[0].weight)


def pack(truth: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Return truth (literals, rows) as bits (literals, words), the last word padded with 0."""
    packed = np.zeros((len(truth), -(-truth.shape[1] // WORD) * WORD // 8), np.uint8)
    bits = np.packbits(truth, axis=1)
    packed[:, : bits.shape[1]] = bits
    return packed.view(np.uint64)


def unpack(words: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """Return the bits of words (k, words), each 0 or 1: (k, 64 words)."""
    return np.unpackbits(np.ascontiguousarray(words).view(np.uint8), axis=1)


def pack_bytes(bits: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return np.packbits(bits, axis=0), thirty times as fast: (k, rows) to (k / 8, rows)."""
    padded = np.pad(bits, ((0, -len(bits) % 8), (0, 0)))
    return np.einsum("ijk,j->ik", padded.reshape(len(padded) // 8, 8, bits.shape[1]), _BIT_VALUES)


def find_basis(
    words: NDArray[np.uint64], literals: NDArray[np.intp]
) -> tuple[NDArray[np.uint64], NDArray[np.intp], NDArray[np.intp]]:
    """Return fewer words that say the same: a literal is the words `whole` less the words `less`.

    An atom is false where it is known and not true, and the atoms of a column are known on the
    same rows. The numbers of the literals ascend. The last words of the basis are empty.
    """
    negated = 1 + np.flatnonzero((literals[1:] % 2 == 1) & (np.diff(literals) == 1))
    kept = np.delete(np.arange(len(literals)), negated)
    known = words[negated] | words[negated - 1]
    digests = digest_arrays(known).view(f"V{DIGEST}")[:, 0]
    _, first, places = np.unique(digests, return_index=True, return_inverse=True)
    basis = np.concatenate([words[kept], known[first], np.zeros_like(words[:1])])
    whole, less = np.empty_like(literals), np.full_like(literals, len(basis) - 1)
    whole[kept], whole[negated] = np.arange(len(kept)), len(kept) + places
    less[negated] = whole[negated - 1]
    return basis, whole, less


def counts(block: Block, where: Sequence[Rows], literals: NDArray[np.intp]) -> NDArray[np.int64]:
    """Count the rows of each expression where each literal is true, and last all of its rows.

    The result is (where, classes, literals + 1).
    """
    masks = block.masks()
    words = _select(block.words, literals)
    found = np.empty((len(where), block.classes, len(literals) + 1), np.int64)
    step = max(1, _CACHE_WORDS // max(len(literals), 1))
    for i, rows in enumerate(where):
        mask = masks.mask(rows)
        for kind, (first, end) in enumerate(pairwise(block.bounds)):
            found[i, kind, -1] = np.bitwise_count(mask[first:end]).sum(dtype=np.int64)
            pieces = [slice(at, min(at + step, end)) for at in range(first, end, step)]
            hits = [np.bitwise_count(words[:, piece] & mask[piece]) for piece in pieces]
            found[i, kind, :-1] = sum(part.sum(axis=1, dtype=np.uint32) for part in hits)
    return found * block.weight


def _select(words: NDArray[np.uint64], literals: NDArray[np.intp]) -> NDArray[np.uint64]:
    """Return the words of some literals: a view where these are evenly spaced, else a copy."""
    step = int(literals[1] - literals[0]) if len(literals) > 1 else 1
    if len(literals) and step > 0 and (np.diff(literals) == step).all():
        return words[literals[0] :: step][: len(literals)]
    return words[literals]


def row_digests(block: Block, where: Sequence[Rows]) -> NDArray[np.uint8]:
    """Return a digest of the rows in each expression, equal for the same rows: (where, DIGEST)."""
    masks = block.masks()
    return digest_arrays(np.ascontiguousarray(masks.mask(rows)) for rows in where)


def digest_arrays(arrays: Iterable[NDArray[Any]]) -> NDArray[np.uint8]:
    """Return a digest of each contiguous array: (arrays, DIGEST)."""
    found = b"".join(blake2b(one.data, digest_size=DIGEST).digest() for one in arrays)
    return np.frombuffer(found, np.uint8).reshape(-1, DIGEST)


def code_sums(
    block: Block,
    within: Rows,
    literals: NDArray[np.intp],
    codes: NDArray[np.uint64],
    roles: NDArray[np.uint64],
) -> NDArray[np.uint64]:
    """Sum the codes of the rows `within` where each literal is true; see `literal_codes`."""
    mask = block.masks().mask(within)
    basis, whole, less = find_basis(block.words[literals], literals)
    own = np.zeros((len(basis), len(codes)), np.uint64)
    np.add.at(own, whole, codes.T)
    np.subtract.at(own, less, codes.T)
    total = np.zeros_like(own)
    step = max(1, _CODE_BITS // (WORD * max(len(basis), 1)))
    for kind, (first, end) in enumerate(pairwise(block.bounds)):
        for start in range(first, end, step):
            piece = slice(start, min(start + step, end))
            bits = unpack(basis[:, piece] & mask[piece]).astype(np.float64)
            rows = mix(roles[:, kind] + mix(_multiply(bits.T, own)))
            total += _multiply(bits, rows)
    return (total[whole] - total[less]).T * np.uint64(block.weight)


def _multiply(bits: NDArray[np.float64], codes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the product modulo 2^64."""
    low, high = (bits @ half.astype(np.float64) for half in (codes & _LOW, codes >> _HALF))
    return low.astype(np.uint64) + (high.astype(np.uint64) << _HALF)
