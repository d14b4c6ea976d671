"""Probabilities whose largest is always the answer of the rules."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnri.estimator.learning import ruleset_of
from gnri.estimator.votes import Vote, class_probabilities, vote
from gnri.logic.formula import SignedDNF
from gnri.schema import IsTrue, Schema
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
    return values, codes, draw(st.lists(RULES, min_size=count, max_size=count))


def fitted(values, codes, rules):
    members = [codes == 1] if len(rules) == 1 else [codes == k for k in range(len(rules))]
    votes = [vote(rule, values, member) for rule, member in zip(rules, members, strict=True)]
    labels = np.arange(max(2, len(rules)))
    return ruleset_of(SCHEMA, labels, rules, votes), votes


@given(tasks(classes=2))
def test_two_classes_follow_the_rule(task) -> None:
    values, codes, (rule,) = task
    ruleset, votes = fitted(values, codes, [rule])
    truth = np.zeros(len(values)) if rule is None else rule.evaluate(values)
    majority = int(2 * np.sum(codes == 1) > len(codes))
    expected = np.select([truth == 1, truth == -1], [1, 0], majority)
    probabilities = class_probabilities(ruleset, votes, values)
    assert np.array_equal(ruleset.choose(values), expected)
    assert np.array_equal(probabilities.argmax(1), expected)
    assert np.array_equal(probabilities.sum(1), np.ones(len(values)))


@half_as_often
@given(st.one_of(tasks(classes=3), tasks(classes=4)))
def test_more_classes_follow_the_likeliest_vote(task) -> None:
    values, codes, rules = task
    ruleset, votes = fitted(values, codes, rules)
    probabilities = class_probabilities(ruleset, votes, values)
    expected = [slowly(row, values, codes, rules) for row in values]
    assert ruleset.choose(values).tolist() == expected
    assert probabilities.argmax(1).tolist() == expected
    assert np.allclose(probabilities.sum(1), 1, rtol=0, atol=1e-12)


def test_equal_votes_go_to_the_larger_class() -> None:
    """In the first row (1 + 1) / (1 + 2) for class 0 meets (3 + 1) / (4 + 2) for class 1."""
    values = np.array([[1, 1, -1], *[[-1, 1, -1]] * 3, [-1, -1, 1]], dtype=np.int8)
    rules = [SignedDNF([[(atom, True)]]) for atom in range(3)]
    ruleset, votes = fitted(values, np.array([0, 1, 1, 1, 2]), rules)
    assert ruleset.choose(values)[0] == 1
    probabilities = class_probabilities(ruleset, votes, values)[0]
    assert probabilities.argmax() == 1
    assert np.isclose(probabilities[0], probabilities[1], rtol=0, atol=1e-12)


def slowly(row, values, codes, rules) -> int:
    """The class with the best (t + 1) / (n + 2), then the largest, then the first."""
    keys = []
    for k, rule in enumerate(rules):
        truth = 0 if rule is None else int(rule.evaluate(row[None])[0])
        side = [truth == 0 or rule.evaluate(other[None])[0] == truth for other in values]
        members = int(np.sum((codes == k) & side))
        keys.append(((members + 1) / (sum(side) + 2), int(np.sum(codes == k)), -k))
    return keys.index(max(keys))


@pytest.mark.parametrize(("side", "expected"), [((0, 8), 0.1), ((8, 8), 0.9), ((0, 0), 0.5)])
def test_a_side_says_its_smoothed_share(side: tuple[int, int], expected: float) -> None:
    assert Vote(side, side, side).probabilities.tolist() == [expected] * 3
