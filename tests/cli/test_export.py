"""`gnri export`."""

from pathlib import Path

import pytest

from gnri.formats import FORMATS
from gnri.rules.documents import from_json, load_rules
from tests.cli.commands import run


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_names_the_column_and_both_classes(rule: Path, form: str) -> None:
    result = run("export", rule, "--format", form)
    assert result.exit_code == 0, result.output
    for word in ("height", "good", "bad"):
        assert word in result.stdout


def test_the_help_names_every_format() -> None:
    *names, last = FORMATS
    assert f"{', '.join(names)} or {last}." in run("export", "--help").stdout


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
