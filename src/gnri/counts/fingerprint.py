"""Order-free 64-bit codes of literals and rows: who is who, whatever the order of the table.

Colour refinement of the graph between rows and literals. A literal's code is the mixed sum of the
codes of the rows where it is true, a row's code the mixed sum of the codes of its true literals.
Sums are modulo 2^64, so that any order and any chunking of rows and literals give the same codes.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

ROUNDS = 3
_CELLS = 1 << 18  # turned into integers at a time
ROW, LITERAL = np.uint64(0x8A5CD789635D2DFF), np.uint64(0x121FD2155C472F96)


class Fingerprints(NamedTuple):
    """A code for each row and one for each literal."""

    rows: NDArray[np.uint64]
    literals: NDArray[np.uint64]


def mix(codes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """A bijection of the 64-bit integers that looks random (the finaliser of splitmix64)."""
    codes = codes + np.uint64(0x9E3779B97F4A7C15)
    codes = (codes ^ (codes >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    codes = (codes ^ (codes >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return codes ^ (codes >> np.uint64(31))


def fingerprints(
    truth: NDArray[np.bool_], roles: NDArray[np.integer], colours: NDArray[np.integer]
) -> Fingerprints:
    """The codes of a table `truth` (rows, literals), begun from what tells each one apart.

    `roles` (rows,) holds the role of each row's class, `colours` (literals,) anything known of a
    literal besides its truth, such as its price.

    >>> truth = np.array([[True, False, True], [True, True, False]])
    >>> codes = fingerprints(truth, roles=np.array([1, 0]), colours=np.zeros(3, int)).literals
    >>> moved = fingerprints(truth[::-1, ::-1], np.array([0, 1]), np.zeros(3, int)).literals
    >>> bool((codes == moved[::-1]).all()), len(set(codes.tolist()))
    (True, 3)
    """
    role = mix(roles.astype(np.uint64) + ROW)
    colour = mix(colours.astype(np.uint64) + LITERAL)
    rows = role
    for _ in range(ROUNDS - 1):
        literals = mix(colour + mix(_sum_over_rows(truth, rows)))
        rows = mix(role + mix(_sum_over_literals(truth, literals)))
    return Fingerprints(rows, mix(colour + mix(_sum_over_rows(truth, rows))))


def _sum_over_rows(truth: NDArray[np.bool_], rows: NDArray[np.uint64]) -> NDArray[np.uint64]:
    found = [truth[:, part].T.astype(np.uint64) @ rows for part in _parts(truth)]
    return np.concatenate(found or [np.zeros(0, np.uint64)])


def _sum_over_literals(
    truth: NDArray[np.bool_], literals: NDArray[np.uint64]
) -> NDArray[np.uint64]:
    total = np.zeros(len(truth), np.uint64)
    for part in _parts(truth):
        total += literals[part] @ truth[:, part].T.astype(np.uint64)
    return total


def _parts(truth: NDArray[np.bool_]) -> Iterator[slice]:
    """Some literals at a time, as tables lie in memory literal by literal."""
    many = max(1, _CELLS // max(len(truth), 1))
    return (slice(start, start + many) for start in range(0, truth.shape[1], many))
