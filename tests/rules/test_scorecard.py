"""Scorecards: points, thresholds, one form, text."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given

from gnri.errors import RuleError, RuleSyntaxError
from gnri.rules.dnf import Literal
from gnri.rules.equivalence import equivalent
from gnri.rules.scorecard import Scorecard
from gnri.rules.simplify import simplify
from gnri.rules.syntax import parse, render
from tests.strategies import rules, scorecards, tables

ATOMS = 4
EVERY_ROW = np.array(list(product((-1, 0, 1), repeat=ATOMS)), np.int8)
COMPLETE = EVERY_ROW[(EVERY_ROW != 0).all(axis=1)]
lines = scorecards(ATOMS)


def slow_total(lines: dict, row: np.ndarray) -> float:
    """The points of a row; an unknown line counts half."""
    truths = {-1: 0.0, 0: 0.5, 1: 1.0}
    total = 0.0
    for line, p in lines.items():
        truth = min((row[atom] * (1 if positive else -1) for atom, positive in line), default=1)
        total += p * truths[int(truth)]
    return total


@given(card=lines)
def test_rows_are_decided_by_their_points(card: Scorecard) -> None:
    points = dict(card.points)
    totals = [slow_total(points, row) for row in COMPLETE]
    assert (card.evaluate(COMPLETE) == np.where(np.array(totals) >= card.threshold, 1, -1)).all()
    assert (card.decide(COMPLETE) == card.evaluate(COMPLETE)).all()


@given(card=lines)
def test_the_truth_with_missing_cells_is_what_all_lines_could_be(card: Scorecard) -> None:
    for row, truth in zip(EVERY_ROW, card.evaluate(EVERY_ROW), strict=True):
        truths = [
            min((row[a] * (1 if positive else -1) for a, positive in line), default=1)
            for line, _ in card.points
        ]
        ways = product(*(((0,), (0, 1), (1,))[int(truth) + 1] for truth in truths))
        totals = {
            sum(p * true for true, (_, p) in zip(way, card.points, strict=True)) for way in ways
        }
        answers = {total >= card.threshold for total in totals}
        assert truth == (0 if len(answers) == 2 else 1 if True in answers else -1)


@given(card=lines)
def test_an_unknown_line_counts_half(card: Scorecard) -> None:
    points = dict(card.points)
    wanted = [2 * slow_total(points, row) - 2 * card.threshold + 1 for row in EVERY_ROW]
    assert card.margins(EVERY_ROW).tolist() == wanted


@given(card=lines)
def test_literals_have_positive_points(card: Scorecard) -> None:
    assert Scorecard(card.points, card.threshold) == card
    assert all(p > 0 for line, p in card.points if len(line) == 1)
    atoms = [literal.atom for line, _ in card.points if len(line) == 1 for literal in line]
    assert len(set(atoms)) == len(atoms)


@given(card=lines)
def test_the_simple_form_answers_the_same(card: Scorecard) -> None:
    simple = simplify(card)
    assert (simple.evaluate(COMPLETE) == card.evaluate(COMPLETE)).all()
    assert simplify(simple) == simple and simplify(~card) == simplify(~simple)
    tripled = Scorecard([(line, 3 * p) for line, p in card.points], 3 * card.threshold - 1)
    assert simplify(tripled) == simple
    for line, p in simple.points:  # each line matters, were all lines independent
        others = [q for other, q in simple.points if other != line]
        sums = {sum(chosen) for chosen in product(*((0, q) for q in others))}
        assert any((s >= simple.threshold) != (s + p >= simple.threshold) for s in sums)


@given(card=lines)
def test_text_reads_back(card: Scorecard) -> None:
    names = ["a", "+", "2*b", "c,d"]
    assert parse(str(card)) == card
    assert parse(render(card, names), names) == card


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("2*x0 + x1 + ~x2 >= 3", "2*x0 + x1 + ~x2 >= 3"),
        ("x0 + x1 >= 2", "at least 2 of (x0, x1)"),
        ("at least 2 of (x0, ~x1, x2 & x3)", "at least 2 of (x0, ~x1, x2 & x3)"),
        ("-2*x0 + x1 >= 1", "2*~x0 + x1 >= 3"),
        ("2*x0 + 2*~x1 >= 1", "at least 1 of (x0, ~x1)"),
        ("-3*(x0 & x1) + 2*x2 >= 1", "2*x2 + -3*(x0 & x1) >= 2"),
        ("x0 + ~x0 >= 2", "0 >= 1"),
        ("5*x0 + 5*x1 + x2 >= 5", "at least 1 of (x0, x1)"),
        ("0 >= 0", "0 >= 0"),
    ],
)
def test_the_simple_form_is_written(text: str, printed: str) -> None:
    assert str(simplify(parse(text))) == printed


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x0 + >= 3", "column name"),
        ("2*x0 x1 >= 3", r"'\+' or '>='"),
        ("x0 >= x1 >= 3", "a whole number at character 7, got 'x1'"),
        ("2*(x0 & x1 >= 3", "'&' or '\\)'"),
        ("at least 2 of (x0, x1", "'&', ',' or '\\)'"),
        ("at least 2 of (x0, x1) | x2", "the end of the rule"),
        ("9999999*x0 >= 1", "points may be up to"),
    ],
)
def test_a_wrong_text_is_refused_in_one_line(text: str, expected: str) -> None:
    with pytest.raises((RuleSyntaxError, RuleError), match=expected):
        parse(text)


@pytest.mark.parametrize("points", [{(0, True): 1.5}, {(0, True): True}, {(0, True): 10**7}])
def test_points_are_whole_numbers_of_some_size(points: dict) -> None:
    with pytest.raises(RuleError, match="points"):
        Scorecard(points, 1)


def test_a_dnf_of_single_points() -> None:
    card = Scorecard([([Literal(0)], 1), ([Literal(1), Literal(2, False)], 1)], 1)
    dnf = parse("x0 | x1 & ~x2")
    assert (card.evaluate(EVERY_ROW) == dnf.evaluate(EVERY_ROW)).all()


@given(card=lines, values=tables(5, ATOMS))
def test_the_margin_of_the_complement(card: Scorecard, values: np.ndarray) -> None:
    assert ((~card).margins(values) == -card.margins(values)).all()


@given(card=lines, other=lines, dnf=rules(ATOMS))
def test_equivalent_is_the_same_truth_on_every_row(card, other, dnf) -> None:
    for one, two in ((card, other), (card, dnf), (dnf, card), (card, simplify(card))):
        same = (one.evaluate(COMPLETE) == two.evaluate(COMPLETE)).all()
        assert equivalent(one, two) == same
