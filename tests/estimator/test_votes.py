"""Probabilities whose largest is always the answer of the rules."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gnri.counts.counter import Counter
from gnri.data.schema import IsTrue, Schema
from gnri.estimator.leaf_counts import class_probabilities, votes_of
from gnri.rules.dnf import SignedDNF
from gnri.rules.rule_list import RuleSet
from tests.effort import half_as_often

ATOMS = 3
SCHEMA = Schema(tuple(IsTrue(f"c{i}") for i in range(ATOMS)))
LITERALS = st.tuples(st.integers(0, ATOMS - 1), st.booleans())
RULES = st.one_of(
    st.none(),
    st.builds(SignedDNF, st.lists(st.lists(LITERALS, max_size=2), max_size=2), st.booleans()),
)
ROWS = st.lists(st.tuples(*[st.integers(-1, 1)] * ATOMS, st.integers(0, 3)), min_size=8)


@st.composite
def tasks(draw: st.DrawFn, classes: int):
    rows = np.array(draw(ROWS), dtype=np.int8)
    values, codes = rows[:, :ATOMS], rows[:, ATOMS] % classes
    codes[:classes] = range(classes)
    count = 1 if classes == 2 else classes
    rules = draw(st.lists(RULES, min_size=count, max_size=count))
    turns = [] if classes == 2 else [[kind] for kind in draw(st.permutations(range(classes)))]
    majority = draw(st.integers(0, classes - 1))
    return values, codes, RuleSet(SCHEMA, tuple(range(classes)), tuple(rules), majority, turns)


def counted(ruleset: RuleSet, values, codes):
    return votes_of(Counter.from_values(values, codes, len(ruleset.classes)), ruleset)


@given(tasks(classes=2))
def test_two_classes_follow_the_rule(task) -> None:
    values, codes, ruleset = task
    ruleset = RuleSet(SCHEMA, (0, 1), ruleset.rules, int(2 * np.sum(codes) > len(codes)))
    (rule,) = ruleset.rules
    truth = np.zeros(len(values)) if rule is None else rule.evaluate(values)
    expected = np.select([truth == 1, truth == -1], [1, 0], ruleset.majority)
    probabilities = class_probabilities(ruleset, counted(ruleset, values, codes), values)
    assert np.array_equal(ruleset.choose(values), expected)
    assert np.array_equal(probabilities.argmax(1), expected)
    assert np.array_equal(probabilities.sum(1), np.ones(len(values)))


@half_as_often
@given(st.one_of(tasks(classes=3), tasks(classes=4)))
def test_more_classes_follow_the_first_rule_that_is_true(task) -> None:
    values, codes, ruleset = task
    votes = counted(ruleset, values, codes)
    probabilities = class_probabilities(ruleset, votes, values)
    places = [slowly(ruleset, row) for row in values]
    answers = [*ruleset.asked, ruleset.majority]
    assert ruleset.choose(values).tolist() == [answers[place] for place in places]
    assert np.array_equal(probabilities.argmax(1), ruleset.choose(values))
    assert np.allclose(probabilities.sum(1), 1, rtol=0, atol=1e-12)
    for row, place in enumerate(places):
        alike = [codes[i] for i, other in enumerate(places) if other == place]
        counts = [alike.count(k) + 1 for k in range(len(ruleset.classes))]
        counts[answers[place]] = max(counts)
        assert np.allclose(probabilities[row], np.array(counts) / sum(counts), rtol=0, atol=1e-12)


def slowly(ruleset: RuleSet, row) -> int:
    """The place of the first rule that is true of a row; behind all of them where none is."""
    for place, kind in enumerate(ruleset.asked):
        if ruleset.rules[kind].evaluate(row[None])[0] == 1:
            return place
    return len(ruleset.asked)


def test_a_side_says_its_smoothed_share() -> None:
    rule = SignedDNF([[(0, True)]])
    values = np.array([[1, 0, 0]] * 8 + [[-1, 0, 0]] * 8, np.int8)
    ruleset = RuleSet(SCHEMA, ("a", "b"), (rule,), 0)
    found = class_probabilities(ruleset, ((0, 8), (8, 0), (8, 8)), values[[0, -1]])
    assert found.tolist() == [[1 - 0.9, 0.9], [0.9, 0.1]]
