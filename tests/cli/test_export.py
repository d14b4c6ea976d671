"""`gnri export`."""

import re
from pathlib import Path

import pytest

from gnri import RuleClassifier
from gnri.formats import FORMATS
from gnri.rules.documents import from_json, load_rules, save_rules
from tests.cli.commands import one_line, run
from tests.estimator.test_point_tables import mixed_table


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_names_the_column_and_both_classes(rule: Path, form: str) -> None:
    result = run("export", rule, "--format", form)
    assert result.exit_code == 0, result.output
    for word in ("height", "good", "bad"):
        assert word in result.stdout


def test_the_help_names_every_format() -> None:
    *names, last = FORMATS
    words = re.sub(r"[\s│]+", " ", run("export", "--help").stdout)
    assert f"{', '.join(names)} or {last}." in words


def test_sql_reads_the_table_named(rule: Path) -> None:
    result = run("export", rule, "--format", "sql", "--table", "forest finds")
    assert 'FROM "forest finds"' in result.stdout


def test_json_is_read_back(rule: Path, tmp_path: Path) -> None:
    out = tmp_path / "copy.json"
    assert run("export", rule, "--format", "json", "--out", out).exit_code == 0
    assert from_json(out.read_text()) == load_rules(rule)


def test_python_predicts_as_the_rule(rule: Path) -> None:
    space: dict[str, object] = {}
    exec(run("export", rule, "--format", "python").stdout, space)
    predict = space["predict"]
    assert callable(predict)
    heights = [1.0, 20.0, None]
    rows = [predict({"height": height}) for height in heights]
    assert rows == load_rules(rule).predict({"height": heights})


def test_points_in_credit_units(rule: Path, tmp_path: Path) -> None:
    frame, labels = mixed_table(0)
    points = tmp_path / "points.json"
    save_rules(RuleClassifier(form="scorecard").fit(frame, labels).rule_list_, points)
    for form in ("text", "latex"):
        result = run("export", points, "--format", form, "--points-scale", "600,50,20")
        assert "from 487 points on; begin with" in result.stdout
        assert "each 20 points double the odds; 600 points are odds of 50 to 1" in result.stdout
    for words, message in (
        ((points, "--points-scale", "600;50"), "three numbers with commas"),
        ((points, "--points-scale", "600,50"), "points_scale must be a score"),
        ((rule, "--points-scale", "600,50,20"), "points_scale is for point tables"),
        ((points, "--points-scale", "600,50,20", "--format", "sql"), "as they were learnt"),
    ):
        assert message in one_line(run("export", *words))
