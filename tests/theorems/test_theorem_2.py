"""Theorem 2: on the signed-DNF quotient the export commutes with any subgroup H of B_N.

The quotient is our type: `SignedDNF` holds a set of clauses, each a set of literals, and a sign
bit, so classes are compared with `==`, not up to logical equivalence.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gnri.model.paper_export import canonical_export
from gnri.rules.dnf import SignedDNF
from gnri.symmetry.group import Symmetry
from studies.paper.rule_equality import schema_order
from tests.strategies import symmetries_of
from tests.theorems.cases import random_case, scored_episodes

pytestmark = pytest.mark.theorem("Theorem 2")


@st.composite
def blocks(draw, atoms: int):
    """One-hot blocks: a partition of some of the atoms into runs of two or more."""
    order = draw(st.permutations(range(atoms)))
    found = []
    while len(order) >= 2:
        size = draw(st.integers(2, len(order)))
        found.append(sorted(order[:size]))
        order = order[size:]
    return found


def commutes(scores, episode, h) -> bool:
    return canonical_export(h(scores), h(episode)).rule == h(canonical_export(scores, episode).rule)


@given(data=st.data())
def test_under_the_schema_group(data):
    scores, episode = data.draw(scored_episodes(max_atoms=8))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    h = Symmetry.random(episode, rng=rng, parts=("atoms",), blocks=data.draw(blocks(episode.atoms)))
    assert not any(h.flips)
    assert commutes(scores, episode, h)


@pytest.mark.slow
@settings(max_examples=2000)
@given(data=st.data())
def test_under_the_schema_group_at_length(data):
    scores, episode = data.draw(scored_episodes(max_atoms=12))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    h = Symmetry.random(episode, rng=rng, parts=("atoms",), blocks=data.draw(blocks(episode.atoms)))
    assert commutes(scores, episode, h)


@pytest.mark.parametrize("seed", range(6))
def test_on_the_generators_of_the_full_schema_group(seed):
    """G_Sigma = S_M x H_Sigma x Z_2^y, on its generators and their products."""
    rng = np.random.default_rng(seed)
    scores, episode = random_case(rng, atoms=7, rows=3, slots=3)
    generators = Symmetry.generators(atoms=7, rows=3, blocks=[[0, 2, 5], [1, 6]])
    for g in generators:
        for h in generators:
            assert commutes(scores, episode, g @ h)


@given(data=st.data())
def test_the_action_descends_to_the_quotient(data):
    """Consistent clauses stay consistent, the sign bit is fixed, and the action is a left one."""
    scores, episode = data.draw(scored_episodes())
    g, h = data.draw(symmetries_of(episode)), data.draw(symmetries_of(episode))
    rule = canonical_export(scores, episode).rule or SignedDNF()
    assert (g @ h)(rule) == g(h(rule))
    assert len(g(rule).clauses) == len(rule.clauses)
    for clause in g(rule).clauses:
        assert not any(~literal in clause for literal in clause)


def test_order_of_the_schema_group():
    assert schema_order([]) == 1
    assert schema_order([[0, 1, 2], [4, 5]]) == 12
