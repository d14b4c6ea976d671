"""Codes of rows and literals do not depend on any order, and tell apart what differs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from gnri.counts.fingerprint import ROUNDS, fingerprints, mix
from tests.strategies import cells

WORD = 1 << 64


def slow_mix(code: int) -> int:
    code = (code + 0x9E3779B97F4A7C15) % WORD
    code = (code ^ (code >> 30)) * 0xBF58476D1CE4E5B9 % WORD
    code = (code ^ (code >> 27)) * 0x94D049BB133111EB % WORD
    return code ^ (code >> 31)


def slow_fingerprints(
    truth: NDArray[np.bool_], roles: list[int], colours: list[int]
) -> tuple[list[int], list[int]]:
    """The definition, on Python's integers and one cell at a time."""
    role = [slow_mix((value + 0x8A5CD789635D2DFF) % WORD) for value in roles]
    colour = [slow_mix((value + 0x121FD2155C472F96) % WORD) for value in colours]
    rows = role
    for turn in range(ROUNDS):
        sums = [sum(code for code, t in zip(rows, c, strict=True) if t) for c in truth.T]
        literals = [
            slow_mix((c + slow_mix(s % WORD)) % WORD) for c, s in zip(colour, sums, strict=True)
        ]
        if turn == ROUNDS - 1:
            return rows, literals
        sums = [sum(code for code, t in zip(literals, row, strict=True) if t) for row in truth]
        rows = [slow_mix((r + slow_mix(s % WORD)) % WORD) for r, s in zip(role, sums, strict=True)]
    raise AssertionError


@st.composite
def tables(draw: st.DrawFn) -> tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.int64]]:
    rows, literals = draw(st.integers(0, 7)), draw(st.integers(1, 6))
    return (
        draw(cells((0, 1), rows, literals)) == 1,
        draw(cells((0, 1), rows)),
        draw(cells((0, 64, 100), literals)),
    )


@given(tables())
def test_agrees_with_the_definition(table) -> None:
    truth, roles, colours = table
    rows, literals = slow_fingerprints(truth, roles.tolist(), colours.tolist())
    codes = fingerprints(truth, roles, colours)
    assert codes.rows.tolist() == rows
    assert codes.literals.tolist() == literals


@given(tables(), st.randoms(use_true_random=False))
def test_moves_with_rows_and_literals(table, random) -> None:
    truth, roles, colours = table
    rows = random.sample(range(len(truth)), len(truth))
    literals = random.sample(range(truth.shape[1]), truth.shape[1])
    codes = fingerprints(truth, roles, colours)
    moved = fingerprints(truth[rows][:, literals], roles[rows], colours[literals])
    assert (moved.rows == codes.rows[rows]).all()
    assert (moved.literals == codes.literals[literals]).all()


def test_large_tables_are_summed_in_parts() -> None:
    rng = np.random.default_rng(0)
    truth = rng.random((700, 5)) < 0.5
    roles = rng.integers(0, 2, 700)
    _, literals = slow_fingerprints(truth, roles.tolist(), [0] * 5)
    assert fingerprints(truth, roles, np.zeros(5, int)).literals.tolist() == literals


def test_tells_literals_apart_that_agree_in_their_counts() -> None:
    # Both are true on one row of each role; the third literal is true where the first is.
    truth = np.array([[1, 0, 1], [0, 1, 0], [1, 0, 0], [0, 1, 0]], bool)
    codes = fingerprints(truth, np.array([1, 1, 0, 0]), np.zeros(3, int)).literals
    assert len(set(codes.tolist())) == 3


@pytest.mark.parametrize("what", ["roles", "colours"])
def test_reads_roles_and_colours(what: str) -> None:
    truth = np.eye(2, dtype=bool)
    different, same = np.array([0, 1]), np.array([0, 0])
    roles, colours = (different, same) if what == "roles" else (same, different)
    first, second = fingerprints(truth, roles, colours).literals
    assert first != second
    first, second = fingerprints(truth, same, same).literals
    assert first == second


def test_mix_is_one_to_one() -> None:
    codes = mix(np.arange(10_000, dtype=np.uint64))
    assert len(set(codes.tolist())) == 10_000
