"""Rules in words say what the rules do."""

import re
from dataclasses import replace

import numpy as np
import pytest

from gnri.data.schema import Above, Equals, IsTrue, OneOf, Schema
from gnri.errors import RuleError
from gnri.formats.conditions import PointScale, format_value, write_clause
from gnri.formats.explanation import explain
from gnri.formats.point_lines import describe_case, find_cells, scale_points
from gnri.formats.text import to_text
from gnri.rules.dnf import Literal, SignedDNF
from gnri.rules.rule_list import RuleList, Step
from gnri.rules.scorecard import Scorecard
from tests.formats.cases import random_point_table

SCHEMA = Schema(
    (
        Above("age", 30.0),
        Above("age", 45.0),
        Above("age", 60.0),
        Equals("odor", "foul"),
        OneOf("odor", ("musty", "fishy")),
        IsTrue("bruises"),
        Above("cap size", 0.1 + 0.2),
        Equals("sex", "male", other="female"),
        OneOf("country", tuple(f"c{i}" for i in range(10))),
        Equals("country", "de"),
        Equals("partner", "male", other="female"),
    )
)


@pytest.mark.parametrize(
    ("literals", "words"),
    [
        ([(0, True)], "age > 30"),
        ([(0, False)], "age <= 30"),
        ([(0, True), (1, False)], "30 < age <= 45"),
        ([(0, True), (1, True), (2, False)], "45 < age <= 60"),
        ([(0, False), (1, False)], "age <= 30"),
        ([(0, False), (1, True)], "45 < age <= 30"),
        ([(3, True)], "odor = foul"),
        ([(3, False)], "odor != foul"),
        ([(4, True)], "odor in {fishy, musty}"),
        ([(4, False)], "odor not in {fishy, musty}"),
        ([(5, True)], "bruises"),
        ([(5, False)], "not bruises"),
        ([(6, True)], "cap size > 0.30000000000000004"),
        (
            [(5, True), (0, True), (3, False), (1, False)],
            "30 < age <= 45 and odor != foul and bruises",
        ),
        ([(3, False), (4, False)], "odor not in {fishy, foul, musty}"),
        ([(3, True), (4, False)], "odor = foul and odor not in {fishy, musty}"),
        ([(7, True)], "sex = male"),
        ([(7, False)], "sex = female"),
        ([(8, True)], "country in {10 values}"),
        ([(8, False), (9, False)], "country not in {10 values, de}"),
        ([], "always"),
    ],
)
def test_a_clause_in_words(literals, words: str) -> None:
    assert write_clause(SCHEMA, [Literal(*literal) for literal in literals]) == words


@pytest.mark.parametrize(
    ("atom", "words"),
    [
        (OneOf("age", ("31,000", "24,000")), 'age in {"24,000", "31,000"}'),
        (OneOf("code", ("10", "9")), 'code in {"10", "9"}'),
        (OneOf("code", (10, 9.0)), "code in {9, 10}"),
        (Equals("code", "007"), 'code = "007"'),
        (Equals("code", 7), "code = 7"),
        (Equals("flag", "True"), 'flag = "True"'),
        (Equals("flag", True), "flag = true"),
        (Equals("set", "{a}"), 'set = "{a}"'),
        (Equals("2", "New York"), '"2" = New York'),
        (Above("0", 50.0), '"0" > 50'),
        (IsTrue("1e3"), '"1e3"'),
    ],
)
def test_text_is_quoted_where_it_would_be_read_as_something_else(atom, words: str) -> None:
    assert write_clause(Schema((atom,)), [Literal(0)]) == words


def test_a_range_is_true_where_its_thresholds_are() -> None:
    rng = np.random.default_rng(0)
    schema = Schema(tuple(Above("a", float(cut)) for cut in range(5)))
    for _ in range(200):
        literals = [Literal(int(i), bool(rng.integers(2))) for i in rng.integers(0, 5, 3)]
        words = write_clause(schema, literals)
        assert " and " not in words
        for x in np.arange(-1, 6, 0.5):
            asked = all((x > schema.atoms[atom].cut) == positive for atom, positive in literals)
            said = eval(words, {"a": x})
            assert said == asked


def test_a_negative_rule_is_said_as_unless() -> None:
    rules = RuleList.binary(SCHEMA, (0, 1), SignedDNF([[(5, True)], [(3, True)]], False), 1)
    assert to_text(rules).splitlines() == [
        "1 unless",
        "    odor = foul",
        "    or bruises",
        "otherwise 0",
        "where missing values leave it open, 1",
    ]


def test_constants_and_absence() -> None:
    def text(rule: SignedDNF | None) -> list[str]:
        return to_text(RuleList.binary(SCHEMA, (False, True), rule)).splitlines()

    assert text(None) == ["true: no rule", "always false"]
    assert text(SignedDNF()) == ["true if", "    never", "otherwise false"]
    assert text(SignedDNF([[]])) == ["true if", "    always", "otherwise false"]


def test_many_classes_read_as_a_list() -> None:
    steps = (Step(SignedDNF([[(3, True)]]), 2), Step(SignedDNF([[(5, True)]]), 0))

    def text(default: int) -> list[str]:
        return to_text(RuleList(SCHEMA, ("a", "b", "c"), steps, default)).splitlines()

    told = ["c if", "    odor = foul", "otherwise a if", "    bruises"]
    assert text(1) == [*told, "otherwise b"]
    assert text(2) == [*told, "b: no rule", "otherwise c"]


def test_complements_say_what_missing_values_do() -> None:
    steps = (Step(SignedDNF([[(3, True)]]), 2), Step(SignedDNF([[(5, True)]], False), 1))
    assert to_text(RuleList(SCHEMA, (1, 2, 3), steps, 0)).splitlines() == [
        "3 if",
        "    odor = foul",
        "otherwise 2 unless",
        "    bruises",
        "otherwise 1",
        "a rule that missing values leave open does not hold",
    ]


def test_the_end_says_what_words_for_values_stand_for() -> None:
    rule = SignedDNF([[(7, False)], [(7, True), (8, False), (10, False)]])
    assert to_text(RuleList.binary(SCHEMA, (0, 1), rule)).splitlines()[-2:] == [
        "any sex, partner but male counts as female",
        "10 values of country: c0, c1, c2, c3, c4, c5, c6, c7, c8, c9",
    ]
    positive = RuleList.binary(SCHEMA, (0, 1), SignedDNF([[(7, True)]]))
    assert to_text(positive).splitlines()[-1] == "otherwise 0"


def test_many_classes_without_a_rule() -> None:
    rules = RuleList(SCHEMA, ("a", "b", "c"), (), 1)
    assert to_text(rules).splitlines() == ["a: no rule", "c: no rule", "always b"]


def test_odd_names_are_quoted() -> None:
    assert format_value("cap color") == "cap color"
    assert format_value("a > 3") == '"a > 3"'
    assert format_value("") == '""'
    assert format_value("if") == '"if"'
    assert re.fullmatch(r'"\\u202eabc"', format_value("\u202eabc"))


POINTS = Schema((Above("age", 30.0), Above("age", 60.0), IsTrue("smoker"), Equals("odor", "foul")))


def checklist(default: int = 0, **options: float) -> RuleList:
    card = Scorecard({(0, True): 1, (2, True): 1, (3, False): 1}, 2)
    return replace(RuleList.binary(POINTS, ("no", "yes"), card, default), **options)


@pytest.mark.parametrize(
    ("rules", "wanted"),
    [
        (
            checklist(unit=0.25),
            [
                "yes if at least 2 of these 3 hold",
                "    age > 30",
                "    smoker",
                "    odor != foul",
                "otherwise no",
                "an empty cell counts half",
                "each one multiplies the odds by 1.65",
                "probability of yes by points: 0: 32 % | 1: 44 % | 2: 56 % | 3: 68 %",
            ],
        ),
        (
            replace(
                checklist(unit=0.5), steps=(Step(Scorecard({(0, True): 2, (1, True): 1}, 3), 1),)
            ),
            [
                "yes from 3 points on",
                "    age: up to 30: 0 | 30 to 60: 2 | over 60: 3 | empty: 1.5",
                "otherwise no",
                "each point multiplies the odds by 2.72",
                "probability of yes by points: 0: 8 % | 1: 18 % | 2: 38 % | 3: 62 %",
            ],
        ),
        (
            checklist(default=1, unit=0.25),
            [
                "yes if at least 2 of these 3 hold",
                "    age > 30",
                "    smoker",
                "    odor != foul",
                "otherwise no",
                "an empty cell counts half",
                "1.5 points, which only empty cells can give: yes",
                "each one multiplies the odds by 1.65",
                "probability of yes by points: 0: 32 % | 1: 44 % | 2: 56 % | 3: 68 %",
            ],
        ),
    ],
)
def test_points_and_checklists(rules: RuleList, wanted: list[str]) -> None:
    assert to_text(rules).split("\n") == wanted


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("scale", [(600, 50, 20), (0, 1, 0.7), (500.5, 30, 3)])
def test_points_in_other_units_give_the_same_answers(seed: int, scale: tuple[float, ...]) -> None:
    """A person who adds the scaled points as they are printed comes to what is predicted."""
    rng = np.random.default_rng(seed)
    rules = random_point_table(POINTS, ["no", "yes"], rng)
    (card,) = rules.rules
    values = rng.choice(np.array([-1, 0, 1], np.int8), (200, 4))
    values[values[:, 1] == 1, 0] = 1
    values[values[:, 1] == 0, 0] = 0
    values[values[:, 0] == 0, 1] = 0
    table = scale_points(card, rules, PointScale(*scale))
    total = np.full(200, table.start)
    for case in table.cases:
        points = [float(f"{one:g}") for _, one in describe_case(case).cells]
        total += np.array(points)[find_cells(case, POINTS, values)]
    decided = rules.margins(values)[:, 0] != 0
    assert ((total >= table.enough) == rules.choose(values))[decided].all()
    assert f"each {scale[2]:g} points double the odds" in to_text(rules, scale)


@pytest.mark.parametrize(
    "scale", ["600", (600, 50), (600, 0, 20), (600, 50, -1), (1, 2, float("nan")), 7]
)
def test_units_that_cannot_be(scale: object) -> None:
    with pytest.raises(RuleError, match="points_scale must be a score, the odds there"):
        to_text(checklist(unit=0.25), scale)
    with pytest.raises(RuleError, match="points_scale is for point tables"):
        to_text(checklist(), (600, 50, 20))


def test_half_points_keep_all_their_digits() -> None:
    card = Scorecard({(0, True): 999_999}, 500_000)
    rules = replace(RuleList.binary(Schema((IsTrue("a"),)), (0, 1), card), unit=0.5)
    assert "a: yes: 999999 | no: 0 | empty: 499999.5" in to_text(rules)
    (row,) = explain(rules, {"a": [None]})
    assert row.fired == {1: ["a: empty: 499999.5"]}
    assert row.reason.startswith("1: 499999.5 points, 500000 needed")
