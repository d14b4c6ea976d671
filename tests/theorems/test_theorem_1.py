"""Theorem 1: the canonical export of G-equivariant scores is an exactly G-equivariant rule.

The hypothesis on the scores is met by construction: g acts on them as it acts on a model's.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gnri.model.paper_export import canonical_export
from gnri.rules.equivalence import equivalent
from gnri.symmetry.group import Symmetry
from studies.paper.baseline_networks import dual_rail_export, native_export
from tests.strategies import symmetries_of
from tests.theorems.cases import random_case, scored_episodes

pytestmark = pytest.mark.theorem("Theorem 1")


def follows(export, scores, episode, g) -> bool:
    """The export of the transformed case is the transformed export, as a set of clauses."""
    here, there = export(scores, episode), export(g(scores), g(episode))
    same_rail = here.rail is None if there.rail is None else here.rail == there.rail ^ g.label
    return g(here.rule) == there.rule and same_rail and here.margin == there.margin


@given(data=st.data())
def test_canonical_export_is_equivariant(data):
    scores, episode = data.draw(scored_episodes())
    assert follows(canonical_export, scores, episode, data.draw(symmetries_of(episode)))


@pytest.mark.slow
@settings(max_examples=2000)
@given(data=st.data())
def test_canonical_export_is_equivariant_at_length(data):
    scores, episode = data.draw(scored_episodes(max_atoms=10, max_rows=12, max_slots=5))
    assert follows(canonical_export, scores, episode, data.draw(symmetries_of(episode)))


@pytest.mark.parametrize("seed", range(12))
def test_on_every_element_of_a_small_group(seed):
    """3 atoms x 3 rows: all 576 elements of G."""
    scores, episode = random_case(np.random.default_rng(seed), atoms=3, rows=3, slots=2)
    for g in Symmetry.everything(atoms=3, rows=3):
        assert follows(canonical_export, scores, episode, g), g


@given(data=st.data())
def test_the_label_swap_gives_the_complement(data):
    """R(X, 1 - Y) is logically the complement of R(X, Y), not merely another spelling."""
    scores, episode = data.draw(scored_episodes())
    swap = Symmetry.generators(atoms=episode.atoms, rows=episode.rows)[-1]
    here = canonical_export(scores, episode).rule
    there = canonical_export(swap(scores), swap(episode)).rule
    if here is None:
        assert there is None
    else:
        assert equivalent(there, ~here, atoms=episode.atoms)


def test_an_exact_tie_of_the_rails_abstains():
    """Both rails say the same of a table that is its own label swap: no rail can be preferred."""
    from gnri.episode import Episode
    from gnri.scores import Scores

    literals = np.zeros((2, 1, 1, 2))
    literals[:, 0, 0, 0] = 1.0
    scores = Scores(literals, np.ones((2, 1)))
    exported = canonical_export(scores, Episode([[1], [-1]], [1, -1]))
    assert exported.rule is None
    assert exported.rail is None
    assert exported.margin == 0


@pytest.mark.parametrize("export", [native_export, dual_rail_export])
def test_the_ablations_are_not_equivariant(export):
    """What the theorem is about: the same cases break an export that cuts ties by index."""
    rng = np.random.default_rng(0)
    broken = 0
    for _ in range(300):
        scores, episode = random_case(rng, atoms=6, rows=4, slots=2)
        broken += not follows(export, scores, episode, Symmetry.random(episode, rng=rng))
    assert broken > 30


def test_the_dual_rail_export_is_exact_under_the_label_swap():
    """The dual-rail export is the Z_2^y-only special case of the canonical one."""
    rng = np.random.default_rng(1)
    for _ in range(300):
        scores, episode = random_case(rng, atoms=5, rows=4, slots=2)
        swap = Symmetry.generators(atoms=episode.atoms, rows=episode.rows)[-1]
        assert follows(dual_rail_export, scores, episode, swap)
