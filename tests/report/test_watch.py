"""What `gnri watch` says of new rows: exact tests, what broke first, and few false alarms."""

import json
from itertools import combinations
from math import comb, log
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnri import RuleClassifier
from gnri.data.sources import read_table
from gnri.errors import GnriError
from gnri.report.batch import code_labels, group_rows
from gnri.report.change_checks import Limits
from gnri.report.change_tests import beyond_range_p_value, find_change, fisher, holm, psi
from gnri.report.monitoring import WatchReport
from gnri.rules.documents import load_rules, load_training
from tests.cli.commands import one_line, run
from tests.reliability.false_alarms import watch_half
from tests.report.pages import Page

BROKEN = "debts = none and owner = yes"


def loans(rows: int, broken: bool = False, seed: int = 0) -> pd.DataFrame:
    """Loans, granted by two clauses; of a broken one seven in ten are refused."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "income": rng.integers(15, 65, rows),
            "debts": rng.choice(["many", "none", "some"], rows),
            "owner": rng.choice(["yes", "no"], rows),
        }
    )
    owns = (table["debts"] == "none") & (table["owner"] == "yes")
    kept = owns & (rng.random(rows) < 0.3) if broken else owns
    good = ((table["income"] > 40) & (table["debts"] != "many")) | kept
    table["granted"] = np.where(good ^ (rng.random(rows) < 0.02), "yes", "no")
    return table


@pytest.fixture(scope="module")
def classifier() -> RuleClassifier:
    table = loans(500)
    return RuleClassifier(form="dnf").fit(table.drop(columns="granted"), table["granted"])


def watched(classifier: RuleClassifier, table: pd.DataFrame, **more: object) -> WatchReport:
    given = {"folds": 0, **more}
    return classifier.watch(table.drop(columns="granted"), table["granted"], **given)


# The tests of a change, beside slow ones that list every case.


def counted(then: tuple[int, int], now: tuple[int, int], tail: str) -> float:
    """Fisher's test, by listing which rows could be the new ones."""
    (a, n), (b, m) = then, now
    hits = [True] * (a + b) + [False] * (n + m - a - b)
    found = [sum(hits[i] for i in rows) for rows in combinations(range(n + m), m)]
    each = {x: found.count(x) for x in found}
    if tail == "fewer":
        kept = sum(count for x, count in each.items() if x <= b)
    elif tail == "more":
        kept = sum(count for x, count in each.items() if x >= b)
    else:
        kept = sum(count for count in each.values() if count <= each[b])
    return kept / comb(n + m, m)


@given(st.integers(1, 5), st.integers(1, 5), st.data())
def test_fisher_is_the_share_of_all_orders(n: int, m: int, data: st.DataObject) -> None:
    then = data.draw(st.integers(0, n)), n
    now = data.draw(st.integers(0, m)), m
    for tail in ("both", "fewer", "more"):
        assert fisher(then, now, tail) == pytest.approx(counted(then, now, tail))


def test_fisher_of_many_rows_is_a_probability() -> None:
    assert fisher((500_000, 1_000_000), (500_600, 1_000_000)) == pytest.approx(0.3964, abs=1e-3)
    assert fisher((0, 0), (0, 10)) == 1.0


@given(st.integers(1, 5), st.integers(1, 5), st.data())
def test_exceeds_is_the_share_of_all_orders(n: int, m: int, data: st.DataObject) -> None:
    beyond = data.draw(st.integers(1, m))
    orders = list(combinations(range(n + m), m))  # the ranks of the new numbers
    above = [rows for rows in orders if set(rows) >= set(range(n + m - beyond, n + m))]
    assert beyond_range_p_value(n, m, beyond) == pytest.approx(len(above) / len(orders))


def test_corrected_p_values_and_stability() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert psi((9, 10), (9, 10)) == 0.0
    old, new = (9.5 / 11, 1.5 / 11), (1.5 / 11, 9.5 / 11)
    wanted = sum((b - a) * log(b / a) for a, b in zip(old, new, strict=True))
    assert psi((9, 10), (1, 10)) == pytest.approx(wanted)


def test_a_change_is_found_where_it_is() -> None:
    for start in range(6):
        rows = [(18, 20)] * start + [(8, 20)] * (6 - start)
        assert find_change((90, 100), rows) == start


# What broke.


def test_the_broken_clause_is_named_first(classifier: RuleClassifier) -> None:
    table = pd.concat([loans(300, seed=1), loans(300, broken=True, seed=2)])
    found = watched(classifier, table)
    assert found.broke_first is not None
    assert (found.broke_first.kind, found.broke_first.what) == ("precision", BROKEN)
    assert found.broke_first.since in (5, 6, 7)  # of 12
    assert f"broke first: {BROKEN}" in found.to_text()
    assert {one.kind for one in found.alarms} == {"precision"}


def test_nothing_is_wrong_where_nothing_changed(classifier: RuleClassifier) -> None:
    found = watched(classifier, loans(600, seed=3))
    assert found.alarms == [] and found.broke_first is None
    assert found.to_text().endswith("no alarm")


@pytest.mark.parametrize(("form", "halves"), [("dnf", 6), ("scorecard", 2)])
def test_shuffled_halves_raise_no_alarm(form: str, halves: int, tmp_path: Path) -> None:
    path = tmp_path / "loans.csv"
    loans(240, seed=4).to_csv(path, index=False)
    table = read_table(path)
    found = [watch_half(table, seed, form, validate=False).alarms for seed in range(halves)]
    assert sum(map(bool, found)) == 0


CHANGES = {
    "coverage": ("income", lambda _: 60),
    "missing": ("debts", lambda cells: cells.where(cells.index % 4 > 0, None)),
    "unseen": ("debts", lambda cells: cells.where(cells.index % 10 > 0, "few")),
    "outside": ("income", lambda cells: cells.where(cells.index % 10 > 0, 1000)),
    "class": ("granted", lambda _: "no"),
    "label": ("granted", lambda cells: cells.where(cells.index % 10 > 0, "perhaps")),
}


@pytest.mark.parametrize("kind", CHANGES)
def test_each_kind_of_change_is_an_alarm(kind: str, classifier: RuleClassifier) -> None:
    column, change = CHANGES[kind]
    table = loans(600, seed=5)
    table[column] = change(table[column])
    assert kind in {one.kind for one in watched(classifier, table).alarms}
    raised = {"alpha": 0.0}
    assert watched(classifier, table, **raised).alarms == []


def test_cross_validation_lowers_what_is_expected(classifier: RuleClassifier) -> None:
    table = loans(300, seed=6)
    plain, validated = watched(classifier, table), watched(classifier, table, folds=2)
    assert "not cross-validated" in plain.to_text()
    assert "not cross-validated" not in validated.to_text()
    for one, other in zip(plain.parts, validated.parts, strict=True):
        assert one.loss == 0.0
        hits, covered = other.expected
        assert covered == other.then.covered and hits <= other.then.hits


def test_rows_without_a_label_count_for_coverage_alone(classifier: RuleClassifier) -> None:
    table = loans(200, seed=7)
    table.loc[table.index % 2 == 0, "granted"] = None
    found = watched(classifier, table)
    assert found.now.counts.rows == 200
    assert found.now.labelled is not None and found.now.labelled.rows == 100
    nobody = classifier.watch(table.drop(columns="granted"))
    assert nobody.now.labelled is None
    assert all(part.labelled is None for part in nobody.parts)


def test_labels_and_slices() -> None:
    assert code_labels(["yes", None, "", float("nan"), "x"], ["no", "yes"]).tolist() == [
        *(1, -1, -1, -1, 2)
    ]
    assert code_labels([True, "true", 1.0], [False, True]).tolist() == [1, 1, 1]
    assert code_labels([pd.NA, pd.NaT, "b"], ["a", "b"]).tolist() == [-1, -1, 1]
    parts = ["up to -1.5", "above -1.5 up to 1e+16", "above 1e+16"]
    assert code_labels([-1.5, 2, 1e16, 2e16, None], parts).tolist() == [0, 1, 1, 2, -1]
    assert code_labels([1, 2], ["up to 2", "above 1"]).tolist() == [2, 2]
    days = ["2024-02-01", "2024-01-31 10:00", None, "2024-02-03"]
    assert [(one.name, one.rows.tolist()) for one in group_rows(days, "day")] == [
        ("2024-01", [1]),
        ("2024-02", [0, 3]),
        ("(empty)", [2]),
    ]
    assert [one.name for one in group_rows([10.0, 9.0, 10.0], "week")] == ["9.0", "10.0"]
    with pytest.raises(GnriError, match="at most 60 values"):
        group_rows([f"t{i}" for i in range(61)], "name")


def test_three_classes_and_points(classifier: RuleClassifier) -> None:
    table = loans(400, seed=8)
    labels = np.where(table["owner"] == "yes", "own", table["granted"])
    X = table.drop(columns="granted")
    for form in ("dnf", "scorecard"):
        three = RuleClassifier(form=form, max_lines=4).fit(X[:200], labels[:200])
        found = three.watch(X[200:], labels[200:], folds=0)
        assert found.alarms == []
        kinds = {part.kind for part in found.parts}
        assert kinds == ({"rule", "clause"} if form == "dnf" else {"rule", "line", "band"})
    rows = sum(one.now.covered for one in found.parts if one.kind == "band")
    assert rows == 200 * len(three.rule_list_.steps)


# The command, its files and its page.


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("watch")
    loans(500).to_csv(folder / "then.csv", index=False)
    table = pd.concat([loans(300, seed=1), loans(300, broken=True, seed=2)])
    table["day"] = pd.date_range("2025-01-01", periods=600, freq="12h").strftime("%Y-%m-%d")
    table.to_csv(folder / "new.csv", index=False)
    words = ("--target", "granted", "--form", "dnf", "--out", folder / "rule.json")
    assert run("induce", folder / "then.csv", *words).exit_code == 0
    return folder


def test_the_file_of_a_rule_keeps_counts_and_no_rows(folder: Path) -> None:
    kept = load_training(folder / "rule.json")
    assert kept is not None and kept["rows"] == 500
    assert set(kept) == {"version", "rows", "classes", "rules", "columns", "answers"}
    assert set(kept["columns"]) == {"income", "debts", "owner"}
    assert kept["columns"]["income"]["values"] is None  # no numbers but the ends
    assert sum(kept["columns"]["debts"]["values"].values()) == 500
    assert len((folder / "rule.json").read_bytes()) < 5_000
    assert load_rules(folder / "rule.json").classes == ("no", "yes")


def test_limits_that_cannot_be_are_refused() -> None:
    for wrong in ({"alpha": 2}, {"drop": -0.1}, {"psi": float("nan")}):
        with pytest.raises(GnriError, match=f"{next(iter(wrong))}.* must be a number from 0"):
            Limits(**wrong)


def test_a_limit_that_is_crossed_is_exit_code_3(folder: Path) -> None:
    words = ("watch", folder / "rule.json", folder / "new.csv")
    calm = run(*words)
    assert calm.exit_code == 0 and calm.stdout.endswith("no alarm\n")
    page = folder / "page.html"
    found = run(*words, "--target", "granted", "--by", "day", "--report", page)
    assert found.exit_code == 3
    assert f"broke first: {BROKEN}\n" in found.stdout and ", since 2025-0" in found.stdout
    assert run(*words, "--target", "granted", "--drop", "0.9").exit_code == 0
    document = json.loads(run(*words, "--target", "granted", "--json").stdout)
    assert document["alarm"] and document["broke_first"]["what"] == BROKEN
    shown = Page(page.read_text())
    assert shown.faults == []
    assert f"Broke first: {BROKEN}" in shown.text


def test_the_training_table_does_as_well_as_its_counts(folder: Path) -> None:
    words = ("watch", folder / "rule.json", folder / "new.csv", "--target", "granted", "--json")
    by_counts = json.loads(run(*words).stdout)
    by_rows = json.loads(run(*words, "--training", folder / "then.csv").stdout)
    assert by_rows["parts"] == by_counts["parts"]
    assert by_rows["rows"] == by_counts["rows"]


def test_labels_of_a_cut_target_are_numbers(folder: Path) -> None:
    table = loans(300).drop(columns="granted")
    table.to_csv(folder / "incomes.csv", index=False)
    words = (folder / "incomes.csv", "--target", "income")
    learnt = run("induce", *words, "--bins", "3", "--form", "dnf", "--out", folder / "cut.json")
    assert learnt.exit_code == 0, learnt.output
    found = json.loads(run("watch", folder / "cut.json", *words, "--json").stdout)
    assert not found["alarm"]
    rule = found["parts"][0]["precision"]
    assert rule["then"] == rule["now"]


def test_what_cannot_be_compared_is_said_in_one_line(folder: Path) -> None:
    document = json.loads((folder / "rule.json").read_text())
    old = {name: value for name, value in document.items() if name != "training"}
    (folder / "old.json").write_text(json.dumps(old))
    new = folder / "new.csv"
    assert load_training(folder / "old.json") is None
    assert "--training" in one_line(run("watch", folder / "old.json", new))
    document["training"]["rules"][0]["clauses"].pop()
    (folder / "other.json").write_text(json.dumps(document))
    assert "is of other rules" in one_line(run("watch", folder / "other.json", new))
    document["training"]["rules"][0]["figures"]["hits"] = 10**9
    (folder / "other.json").write_text(json.dumps(document))
    assert "cannot be read" in one_line(run("watch", folder / "other.json", new))
    small = folder / "small.csv"
    small.write_text("income,debts\n5,none\n")
    assert "no column 'owner'" in one_line(run("watch", folder / "rule.json", small))
    words = ("watch", folder / "rule.json", new, "--by", "day", "--slices", "3")
    assert "leave --slices out" in one_line(run(*words))
    assert "alpha must be a number" in one_line(run(*words[:3], "--alpha", "-1"))
