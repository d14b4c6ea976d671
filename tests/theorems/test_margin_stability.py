"""Margin stability: a deviation below half the margin cannot change the exported rule.

The deviation counts what the decode reads: literal scores, gates and the rails' predictions.
"""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gnri.model.paper_export import UNIT, canonical_export, soft_truth
from gnri.scores import Scores
from tests.theorems.cases import scored_episodes

pytestmark = pytest.mark.theorem("Margin stability")


def smooth(scores: Scores, rng: np.random.Generator) -> Scores:
    """Scores in general position: a coarse grid would put the margin at zero."""
    return Scores(
        *(
            np.clip(part + rng.normal(0, 0.1, part.shape), 0, 1)
            for part in (scores.literals, scores.gates)
        )
    )


def deviation(a: Scores, b: Scores, values: np.ndarray) -> float:
    predictions = np.abs(soft_truth(a, values) - soft_truth(b, values)).max() / UNIT
    return max(np.abs(a.literals - b.literals).max(), np.abs(a.gates - b.gates).max(), predictions)


def check(case, seed, size) -> None:
    rng = np.random.default_rng(seed)
    scores, episode = smooth(case[0], rng), case[1]
    exported = canonical_export(scores, episode)
    shift = min(exported.margin, 1.0) * size
    moved = Scores(
        *(
            np.clip(part + shift * rng.uniform(-1, 1, part.shape), 0, 1)
            for part in (scores.literals, scores.gates)
        )
    )
    assume(2 * deviation(scores, moved, episode.values) < exported.margin)
    assert canonical_export(moved, episode).rule == exported.rule


@given(scored_episodes(), st.integers(0, 2**32), st.sampled_from((0.01, 0.1, 0.4)))
def test_below_half_the_margin_nothing_changes(case, seed, size):
    check(case, seed, size)


@pytest.mark.slow
@settings(max_examples=2000)
@given(
    scored_episodes(max_atoms=10, max_slots=5),
    st.integers(0, 2**32),
    st.sampled_from((0.01, 0.1, 0.4)),
)
def test_below_half_the_margin_nothing_changes_at_length(case, seed, size):
    check(case, seed, size)


def boundary_case(literals, gates) -> float:
    from gnri.episode import Episode

    scores = Scores(
        np.stack([literals, np.zeros_like(literals)]), np.stack([gates, np.zeros_like(gates)])
    )
    return canonical_export(scores, Episode(np.ones((1, literals.shape[1])), [1])).margin


@pytest.mark.parametrize(
    ("literals", "gates", "margin"),
    [
        ([[[0.875, 0.0]]], [0.75], 0.25),  # the gate is nearest
        ([[[0.625, 0.0]]], [1.0], 0.125),  # presence
        ([[[0.875, 0.75]]], [1.0], 0.125),  # polarity
        ([[[0.875, 0.0], [0.8125, 0.0]]], [1.0], 0.0625 - 1e-6),  # the gap between two buckets
    ],
)
def test_each_boundary_counts(literals, gates, margin):
    assert boundary_case(np.array(literals), np.array(gates)) == pytest.approx(margin, abs=1e-12)


def test_the_clause_gate_counts_even_when_closed():
    """The paper's list leaves the gate out; a slot about to open is a boundary like any other."""
    assert boundary_case(np.array([[[0.9, 0.0]]]), np.array([0.4375])) == pytest.approx(0.0625)
