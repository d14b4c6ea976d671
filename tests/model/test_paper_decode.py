"""Algorithm 1 against a transcription of the paper, line by line, and the baseline's decode."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnri.model.paper_export import DecodeConfig, canonical_decode
from gnri.rules.dnf import Clause, Literal, clause
from studies.paper.baseline_networks import native_decode
from tests.strategies import cells

NEAR = 6e-7  # two of these are further apart than the tolerance, one is not
GRID = (0.0, 0.25, 0.5, 0.6, 0.6 + NEAR, 0.6 + 2 * NEAR, 0.75, 1.0)


def algorithm_1(literals, gates, config: DecodeConfig) -> frozenset[Clause]:
    """The paper's loop: slots, then tie buckets in order, until one does not fit."""
    found = set()
    for p, gate in zip(literals.tolist(), gates.tolist(), strict=True):
        if gate < 0.5:
            continue
        presence = [max(pair) for pair in p]
        contrast = [positive - negative for positive, negative in p]
        candidates = [j for j in range(len(p)) if presence[j] >= 0.5 and contrast[j] != 0]
        chosen: list[int] = []
        for bucket in buckets(candidates, presence, config.tie_eps):
            if len(chosen) + len(bucket) > config.budget:
                break
            chosen += bucket
        if chosen:
            found.add(frozenset(Literal(j, contrast[j] > 0) for j in chosen))
    return frozenset(found)


def buckets(candidates: list[int], presence: list[float], tie_eps: float) -> list[list[int]]:
    """Runs of the sorted candidates in which each is within the tolerance of the one before."""
    runs: list[list[int]] = []
    for j in sorted(candidates, key=lambda j: -presence[j]):
        if runs and presence[runs[-1][-1]] - presence[j] <= tie_eps:
            runs[-1].append(j)
        else:
            runs.append([j])
    return runs


@st.composite
def rails(draw):
    slots, atoms = draw(st.integers(1, 3)), draw(st.integers(1, 7))
    return draw(cells(GRID, slots, atoms, 2)), draw(cells(GRID, slots))


@given(rail=rails(), budget=st.integers(1, 5))
def test_the_canonical_decode_is_algorithm_1(rail, budget):
    config = DecodeConfig(budget=budget)
    assert canonical_decode(*rail, config).clauses == algorithm_1(*rail, config)


@given(rail=rails(), tie_eps=st.sampled_from((0.0, NEAR / 2, 0.1, 0.2)))
def test_at_any_tolerance(rail, tie_eps):
    config = DecodeConfig(tie_eps=tie_eps)
    assert canonical_decode(*rail, config).clauses == algorithm_1(*rail, config)


def one_slot(*pairs: tuple[float, float], gate: float = 1.0):
    return np.array([pairs]), np.array([gate])


def test_the_defaults_are_the_papers():
    assert DecodeConfig() == DecodeConfig(budget=4, tie_eps=1e-6)


def test_polarity_follows_the_larger_score():
    decoded = canonical_decode(*one_slot((0.9, 0.1), (0.2, 0.8), (0.4, 0.3)))
    assert decoded.clauses == {clause((0, True), (1, False))}


def test_an_atom_whose_literals_tie_is_left_out_and_takes_no_room():
    pairs = [(0.9, 0.9), (0.8, 0.0), (0.7, 0.0), (0.6, 0.0), (0.55, 0.0)]
    assert canonical_decode(*one_slot(*pairs)).clauses == {
        clause((1, True), (2, True), (3, True), (4, True))
    }


def test_a_bucket_that_does_not_fit_stops_the_clause():
    """The lone atom behind the tie would fit, and must not be let past it."""
    pairs = [(0.9, 0.0), (0.8, 0.0), (0.8, 0.0), (0.7, 0.0)]
    decoded = canonical_decode(*one_slot(*pairs), DecodeConfig(budget=2))
    assert decoded.clauses == {clause((0, True))}


def test_a_first_bucket_over_budget_leaves_the_slot_empty():
    pairs = [(0.8, 0.0)] * 5
    assert canonical_decode(*one_slot(*pairs)).clauses == frozenset()


def test_a_whole_bucket_that_fits_is_admitted():
    assert canonical_decode(*one_slot(*[(0.8, 0.0)] * 4)).clauses == {
        clause((0, True), (1, True), (2, True), (3, True))
    }


def test_scores_chain_into_one_bucket():
    """Each neighbour is within the tolerance, the ends are not: still one bucket."""
    pairs = [(0.8 + step * NEAR, 0.0) for step in range(5)]
    assert canonical_decode(*one_slot(*pairs)).clauses == frozenset()
    assert canonical_decode(*one_slot(*pairs), DecodeConfig(tie_eps=NEAR / 2)).clauses == {
        clause((4, True), (3, True), (2, True), (1, True))
    }


@pytest.mark.parametrize(("gate", "clauses"), [(0.5, 1), (np.nextafter(0.5, 0), 0)])
def test_a_gate_opens_at_one_half(gate, clauses):
    assert len(canonical_decode(*one_slot((0.9, 0.0), gate=gate)).clauses) == clauses
    assert len(native_decode(*one_slot((0.9, 0.0), gate=gate)).clauses) == clauses


@pytest.mark.parametrize(("score", "clauses"), [(0.5, 1), (np.nextafter(0.5, 0), 0)])
def test_a_literal_enters_at_one_half(score, clauses):
    assert len(canonical_decode(*one_slot((score, 0.0))).clauses) == clauses
    assert len(native_decode(*one_slot((score, 0.0))).clauses) == clauses


def test_an_empty_slot_gives_no_clause():
    decoded = canonical_decode(*one_slot((0.4, 0.3), (0.0, 0.1)))
    assert decoded.clauses == frozenset()


def test_slots_that_agree_give_one_clause():
    literals, gates = one_slot((0.9, 0.0))
    twice = canonical_decode(np.repeat(literals, 2, axis=0), np.repeat(gates, 2))
    assert twice.clauses == {clause((0, True))}


def test_the_margin_is_the_nearest_decision():
    literals, gates = one_slot((0.9, 0.1), (0.3, 0.2), gate=0.95)
    assert canonical_decode(literals, gates).margin == pytest.approx(0.2)  # presence of atom 1
    assert canonical_decode(literals, np.array([0.6])).margin == pytest.approx(0.1)  # the gate
    close = one_slot((0.9, 0.85), (0.1, 0.2), gate=0.95)
    assert canonical_decode(*close).margin == pytest.approx(0.05)  # the polarity of atom 0


def native(literals, gates, budget: int) -> frozenset[Clause]:
    """All positives by index, then all negatives; the best scores, the first of a tie."""
    found = set()
    for p, gate in zip(literals.tolist(), gates.tolist(), strict=True):
        if gate < 0.5:
            continue
        axis = [(pair[0], Literal(j, True)) for j, pair in enumerate(p)]
        axis += [(pair[1], Literal(j, False)) for j, pair in enumerate(p)]
        best = sorted(axis, key=lambda entry: -entry[0])[:budget]
        chosen = frozenset(literal for score, literal in best if score >= 0.5)
        if chosen and not any(~literal in chosen for literal in chosen):
            found.add(chosen)
    return frozenset(found)


@given(rail=rails(), budget=st.integers(1, 5))
def test_the_native_decode_is_its_transcription(rail, budget):
    assert native_decode(*rail, DecodeConfig(budget=budget)).clauses == native(*rail, budget)


def test_the_native_decode_cuts_ties_by_index():
    decoded = native_decode(*one_slot(*[(0.8, 0.0)] * 5))
    assert decoded.clauses == {clause((0, True), (1, True), (2, True), (3, True))}
    mixed = native_decode(*one_slot((0.0, 0.8), (0.8, 0.0)), DecodeConfig(budget=1))
    assert mixed.clauses == {clause((1, True))}


def test_the_native_decode_drops_a_contradiction():
    assert native_decode(*one_slot((0.8, 0.7), (0.6, 0.0))).clauses == frozenset()
