"""Codes of literals do not depend on any order, and tell apart what differs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from gnri.counts import block as on_block
from gnri.counts.block import ROUNDS, literal_codes, make_block, mix
from gnri.counts.blocks import MemoryBlocks
from gnri.counts.counter import Counter
from gnri.rules.row_expression import EVERYTHING
from tests.strategies import cells

WORD = 1 << 64


def fingerprints(truth: NDArray[np.bool_], roles: NDArray[np.int64]) -> NDArray[np.uint64]:
    """The codes of literals in a table (rows, literals) whose rows have the role 0 or 1."""
    counter = Counter(MemoryBlocks([make_block([truth[roles == role].T for role in (0, 1)])]))
    literals = np.arange(truth.shape[1])
    true, target = counter.counts([EVERYTHING], literals)[0], np.array([[False, True]])
    sums = lambda codes, roles: counter.code_sums(literals, codes, roles)  # noqa: E731
    return literal_codes(true, target, sums)[0]


def slow_mix(code: int) -> int:
    code = (code + 0x9E3779B97F4A7C15) % WORD
    code = (code ^ (code >> 30)) * 0xBF58476D1CE4E5B9 % WORD
    code = (code ^ (code >> 27)) * 0x94D049BB133111EB % WORD
    return code ^ (code >> 31)


def slow_fingerprints(truth: NDArray[np.bool_], roles: list[int]) -> list[int]:
    """The definition, on Python's integers and one cell at a time."""
    role = [slow_mix((value + 0x8A5CD789635D2DFF) % WORD) for value in roles]
    colour = slow_mix(0x121FD2155C472F96)
    rows, literals = role, [0]
    for _ in range(ROUNDS):
        sums = [sum(code for code, t in zip(rows, c, strict=True) if t) for c in truth.T]
        literals = [slow_mix((colour + slow_mix(s % WORD)) % WORD) for s in sums]
        sums = [sum(code for code, t in zip(literals, row, strict=True) if t) for row in truth]
        rows = [slow_mix((r + slow_mix(s % WORD)) % WORD) for r, s in zip(role, sums, strict=True)]
    return literals


@st.composite
def tables(draw: st.DrawFn) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    rows, atoms = draw(st.integers(0, 7)), draw(st.integers(1, 6))
    return literal_truth(draw(cells((-1, 0, 1), rows, atoms))), draw(cells((0, 1), rows))


def literal_truth(values: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Where each atom is true, and beside it where it is false: (rows, literals)."""
    return np.stack([values > 0, values < 0], -1).reshape(len(values), 2 * values.shape[1])


@given(tables())
def test_agrees_with_the_definition(table) -> None:
    truth, roles = table
    assert fingerprints(truth, roles).tolist() == slow_fingerprints(truth, roles.tolist())


@given(tables(), st.randoms(use_true_random=False))
def test_moves_with_rows_and_literals(table, random) -> None:
    truth, roles = table
    rows = random.sample(range(len(truth)), len(truth))
    atoms = random.sample(range(truth.shape[1] // 2), truth.shape[1] // 2)
    literals = [2 * atom + sign for atom in atoms for sign in (0, 1)]
    moved = fingerprints(truth[rows][:, literals], roles[rows])
    assert (moved == fingerprints(truth, roles)[literals]).all()


def test_large_tables_are_summed_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_block, "_CODE_BITS", 1 << 11)
    rng = np.random.default_rng(0)
    truth, roles = literal_truth(rng.choice([-1, 0, 1], (700, 5))), rng.integers(0, 2, 700)
    assert fingerprints(truth, roles).tolist() == slow_fingerprints(truth, roles.tolist())


def test_tells_literals_apart_that_agree_in_their_counts() -> None:
    # Both are true on one row of each role; the third literal is true where the first is.
    truth = np.array([[1, 0, 1], [0, 1, 0], [1, 0, 0], [0, 1, 0]], bool)
    assert len(set(fingerprints(truth, np.array([1, 1, 0, 0])).tolist())) == 3


def test_reads_roles() -> None:
    truth = np.eye(2, dtype=bool)
    first, second = fingerprints(truth, np.array([0, 1]))
    assert first != second
    first, second = fingerprints(truth, np.array([0, 0]))
    assert first == second


def test_mix_is_one_to_one() -> None:
    codes = mix(np.arange(10_000, dtype=np.uint64))
    assert len(set(codes.tolist())) == 10_000
