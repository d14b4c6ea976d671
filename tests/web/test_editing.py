"""What edits by hand would give, against the rules edited so; thresholds and points set by hand."""

import json
from dataclasses import replace
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnri.data.encode import encode
from gnri.data.schema import Above, Schema
from gnri.estimator.cross_validation import Validation
from gnri.rules.dnf import Literal, SignedDNF, coverage, sorted_clauses
from gnri.web.editing import suggest, try_thresholds
from gnri.web.jobs import learn, validate
from gnri.web.security import Limits
from gnri.web.table_view import read_upload
from tests.web.serving import COLUMNS, ask, table_text, upload
from tests.web.test_parts import fits, shown

TEXT = table_text(180, seed=3) + "".join(f",true,a,q{i},yes\n" for i in range(20))
"""Where the age is missing, all are ill."""


@given(fits(), st.data())
def test_what_is_suggested_is_counted_as_the_edited_rule_would_be(
    fitted: Any, data: st.DataObject
) -> None:
    (rule,) = fitted.minimized.rules
    clauses = sorted_clauses(rule)
    at = data.draw(st.sampled_from([None, *range(len(clauses))]))
    old = frozenset() if at is None else frozenset(clauses[at])
    found = suggest(shown(fitted), 0, at, lambda *_: None)
    gains = [one["right"] for one in found["options"]]
    assert gains == sorted(gains, reverse=True)
    for one in found["options"]:
        new = old | {Literal(*literal) for literal in one["literals"]}
        edited = SignedDNF((rule.clauses - {old}) | {new}, rule.positive)
        answers = fitted.minimized.with_rules([edited]).choose(fitted.values)
        assert one["right"] == int((answers == fitted.codes).sum())
        assert one["covered"] == int((coverage(new, fitted.values) == 1).sum()) > 0
    if at is not None and len(old) < 2:
        ends = {frozenset({*old, Literal(a, s)}) for a in range(4) for s in (True, False)}
        inside = coverage(old, fitted.values) == 1
        useful = [
            new for new in ends if 0 < (coverage(new, fitted.values) == 1).sum() < inside.sum()
        ]
        assert found["of"] == len(useful)


@pytest.fixture(scope="module")
def learnt(web: httpx.Client) -> tuple[str, Any]:
    table: str = upload(web, TEXT).json()["table"]
    return table, ask(web, "induce", table=table, target="ill", columns=COLUMNS, form="dnf")


def moved(view: Any, at: tuple[int, int], cut: float) -> list[Any]:
    """The rules with the threshold of a literal at this place."""
    document = view["rules"][0]["document"]
    clauses = [[list(one) for one in clause] for clause in document["clauses"]]
    clauses[at[0]][at[1]][0] = ["age", cut]
    return [{**document, "clauses": clauses}]


def test_each_place_of_a_threshold_costs_what_the_moved_rule_does(
    web: httpx.Client, learnt: Any
) -> None:
    table, view = learnt
    clauses = view["rules"][0]["clauses"]
    at = next((i, j) for i, c in enumerate(clauses) for j, n in enumerate(c["numeric"]) if n)
    body = {"table": table, "rule": 0, "clause": at[0], "literal": at[1]}
    assert ask(web, "thresholds", **body)["held_out"] is None  # not cross-validated yet
    share = ask(web, "validate", table=table)["accuracy"]
    found = ask(web, "thresholds", **body)
    assert sum(map(sum, found["bars"])) < found["rows"] == 200  # some cells are missing
    for place in range(0, len(found["places"]), 7):
        cut = found["places"][place]
        scored = ask(web, "score", table=table, rules=moved(view, at, cut))
        assert found["training"][place] == 200 - scored["accuracy"]["right"]
    assert found["training"][found["at"]] == 200 - view["accuracy"]["right"]
    held_out = found["held_out"]
    assert held_out["having"] == held_out["folds"] == 5
    assert min(held_out["wrong"]) <= round((1 - share) * 200) < max(held_out["wrong"])
    for place in ({"rule": 9}, {"rule": 0, "clause": 99}):
        assert "no literal at this place" in ask(web, "suggest", 422, table=table, **place)["error"]
    text = next(i for i, c in enumerate(clauses) for n in c["numeric"][:1] if not n)
    body = {"table": table, "rule": 0, "clause": text, "literal": 0}
    assert "has no threshold" in ask(web, "thresholds", 422, **body)["error"]


def test_what_is_held_out_is_counted_with_the_rule_of_each_fold() -> None:
    def quiet(*_: Any) -> None:
        pass

    table = read_upload(TEXT.encode(), "pets.csv", Limits())
    fit = learn(table, "ill", COLUMNS, None, {"form": "dnf"}, quiet)
    validation, _ = validate(table, fit, quiet)
    assert isinstance(validation, Validation)
    view = fit.view()["rules"][0]["clauses"]
    at = next((i, j) for i, c in enumerate(view) for j, n in enumerate(c["numeric"]) if n)
    found = try_thresholds(table, fit, validation, 0, *at, quiet)
    cells, now = table.cast(fit.kinds), found["places"][found["at"]]
    for place in range(0, len(found["places"]), 5):
        wrong = 0
        for rows, rules in zip(validation.folds, validation.rules, strict=True):
            assert rules is not None
            above = [one for one in rules.schema.atoms if isinstance(one, Above)]
            near = min(above, key=lambda one: abs(one.cut - now))
            atoms = [
                replace(near, cut=found["places"][place]) if one == near else one
                for one in rules.schema.atoms
            ]
            moved = replace(rules, schema=Schema(tuple(atoms), rules.schema.blocks))
            answers = moved.choose(encode(moved.schema, cells.take(rows)))
            wrong += int((answers != validation.codes[rows]).sum())
        assert found["held_out"]["wrong"][place] == wrong


def test_thresholds_of_ones_own_come_back_as_they_were_sent(web: httpx.Client, learnt: Any) -> None:
    table, view = learnt
    questions = view["questions"]
    clauses = [[[["age", 33.25], True], [["age", 61.75], False]], [[0, False]]]
    mine: list[Any] = [{"clauses": clauses}]
    found = ask(web, "score", table=table, rules=mine)
    (rule,) = found["rules"]
    assert rule["document"] == {"positive": True, **mine[0]} and found["questions"] == questions
    assert rule["clauses"][0]["text"] == "33.25 < age <= 61.75"
    assert ask(web, "score", table=table, rules=[rule["document"]]) == found
    assert "33.25 < age" in ask(web, "export", table=table, rules=mine, format="text")["content"]
    assert ask(web, "score", table=table)["rules"] == view["rules"]
    page = ask(web, "export", table=table, rules=mine, format="html")["content"]
    assert "33.25 &lt; age" in page and "edited by hand" in page
    texts = [text for one in view["rules"][0]["clauses"] for text in one["literals"]]
    cut = next(float(text.split()[-1]) for text in texts if text.startswith("age > "))
    known = [{"clauses": [[[["age", cut], True]]]}]
    (same,) = ask(web, "score", table=table, rules=known)["rules"]
    assert same["clauses"][0]["text"] in texts
    assert type(same["document"]["clauses"][0][0][0]) is int
    place = {"table": table, "rule": 0, "clause": 0, "literal": 0, "rules": mine}
    assert set(ask(web, "edits", **place)) == {"drop", "flip"}
    for row in (0, 7, 199):
        found = ask(web, "explain", table=table, row=row, rules=mine)
        cell, ages = found["cells"]["age"], found["rules"][0]["literals"][0]
        assert (
            ages == [0, 0]
            if not cell
            else ages == [2 * (float(cell) > 33.25) - 1, 2 * (float(cell) <= 61.75) - 1]
        )
    for atoms, said in (
        ([questions], "with an atom from 0 to"),
        ([["dose", 1.5]], "only columns of numbers"),
        ([["id", 1.5]], "only columns of numbers"),
        ([["age", i + 0.125] for i in range(200)], "at most 100 thresholds by hand"),
    ):
        clauses = [[[atom, True] for atom in atoms]]
        refused = ask(web, "score", 422, table=table, rules=[{"clauses": clauses}])
        assert said in refused["error"]


def test_the_clauses_of_a_request_keep_their_order(web: httpx.Client, learnt: Any) -> None:
    table, view = learnt
    clauses = view["rules"][0]["document"]["clauses"]
    assert len(clauses) > 1
    turned = [{"clauses": [clause[::-1] for clause in clauses[::-1]]}]
    found = ask(web, "score", table=table, rules=turned)
    one, other = found["rules"][0], view["rules"][0]
    assert one["document"]["clauses"] == turned[0]["clauses"]
    assert [c["text"] for c in one["clauses"]] == [c["text"] for c in other["clauses"]][::-1]
    assert [c["figures"] for c in one["clauses"]] == [c["figures"] for c in other["clauses"]][::-1]
    bars = [[strip["bars"] for strip in view["map"]["strips"]] for view in (found, view)]
    assert bars[0] == bars[1][::-1] and not found["edited"]
    rows = [ask(web, "explain", table=table, row=row, rules=turned) for row in range(9)]
    for row, answer in enumerate(rows):
        (plain,) = ask(web, "explain", table=table, row=row)["rules"]
        last = len(clauses) - 1
        assert sorted(last - i for i in plain["fired"]) == answer["rules"][0]["fired"]


def test_points_are_raised_cell_by_cell(web: httpx.Client, learnt: Any) -> None:
    table, _ = learnt
    body = {"table": table, "target": "ill", "columns": COLUMNS, "form": "scorecard"}
    view = ask(web, "induce", **body)
    (rule,) = view["rules"]
    document, raised = rule["document"], 0
    for name, cells in rule["lines"]:
        assert cells[-1][2] is None  # an empty cell has half of the others
        for words, _, up in cells[:-1]:
            new = {**document, "points": document["points"] + [[c, 7 * k] for c, k in up]}
            (found,) = ask(web, "score", table=table, rules=[new])["rules"]
            own = next((c for n, c in found["lines"] if n == name), None)
            if own is None:  # all of its cells are equal now
                continue
            now = {c[0]: c[1] + 7 * (c[0] == words) for c in cells[:-1]}
            base = now["no"] if " and " in name else min(now.values())
            assert {c[0]: c[1] for c in own[:-1]} == {one: p - base for one, p in now.items()}
            assert found["enough"] == rule["enough"] - base
            raised += 1
    assert raised > 3


def test_clauses_are_kept_and_floors_are_met(web: httpx.Client) -> None:
    table: str = upload(web, table_text(200, seed=4)).json()["table"]
    asked = {"table": table, "target": "ill", "columns": COLUMNS}
    view = ask(web, "induce", **asked)
    rules = [{"clauses": [[[["age", 29.5], False], [10, False]]]}]
    kept = ask(web, "export", table=table, rules=rules, format="json")["content"]
    found = ask(web, "induce", **asked, keep=json.loads(kept))
    texts = [one["text"] for one in found["rules"][0]["clauses"]]
    assert "age <= 29.5 and not smoker" in texts and len(texts) > 1
    assert found["learnt"] != view["learnt"]
    assert ask(web, "validate", table=table)["accuracy"] > 0.5
    three = ask(web, "tables", dataset="iris")
    refused = ask(web, "induce", 422, table=three["table"], target="class", keep=json.loads(kept))
    assert "keep" in refused["error"]
    floors = {"min_precision": {"yes": 0.9}, "class_weight": {"yes": 2, "no": 1}}
    at_target = ask(web, "induce", **asked, **floors)
    assert at_target["learnt"] not in (view["learnt"], found["learnt"])
    assert ask(web, "validate", table=table)["accuracy"] > 0.5  # weights by name, in folds as well
    points = ask(web, "points", table=table)
    assert points["class"] == "yes" and sum(one["chosen"] for one in points["points"]) == 1
    refused = ask(web, "induce", 422, **asked, min_precision={"yes": 1}, min_recall={"yes": 1})
    assert "cannot be reached on rows held out" in refused["error"]
    assert "<= 1" in ask(web, "induce", 422, **asked, min_recall={"yes": 2})["error"]


def test_rows_without_a_label_are_left_out_of_the_validation(web: httpx.Client) -> None:
    table: str = upload(web, table_text() + "30,true,a,p120,\n" * 7).json()["table"]
    ask(web, "induce", table=table, target="ill", columns=COLUMNS)
    assert ask(web, "validate", table=table)["accuracy"] > 0.8
