"""Truth moves with the rule: evaluate(g(rule), g(values)) == g(evaluate(rule, values))."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnri.episode import Episode
from gnri.rules.dnf import SignedDNF
from gnri.symmetry.group import Symmetry
from tests.strategies import episodes, rules, symmetries_of

pytestmark = pytest.mark.theorem("semantics equivariant")

EPISODE = Episode([[1, -1, 0], [1, 1, 1], [0, 1, -1], [-1, 0, -1]], [1, 1, 1, 1])
RULES = [
    SignedDNF(),
    SignedDNF([[]]),
    SignedDNF([[(0, True)]]),
    SignedDNF([[(0, True), (1, False)], [(2, True)]]),
    SignedDNF([[(0, False), (1, False), (2, True)], [(1, True), (2, False)]]),
    SignedDNF([[(0, True), (0, False)], [(2, False)]]),
]


def check(rule: SignedDNF, episode: Episode, g: Symmetry) -> None:
    """The law, with the action on truths written out: out[rows[r]] = (-1)^label * truth[r]."""
    truths = rule.evaluate(episode.values)
    expected = np.zeros_like(truths)
    for r, truth in enumerate(truths):
        expected[g.rows[r]] = -truth if g.label else truth
    assert g(rule).evaluate(g(episode).values).tolist() == expected.tolist()


@pytest.mark.parametrize("rule", [*RULES, *(~rule for rule in RULES)], ids=str)
def test_on_every_element(rule: SignedDNF) -> None:
    for g in Symmetry.everything(atoms=3, rows=4):
        check(rule, EPISODE, g)


@st.composite
def cases(draw: st.DrawFn) -> tuple[SignedDNF, Episode, Symmetry]:
    """A rule, a table and a symmetry that fit each other."""
    episode = draw(episodes(max_rows=8, max_atoms=8))
    return draw(rules(episode.atoms)), episode, draw(symmetries_of(episode))


@given(cases())
def test_at_any_size(case: tuple[SignedDNF, Episode, Symmetry]) -> None:
    check(*case)
