"""Order-free 64-bit codes of literals and rows: who is who, whatever the order of the table.

Colour refinement of the graph between rows and literals. A literal's code is the mixed sum of the
codes of the rows where it is true, a row's code the mixed sum of the codes of its true literals.
Sums are modulo 2^64, so that any order and any chunking of rows and literals give the same codes.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

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
