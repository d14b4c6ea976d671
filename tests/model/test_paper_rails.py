"""The choice between the rails, against a selector in exact fractions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gnri.episode import Episode
from gnri.errors import ShapeError
from gnri.model.paper_export import (
    SLACK,
    UNIT,
    WIDE,
    canonical_decode,
    canonical_export,
    errors,
    soft_truth,
)
from gnri.rules.dnf import Clause, SignedDNF
from gnri.scores import Scores
from studies.paper.baseline_networks import (
    CONDITIONS,
    average_prediction,
    dual_rail_export,
    export_of,
    native_decode,
    native_export,
)
from tests.strategies import episodes
from tests.strategies import scores as grid_scores

EXPORTS = [(canonical_export, canonical_decode), (dual_rail_export, native_decode)]


@st.composite
def scored_episodes(draw):
    episode = draw(episodes(max_rows=6, max_atoms=4))
    return draw(grid_scores(draw(st.integers(1, 3)), episode.atoms)), episode


def observed(scores: Scores, episode: Episode) -> Scores:
    """The scores with nothing for the atoms that have no observed cell."""
    literals = scores.literals.copy()
    literals[:, :, ~(episode.values != 0).any(0)] = 0
    return Scores(literals, scores.gates)


def clause_truth(clause: Clause, row: list[int]) -> Fraction:
    """0 false, 1/2 unknown, 1 true."""
    return min(
        (Fraction(1 + (row[j] if positive else -row[j]), 2) for j, positive in clause),
        default=Fraction(1),
    )


def choose(clauses: list[frozenset[Clause]], scores: Scores, episode: Episode) -> int | None:
    """The selector of the paper: fit to R_sym, then the sign of h, else abstain."""
    if not clauses[0] or not clauses[1]:
        return 0 if clauses[0] else 1 if clauses[1] else None
    soft = soft_truth(scores, episode.values)
    misfit, h = [Fraction(0), Fraction(0)], Fraction(0)
    for i in np.flatnonzero(episode.labels).tolist():
        row = episode.values[i].tolist()
        positive, negative = (Fraction(int(soft[rail, i]), UNIT) for rail in (0, 1))
        symmetric = (positive + 1 - negative) / 2
        truth = [max(clause_truth(clause, row) for clause in clauses[rail]) for rail in (0, 1)]
        misfit[0] += abs(truth[0] - symmetric)
        misfit[1] += abs(1 - truth[1] - symmetric)
        h += positive - negative
    key = misfit[1] - misfit[0] or h
    return None if key == 0 else int(key < 0)


@pytest.mark.parametrize(("export", "decode"), EXPORTS)
@given(case=scored_episodes())
def test_the_choice_is_that_of_exact_fractions(export, decode, case):
    scores, episode = case
    seen = observed(scores, episode)
    clauses = [decode(seen.literals[rail], seen.gates[rail]).clauses for rail in (0, 1)]
    rail = choose(clauses, seen, episode)
    exported = export(scores, episode)
    assert exported.rail == rail
    expected = None if rail is None else SignedDNF(clauses[rail], positive=rail == 0)
    assert exported.rule == expected


def one_clause(*rails: tuple[float, float], gates: tuple[float, float] = (1.0, 1.0)) -> Scores:
    """One slot over one atom, with (p+, p-) and the gate of each rail."""
    return Scores([[[pair]] for pair in rails], [[gate] for gate in gates])


EPISODE = Episode([[1], [-1]], [1, -1])
X, NOT_X = (1.0, 0.0), (0.0, 1.0)


def test_rails_that_say_the_same_give_it_by_the_better_fit():
    """x0 on the positive rail, ~x0 on the negative: complements, so both fit R_sym alike."""
    exported = canonical_export(one_clause((0.9, 0.0), (0.0, 0.8)), EPISODE)
    assert exported.rule == SignedDNF([[(0, True)]])
    assert exported.rail == 0
    swapped = canonical_export(one_clause((0.0, 0.8), (0.9, 0.0)), EPISODE)
    assert swapped.rule == ~SignedDNF([[(0, True)]])
    assert swapped.rail == 1


def test_a_rail_without_clauses_is_no_candidate():
    empty_negative = canonical_export(one_clause(X, X, gates=(1.0, 0.1)), EPISODE)
    assert (empty_negative.rule, empty_negative.rail) == (SignedDNF([[(0, True)]]), 0)
    empty_positive = canonical_export(one_clause(X, X, gates=(0.1, 1.0)), EPISODE)
    assert (empty_positive.rule, empty_positive.rail) == (~SignedDNF([[(0, True)]]), 1)


def test_two_empty_rails_abstain():
    exported = canonical_export(one_clause(X, NOT_X, gates=(0.2, 0.2)), EPISODE)
    assert exported.rule is None
    assert exported.rail is None


def test_an_exact_tie_abstains():
    exported = canonical_export(one_clause(X, X), EPISODE)
    assert exported.rule is None
    assert exported.rail is None
    assert exported.margin == 0


def test_with_no_labelled_row_full_rails_tie():
    unlabelled = Episode(EPISODE.values, [0, 0])
    assert canonical_export(one_clause((0.9, 0.0), (0.0, 0.8)), unlabelled).rule is None


@given(case=scored_episodes())
def test_unlabelled_rows_do_not_count_in_the_choice(case):
    scores, episode = case
    shown = episode.labels != 0
    assume(shown.any())
    labelled = Episode(episode.values[shown], episode.labels[shown])
    # An atom may be observed on unlabelled rows alone; here that must not be the difference.
    assume(np.array_equal((labelled.values != 0).any(0), (episode.values != 0).any(0)))
    assert canonical_export(scores, episode) == canonical_export(scores, labelled)


@pytest.mark.parametrize("export", [canonical_export, dual_rail_export, native_export])
def test_an_atom_never_observed_is_never_chosen(export):
    episode = Episode([[1, 0], [-1, 0]], [1, -1])
    literals = np.zeros((2, 1, 2, 2))
    literals[0, 0, :, 0] = 0.8, 0.9
    literals[1, 0, :, 1] = 0.7, 0.9
    rule = export(Scores(literals, np.ones((2, 1))), episode).rule
    assert rule is not None
    assert rule.atoms == {0}


def test_the_native_export_reads_the_positive_rail_alone():
    exported = native_export(one_clause((0.6, 0.0), (0.0, 1.0)), EPISODE)
    assert (exported.rule, exported.rail) == (SignedDNF([[(0, True)]]), 0)
    empty = native_export(one_clause((0.4, 0.0), (0.0, 1.0)), EPISODE)
    assert (empty.rule, empty.rail) == (None, None)


def test_each_condition_has_its_export():
    assert [export_of(CONDITIONS[name]) for name in ("nri", "eqarch", "+tta")] == [
        native_export
    ] * 3
    assert [export_of(CONDITIONS[name]) for name in ("+export", "gnri")] == [canonical_export] * 2
    scores, episode = underflowing()
    assert export_of(CONDITIONS["gnri-wide"])(scores, episode).rule == SignedDNF([[(0, True)]])


def underflowing() -> tuple[Scores, Episode]:
    """A clause on each rail, and 1,022 atoms that are each a little likely to belong to it."""
    values = np.random.default_rng(0).choice([-1, 1], (20, 1024))
    literals = np.full((2, 1, 1024, 2), 0.1)
    literals[0, 0, 0, 0] = literals[1, 0, 1, 0] = 0.9
    return Scores(literals, np.ones((2, 1))), Episode(values, values[:, 0])


def test_the_rail_with_fewer_errors_answers_where_soft_truth_underflows():
    scores, episode = underflowing()
    assert len(np.unique(soft_truth(scores, episode.values))) == 1
    assert canonical_export(scores, episode).rule is None
    exported = canonical_export(scores, episode, WIDE)
    assert (exported.rule, exported.rail) == (SignedDNF([[(0, True)]]), 0)


@given(scored_episodes())
def test_a_choice_by_errors_has_the_fewest_and_reverses_with_the_labels(scored):
    scores, episode = scored
    found = canonical_export(scores, episode, WIDE)
    swapped = Episode(episode.values, -episode.labels)
    other = canonical_export(Scores(scores.literals[::-1], scores.gates[::-1]), swapped, WIDE)
    assert other.rule == (None if found.rule is None else ~found.rule)
    seen = observed(scores, episode)
    parts = zip(seen.literals, seen.gates, strict=True)
    clauses = [canonical_decode(*part).clauses for part in parts]
    rules = [SignedDNF(some, positive=rail == 0) for rail, some in enumerate(clauses) if some]
    if found.rule is not None:
        fewest = min(errors(rule, episode) for rule in rules)
        best = [rule for rule in rules if errors(rule, episode) == fewest]
        wanted = [min(errors(rule, episode), errors(~rule, episode)) for rule in best]
        assert errors(found.rule, episode) in wanted
        assert {found.rule, ~found.rule} & set(rules)


def test_a_rule_that_is_mostly_wrong_is_read_the_other_way():
    """Labels that are all negative, and a rule on the rail of the negative class alone."""
    scores, episode = one_clause((0.1, 0.0), X), Episode([[1], [-1], [-1]], [-1] * 3)
    assert canonical_export(scores, episode).rule == SignedDNF([[(0, True)]], positive=False)
    assert canonical_export(scores, episode, WIDE).rule == SignedDNF([[(0, True)]])


@given(case=scored_episodes())
def test_the_average_prediction_is_equation_1(case):
    scores, episode = case
    positive, negative = soft_truth(observed(scores, episode), episode.values) / UNIT
    assert np.array_equal(average_prediction(scores, episode), (positive + 1 - negative) / 2)


@pytest.mark.parametrize("export", [canonical_export, native_export, average_prediction])
def test_scores_of_another_size_are_refused(export):
    with pytest.raises(ShapeError, match="scores of 1 atoms for an episode of 2"):
        export(one_clause(X, X), Episode([[1, 1]], [1]))


@pytest.mark.parametrize("more", [0, 1])
def test_a_rule_far_worse_than_the_larger_class_is_not_given(more):
    """The clause is true on half of the rows of either class, so its complement is no better."""
    rare = 4
    values = np.tile([[1], [-1]], (rare + SLACK + more, 1))
    labels = np.full(len(values), -1)
    labels[:rare] = 1
    literals, gates = np.zeros((2, 1, 1, 2)), np.ones((2, 1))
    literals[0, 0, 0, 0] = 0.9
    # In all: rare + SLACK + more errors of the rule, rare of the larger class.
    exported = canonical_export(Scores(literals, gates), Episode(values, labels), WIDE)
    assert (exported.rule is None) == (more == 1)
    assert exported.rail == (None if more else 0)
