"""Cards say of each clause what a count by hand says."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnri.counts.counter import Counter
from gnri.data.schema import Equals, IsTrue, Schema
from gnri.estimator import statistics
from gnri.estimator.statistics import RuleStatistics
from gnri.estimator.summary import LEGEND, summarize
from gnri.formats.conditions import write_clause
from gnri.formats.text import to_text as rules_to_text
from gnri.rules.dnf import SignedDNF
from gnri.rules.rule_list import RuleList, Step
from tests.formats.hostile import HOSTILE
from tests.formats.test_hostile import hostile_rules

ATOMS = 3
SCHEMA = Schema(tuple(IsTrue(f"c{i}") for i in range(ATOMS)))
LITERALS = st.tuples(st.integers(0, ATOMS - 1), st.booleans())
RULES = st.one_of(
    st.none(),
    st.builds(SignedDNF, st.lists(st.lists(LITERALS, max_size=2), max_size=3), st.booleans()),
)
ROWS = st.lists(st.tuples(*[st.integers(-1, 1)] * ATOMS, st.integers(0, 2)), min_size=1)


def measure_rules(rule_list: RuleList, values: Any, codes: Any) -> tuple[RuleStatistics, ...]:
    return statistics.measure_rules(
        Counter.from_values(values, codes, len(rule_list.classes)), rule_list
    )


def holds(literal: Any, row: Any) -> bool:
    return bool(row[literal.atom] == (1 if literal.positive else -1))


@given(ROWS, RULES)
def test_two_classes_counted_by_hand(rows: list[Any], rule: SignedDNF | None) -> None:
    values, codes = np.array(rows, np.int8)[:, :ATOMS], np.array(rows)[:, ATOMS] % 2
    rule_list = RuleList.binary(SCHEMA, ("bad", "good"), rule)
    (card,) = measure_rules(rule_list, values, codes)
    check(card, rule, values, codes == 1, np.arange(len(values)))
    assert card.label == "good"
    assert card.target == ("good" if rule is None or rule.positive else "bad")


@given(ROWS, st.tuples(RULES, RULES, RULES))
def test_more_classes_counted_by_hand(rows: list[Any], rules: Any) -> None:
    values, codes = np.array(rows, np.int8)[:, :ATOMS], np.array(rows)[:, ATOMS]
    order = [kind for kind in (1, 2, 0) if rules[kind] is not None]
    steps = [Step(rules[kind], kind) for kind in order]
    rule_list = RuleList(SCHEMA, ("a", "b", "c"), steps, 2)
    statistics = {card.label: card for card in measure_rules(rule_list, values, codes)}
    rows = np.arange(len(values))
    for place, kind in enumerate(order):
        card, rule = statistics.pop("abc"[kind]), rules[kind]
        check(card, rule, values[rows], codes[rows] == kind, rows)
        assert card.target == (card.label if rule.positive else f"not {card.label}")
        assert card.follows == (place > 0)
        rows = rows[rule.evaluate(values[rows]) != 1]
    assert [*statistics] == [label for label in "ab" if rules["abc".index(label)] is None]
    assert not any(card.clauses or card.figures.covered for card in statistics.values())


def check(
    card: RuleStatistics, rule: SignedDNF | None, values: Any, member: Any, places: Any
) -> None:
    truth = np.zeros(len(values)) if rule is None else rule.evaluate(values)
    assert card.figures.covered == sum(truth == 1)
    assert card.figures.hits == sum((truth == 1) & member)
    assert (card.figures.members, card.figures.rows) == (sum(member), len(member))
    assert card.undecided == (0 if rule is None else sum(truth == 0))
    clauses = [] if rule is None else list(rule.clauses)
    assert {one.clause for one in card.clauses} == set(clauses)
    target = member if rule is None or rule.positive else ~member
    for one in card.clauses:
        rows = [i for i, row in enumerate(values) if all(holds(item, row) for item in one.clause)]
        alone = [
            i
            for i in rows
            if not any(
                all(holds(item, values[i]) for item in other)
                for other in clauses
                if other != one.clause
            )
        ]
        assert one.rows.tolist() == places[rows].tolist()
        assert one.unique == len(alone)
        assert one.figures.covered == len(rows)
        assert one.figures.hits == sum(target[rows])
        assert one.figures.members == sum(target)
        assert one.text == write_clause(SCHEMA, one.clause)


def test_a_card_says_the_rule_as_the_text_does() -> None:
    rule = SignedDNF([[(0, True)], [(1, True), (2, False)]], positive=False)
    rule_list = RuleList.binary(SCHEMA, ("bad", "good"), rule, 1)
    values = np.array([[1, 1, -1], [-1, -1, -1], [-1, 1, -1], [1, -1, 1]], np.int8)
    statistics = measure_rules(rule_list, values, np.array([0, 1, 0, 1]))
    assert rules_to_text(rule_list).startswith(statistics[0].text)
    assert summarize(statistics).splitlines() == [
        "good unless",
        "    rows  only  hits  precision  95 % interval  lift  clause for bad",
        "       2     1     1     50.0 %     0 to 100 %  1.00  c0",
        "       2     1     2     66.5 %     0 to 100 %  1.33  or c1 and not c2",
        "  true on 1 of 4 training rows, 1 of them of class good; the class has 2 rows",
        "  on new rows, expect 55.6 % (0 to 100 %) of those where it is true to be of class good",
        "",
        *LEGEND.split("\n"),
    ]


def test_absent_and_constant_rules_have_cards() -> None:
    values, codes = np.array([[1, 1, 1], [-1, 0, 1]], np.int8), np.array([0, 1])
    for rule, said in ((None, "good: no rule"), (SignedDNF(), "good if\n    never")):
        statistics = measure_rules(RuleList.binary(SCHEMA, ("bad", "good"), rule), values, codes)
        shown, why = summarize(statistics).split("\n\n")
        assert shown == said and why.startswith("There is no rule")
    statistics = measure_rules(
        RuleList.binary(SCHEMA, ("bad", "good"), SignedDNF([[]])), values, codes
    )
    assert statistics[0].clauses[0].text == "always"
    assert statistics[0].clauses[0].rows.tolist() == [0, 1]


def test_cards_are_plain_json() -> None:
    rule = SignedDNF([[(0, True)]])
    schema = Schema((Equals("odor", "foul"),))
    rule_list = RuleList.binary(schema, (np.int64(0), np.int64(1)), rule)
    statistics = measure_rules(rule_list, np.array([[1], [-1]], np.int8), np.array([1, 0]))
    found = json.loads(json.dumps([card.as_dict() for card in statistics], allow_nan=False))
    assert found[0]["label"] == 1
    assert found[0]["clauses"][0]["text"] == "odor = foul"
    assert found[0]["clauses"][0]["provenance"] == [0]
    assert found[0]["clauses"][0]["precision"] == 1.0


def test_rows_of_a_card_cannot_be_changed() -> None:
    rule_list = RuleList.binary(SCHEMA, (0, 1), SignedDNF([[(0, True)]]))
    (card,) = measure_rules(rule_list, np.ones((2, 3), np.int8), np.array([0, 1]))
    with pytest.raises(ValueError, match="read-only"):
        card.clauses[0].rows[0] = 1


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_hostile_names_stay_on_their_lines(text: str) -> None:
    rule_list = hostile_rules(text)
    statistics = measure_rules(rule_list, np.ones((3, 4), np.int8), np.array([0, 1, 1]))
    for width in (0, 80):
        lines = summarize(statistics, width).split("\n")
        assert all(line.isprintable() for line in lines)
        assert all(len(line) <= 100 for line in lines)
