"""Truth moves with the rule: evaluate(g(rule), g(values)) == g(evaluate(rule, values))."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gnri.episodes.episode import Episode
from gnri.logic.evaluate import evaluate
from gnri.logic.formula import SignedDNF
from gnri.symmetry.group import Symmetry

pytestmark = pytest.mark.theorem("semantics equivariant")

VALUES = [[1, -1, 0], [1, 1, 1], [0, 1, -1], [-1, 0, -1]]
RULES = [
    SignedDNF(),
    SignedDNF([[]]),
    SignedDNF([[(0, True)]]),
    SignedDNF([[(0, True), (1, False)], [(2, True)]]),
    SignedDNF([[(0, False), (1, False), (2, True)], [(1, True), (2, False)]]),
    SignedDNF([[(0, True), (0, False)], [(2, False)]]),
]


def check(rule: SignedDNF, values: list[list[int]], g: Symmetry) -> None:
    """The law, with the action on truths written out: out[rows[r]] = (-1)^label * truth[r]."""
    episode = Episode(values, np.zeros(len(values)))
    truths = evaluate(rule, episode.values)
    expected = np.zeros_like(truths)
    for r, truth in enumerate(truths):
        expected[g.rows[r]] = -truth if g.label else truth
    assert evaluate(g(rule), g(episode).values).tolist() == expected.tolist()


@pytest.mark.parametrize("rule", [*RULES, *(~rule for rule in RULES)], ids=str)
def test_on_every_element(rule: SignedDNF) -> None:
    for g in Symmetry.everything(atoms=3, rows=4):
        check(rule, VALUES, g)


Case = tuple[SignedDNF, list[list[int]], Symmetry]


def cases() -> st.SearchStrategy[Case]:
    """A rule, a table and a symmetry that fit each other, of any size up to 8 x 8."""
    size = st.integers(1, 8)
    return st.tuples(size, size).flatmap(lambda n: _cases(*n))


def _cases(atoms: int, rows: int) -> st.SearchStrategy[Case]:
    clause = st.sets(st.tuples(st.integers(0, atoms - 1), st.booleans()), max_size=5)
    row = st.lists(st.sampled_from((-1, 0, 1)), min_size=atoms, max_size=atoms)
    symmetry = st.builds(
        Symmetry,
        atoms=st.permutations(range(atoms)).map(tuple),
        flips=st.tuples(*[st.booleans()] * atoms),
        rows=st.permutations(range(rows)).map(tuple),
        label=st.booleans(),
    )
    rule = st.builds(SignedDNF, st.lists(clause, max_size=5), st.booleans())
    return st.tuples(rule, st.lists(row, min_size=rows, max_size=rows), symmetry)


@settings(max_examples=200, deadline=None)
@given(cases())
def test_at_any_size(case: Case) -> None:
    check(*case)


@pytest.mark.slow
@settings(max_examples=2000, deadline=None)
@given(cases())
def test_at_any_size_at_length(case: Case) -> None:
    check(*case)
