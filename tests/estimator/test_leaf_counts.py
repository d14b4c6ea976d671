"""Probabilities whose largest is always the answer of the rules."""

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gnri.counts.counter import Counter
from gnri.data.schema import IsTrue, Schema
from gnri.estimator.leaf_counts import (
    LeafCounts,
    class_probabilities,
    count_errors,
    count_leaves,
)
from gnri.rules.dnf import SignedDNF
from gnri.rules.rule_list import RuleList, Step
from tests.effort import half_as_often

ATOMS = 3
SCHEMA = Schema(tuple(IsTrue(f"c{i}") for i in range(ATOMS)))
LITERALS = st.tuples(st.integers(0, ATOMS - 1), st.booleans())
RULES = st.builds(SignedDNF, st.lists(st.lists(LITERALS, max_size=2), max_size=2), st.booleans())
ROWS = st.lists(st.tuples(*[st.integers(-1, 1)] * ATOMS, st.integers(0, 3)), min_size=8)


@st.composite
def tables(draw: st.DrawFn, classes: int):
    rows = np.array(draw(ROWS), dtype=np.int8)
    values, codes = rows[:, :ATOMS], rows[:, ATOMS] % classes
    codes[:classes] = range(classes)
    return values, codes


@st.composite
def tasks(draw: st.DrawFn, classes: int):
    order = draw(st.permutations(range(classes)))[: draw(st.integers(0, classes))]
    steps = [Step(draw(RULES), kind) for kind in order]
    if steps and draw(st.booleans()):
        steps[-1] = steps[-1]._replace(truth=-1)
    default = draw(st.integers(0, classes - 1))
    return *draw(tables(classes)), RuleList(SCHEMA, tuple(range(classes)), tuple(steps), default)


def probabilities(rules: RuleList, values, codes):
    counter = Counter.from_values(values, codes, len(rules.classes))
    return class_probabilities(rules, count_leaves(counter, rules), values)


@given(tasks(classes=3))
def test_errors_are_rows_with_another_answer(task) -> None:
    values, codes, rules = task
    counter = Counter.from_values(values, codes, 3)
    assert count_errors(counter, rules) == np.count_nonzero(rules.choose(values) != codes)


@given(tables(classes=2), st.none() | RULES)
def test_two_classes_follow_the_rule(table, rule) -> None:
    values, codes = table
    default = int(2 * np.sum(codes) > len(codes))
    rules = RuleList.binary(SCHEMA, (0, 1), rule, default)
    truth = np.zeros(len(values)) if rule is None else rule.evaluate(values)
    expected = np.select([truth == 1, truth == -1], [1, 0], default)
    found = probabilities(rules, values, codes)
    assert np.array_equal(rules.choose(values), expected)
    assert np.array_equal(found.argmax(1), expected)
    assert np.allclose(found.sum(1), 1, rtol=0, atol=1e-12)
    share = (np.sum(codes) + 1) / (len(codes) + 2)
    bound = max(share, 0.5) if default else min(share, 0.5)
    assert np.allclose(found[truth == 0, 1], bound, rtol=0, atol=1e-12)
    if rule is None:
        return
    swapped = RuleList.binary(SCHEMA, (0, 1), ~rule, 1 - default)
    turned = probabilities(swapped, values, 1 - codes)
    assert np.allclose(turned, found[:, ::-1], rtol=0, atol=1e-15)  # 1/2 is raised to be likelier
    own = found[:, int(rule.positive)]
    ranks = [evidence(rule, row) for row in values]
    for side in (-1, 1):
        rows = [i for i in np.flatnonzero(truth == side) if truth[i]]
        for i, j in itertools.product(rows, rows):
            assert (own[i] <= own[j]) if ranks[i] <= ranks[j] else (own[j] <= own[i])


def evidence(rule: SignedDNF, row: np.ndarray) -> tuple[float, float]:
    """How many clauses hold, then minus the fewest failures of a clause that holds in part."""
    score = {1: 1.0, 0: 0.5, -1: 0.0}
    held = [sum(score[int(row[a]) * (1 if s else -1)] for a, s in one) for one in rule.clauses]
    true = [
        min((int(row[a]) * (1 if s else -1) for a, s in one), default=1) for one in rule.clauses
    ]
    if 1 in true:
        return min(sum(score[one] for one in true), 3.0) // 1, 0.0
    near = [len(one) - part for one, part in zip(rule.clauses, held, strict=True)]
    steps = [
        n
        for n in (1, 2)
        for one, d in zip(rule.clauses, near, strict=True)
        if len(one) > n and d <= n
    ]
    return 0.0, -min(steps, default=3)


def test_more_evidence_is_a_larger_probability() -> None:
    """Two clauses of two literals; nine in ten rows where both hold are of the class."""
    rule = SignedDNF([[(0, True), (1, True)], [(1, True), (2, True)]])
    both, one, near, far = [1, 1, 1], [1, 1, -1], [1, -1, -1], [-1, -1, -1]
    values = np.array([both] * 10 + [one] * 10 + [near] * 10 + [far] * 10, np.int8)
    codes = np.array([1] * 9 + [0] + [1] * 7 + [0] * 3 + [1] * 3 + [0] * 7 + [0] * 10)
    rules = RuleList.binary(SCHEMA, (0, 1), rule)
    found = probabilities(rules, values, codes)[[0, 10, 20, 30], 1]
    true, false = 17 / 22, 4 / 22
    wanted = [(9 + 40 * true) / 50, (7 + 40 * true) / 50, (3 + 40 * false) / 50, 40 * false / 50]
    assert np.allclose(found, wanted, rtol=0, atol=1e-12)


@half_as_often
@given(st.one_of(tasks(classes=3), tasks(classes=4)))
def test_rows_of_one_leaf_have_its_smoothed_shares(task) -> None:
    values, codes, rules = task
    found = probabilities(rules, values, codes)
    walks = [walk(rules, row) for row in values]
    answers = rules.choose(values)
    assert np.array_equal(found.argmax(1), answers)
    assert np.allclose(found.sum(1), 1, rtol=0, atol=1e-12)
    for row, (answered, first_unknown) in enumerate(walks):
        if answered is None and first_unknown is not None:
            alike = [codes[i] for i, other in enumerate(walks) if reaches(other, first_unknown)]
        else:
            mine = (answered, None) if answered is None else (answered,)
            alike = [codes[i] for i, other in enumerate(walks) if other[: len(mine)] == mine]
        counts = [alike.count(k) + 1 for k in range(len(rules.classes))]
        counts[answers[row]] = max(counts)
        assert np.allclose(found[row], np.array(counts) / sum(counts), rtol=0, atol=1e-12)


def walk(rules: RuleList, row) -> tuple[int | None, int | None]:
    """Return the first step that applies to a row, and the first whose rule is unknown."""
    truths = [rule.evaluate(row[None])[0] for rule in rules.rules]
    applies = (i for i, step in enumerate(rules.steps) if truths[i] == step.truth)
    unknown = (i for i, truth in enumerate(truths) if truth == 0)
    return next(applies, None), next(unknown, None)


def reaches(walked: tuple[int | None, int | None], step: int) -> bool:
    """Return whether no step before this one answers."""
    return walked[0] is None or walked[0] >= step


def test_a_side_says_its_smoothed_share() -> None:
    values = np.array([[1, 0, 0], [-1, 0, 0]], np.int8)
    rules = RuleList.binary(SCHEMA, ("a", "b"), SignedDNF([[(0, True)]]))
    found = class_probabilities(rules, LeafCounts(((0, 8), (8, 0)), ((8, 8),)), values)
    assert found.tolist() == [[0.1, 0.9], [0.9, 0.1]]
