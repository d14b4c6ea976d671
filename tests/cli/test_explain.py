"""`gnri explain`: why rows get their answers, and what would change these."""

import json
from pathlib import Path
from typing import Any

import pytest

from gnri.data.schema import Above, Equals, Schema
from gnri.rules.dnf import SignedDNF
from gnri.rules.documents import save_rules
from gnri.rules.rule_list import RuleList
from tests.cli.commands import run


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    schema = Schema((Above("income", 40.0), Equals("debts", "many", "none")))
    rule = SignedDNF([[(0, True), (1, False)]])
    save_rules(RuleList.binary(schema, ("no", "yes"), rule), tmp_path / "rule.json")
    (tmp_path / "t.csv").write_text("id,income,debts\n1,35,none\n2,60,none\n3,,many\n")
    return tmp_path / "rule.json", tmp_path / "t.csv"


def test_each_row_its_reason_and_its_nearest_change(files: tuple[Path, Path]) -> None:
    result = run("explain", *files, "--changeable", "income")
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines() == [
        "row 1: no - the rule of yes fails",
        "    no because income is at most 40; it would be yes if income were over 40",
        "row 2: yes - the rule of yes holds",
        "    income > 40 and debts = none",
        "    yes because income is over 40; it would be no if income were at most 40",
        "row 3: no - the rule of yes fails",
        "    no change of these columns changes the answer",
    ]
    plain = run("explain", *files, "--row", "2").stdout
    assert plain.splitlines() == [*result.stdout.splitlines()[2:4]]


@pytest.mark.parametrize(
    ("classes", "words"),
    [((False, True), ("false", "true")), (("a\nb", "c d"), ('"a\\nb"', "c d"))],
)
def test_classes_are_written_and_read_as_in_rules(
    classes: tuple[Any, Any], words: tuple[str, str], tmp_path: Path
) -> None:
    rule = SignedDNF([[(0, True)]])
    rules = RuleList.binary(Schema((Above("x", 1.0),)), classes, rule)
    save_rules(rules, tmp_path / "rule.json")
    (tmp_path / "t.csv").write_text("x\n2\n")
    files = tmp_path / "rule.json", tmp_path / "t.csv"
    result = run("explain", *files, "--changeable", "x", "--towards", words[0])
    first, second = words
    assert result.stdout.splitlines() == [
        f"row 1: {second} - the rule of {second} holds",
        "    x > 1",
        f"    {second} because x is over 1; it would be {first} if x were at most 1",
    ]


def test_json(files: tuple[Path, Path]) -> None:
    words = ("--row", "3", "--changeable", "income", "--changeable", "debts", "--json")
    (found,) = json.loads(run("explain", *files, *words, "--towards", "yes").stdout)
    assert found["row"] == 3 and found["prediction"] == "no"
    (change,) = found["changes"]
    assert change["cells"] == {"income": [41], "debts": ["none"]}
    assert change["movement"] == 2.0 and change["prediction"] == "yes"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--row", "4"], "--row must be from 1 to 3"),
        (["--changeable", "incme"], "did you mean 'income'?"),
        (["--towards", "yes"], "towards needs changeable"),
        (["--changeable", "income", "--towards", "maybe"], "one of the classes"),
    ],
)
def test_what_cannot_be(options: list[str], said: str, files: tuple[Path, Path]) -> None:
    result = run("explain", *files, *options)
    assert result.exit_code == 2 and said in result.stderr
    assert len(result.stderr.splitlines()) == 1
