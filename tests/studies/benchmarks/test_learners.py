"""Learners by name: each predicts, and ours as the classifier does."""

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gnri.classifier import RuleClassifier
from gnri.episode import Episode
from gnri.errors import GnriError
from gnri.induction import induce
from gnri.rules.dnf import SignedDNF
from gnri.search.limits import uniform_prices
from gnri.search.refine import refine
from studies.benchmarks.fitted import by_rules, distinct_literals
from studies.benchmarks.learners import OTHERS, learner_named, weights_of
from studies.benchmarks.rule_learners import RipperRule

VALUES = np.array([[a, b, c] for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)] * 6, np.int8)
TWO = ((VALUES[:, 0] == 1) & (VALUES[:, 1] == -1)).astype(np.intp)
THREE = (VALUES[:, 0] == 1).astype(np.intp) + (VALUES[:, 1] == 1)


@pytest.mark.parametrize("name", [name for name in OTHERS if name != "majority"] + ["flat:1"])
@pytest.mark.parametrize("codes", [TWO, THREE], ids=["two", "three"])
def test_each_learner_learns_a_simple_rule(name: str, codes) -> None:
    if name in ("logistic", "boosted"):
        codes = (VALUES[:, 0] == 1).astype(np.intp)  # one needs a line, the other more rows
    fitted = learner_named(name)(VALUES, codes)
    assert np.mean(fitted.predict(VALUES) == codes) > 0.8


@pytest.mark.parametrize("name", ["majority", "cart", "ripper", "flat:1", "gnri"])
def test_a_class_keeps_its_number(name: str) -> None:
    """Classes 1 and 3 of five: no learner answers another."""
    fitted = learner_named(name)(VALUES, np.where(TWO, 3, 1))
    assert set(fitted.predict(VALUES)) <= {1, 3}


@pytest.mark.parametrize("name", [*OTHERS, "flat:1", "gnri"])
def test_one_class_is_answered_as_it_is(name: str) -> None:
    assert set(learner_named(name)(VALUES, np.full(len(VALUES), 2)).predict(VALUES)) == {2}


def test_the_majority() -> None:
    fitted = learner_named("majority")(VALUES, THREE)
    assert set(fitted.predict(VALUES[:3])) == {1}


@pytest.mark.parametrize("codes", [TWO, THREE], ids=["two", "three"])
def test_a_model_predicts_as_the_classifier_does(codes) -> None:
    rng = np.random.default_rng(3)
    values = np.where(rng.random(VALUES.shape) < 0.15, 0, VALUES).astype(np.int8)
    table = np.where(values == 0, np.nan, values == 1)
    noisy = np.where(rng.random(len(codes)) < 0.1, (codes + 1) % 2, codes)
    classifier = RuleClassifier("gnri").fit(table, noisy)
    ours = learner_named("gnri+refine")(values, noisy)
    assert list(classifier.rules_.values()) == list(ours.rules)
    assert np.array_equal(classifier.predict(table), ours.predict(values))


def test_refining_is_in_the_name() -> None:
    codes = ((VALUES[:, 0] == 1) & (VALUES[:, 1] == 1) | (VALUES[:, 2] == 1)).astype(np.intp)
    codes[:5] = 1 - codes[:5]
    episode = Episode(VALUES, np.where(codes, 1, -1))
    for name, refined in {"gnri": False, "gnri+refine": True}.items():
        expected = induce(episode, model="gnri", refine=refined).rule
        assert learner_named(name)(VALUES, codes).rules == (expected,)
    assert expected != induce(episode, model="gnri", refine=False).rule


def test_a_flat_price_is_the_search_at_that_price() -> None:
    episode = Episode(VALUES, np.where(TWO, 1, -1))
    for price in ("1", "0.5", "20"):
        expected = refine(episode, uniform_prices(3, float(price))).rule
        assert learner_named(f"flat:{price}")(VALUES, TWO).rules == (expected,)


def test_sizes_are_means_over_the_rules() -> None:
    one, other = [[(0, True), (1, True)]], [[(0, False), (1, False)], [(0, False), (2, False)]]
    rules = iter([SignedDNF(one), SignedDNF(other)])
    fitted = by_rules(lambda _: next(rules), lambda some: [None for _ in some])(VALUES, THREE)
    assert (fitted.clauses, fitted.literals, fitted.distinct) == (1.5, 3.0, 3.0)
    assert by_rules(lambda _: None)(VALUES, TWO).literals is None


@given(st.data())
@settings(max_examples=200)
def test_identical_literals_count_once(data: st.DataObject) -> None:
    rows = data.draw(
        st.lists(st.tuples(*[st.sampled_from((-1, 0, 1))] * 3), min_size=1, max_size=5)
    )
    literals = st.tuples(st.integers(0, 2), st.booleans())
    clauses = data.draw(st.lists(st.frozensets(literals, max_size=4), max_size=3, unique=True))
    values, rule = np.array(rows, np.int8), SignedDNF(clauses)
    slow = sum(
        len({tuple(row[atom] == (1 if sign else -1) for row in rows) for atom, sign in clause})
        for clause in rule.clauses
    )
    assert distinct_literals(rule, values) == slow


def test_ripper_may_ask_for_a_missing_cell() -> None:
    rule = RipperRule((((0, 1), (1, 0)), ((2, -1),)))
    values = np.array([[1, 0, 1], [1, 1, 1], [0, 0, -1], [0, 0, 0]], np.int8)
    assert rule.evaluate(values).tolist() == [1, -1, 1, -1]
    assert (RipperRule(((),)).evaluate(values) == 1).all()
    assert (RipperRule(()).evaluate(values) == -1).all()


def test_ripper_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wittgenstein", None)
    with pytest.raises(GnriError, match=r"pip install 'gnri\[bench\]'"):
        learner_named("ripper")(VALUES, TWO)


def test_bad_names() -> None:
    with pytest.raises(GnriError, match=r"a flat price is a number of errors.* got 'flat:cheap'"):
        learner_named("flat:cheap")
    with pytest.raises(GnriError, match="nonsense"):
        learner_named("nonsense")(VALUES, TWO)


def test_weights_are_named_where_there_are_some() -> None:
    assert weights_of("cart") == weights_of("flat:2") == ""
    assert weights_of("gnri") == weights_of("gnri+refine") != ""
