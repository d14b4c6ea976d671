"""Texts that mean missing: the rule is that of the table with empty cells in their place."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnri.classifier import RuleClassifier
from gnri.data.sources import open_source, read_table
from gnri.data.structure import TextFormat
from gnri.data.table import Column
from gnri.errors import GnriError
from gnri.formats import FORMATS, render
from gnri.rules.documents import load_rules
from tests.cli.commands import run

TEXTS = ("k.A.", "n/a*", "-99", "1,5", "x", "--", "0")
CELLS = ("1", "2.25", "-3", "x", "yes", "true", "", "NA", "-", "007", "0", "-99.0")


def read(column: Column) -> tuple[Any, ...]:
    decided = column.decide()
    return decided.kind, decided.texts()


@given(
    cells=st.lists(st.sampled_from((*CELLS, None)), min_size=1, max_size=12),
    text=st.sampled_from(TEXTS),
)
def test_columns_are_those_with_empty_cells(
    cells: list[str | None], text: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("t") / "t.csv"
    path.write_text("a;b\n" + "".join(f"{text if c is None else c};u\n" for c in cells))
    how = TextFormat(na_values=[f" {text}"])
    (batch,) = open_source(path, how).partitions[0].batches(["a"])
    found = [read(read_table(path, text=how)["a"]), read(batch["a"])]
    absent = {None, text, "-99.0" if text == "-99" else text}
    path.write_text("a;b\n" + "".join(f"{'' if c in absent else c};u\n" for c in cells))
    assert found == [read(read_table(path)["a"])] * 2


def patients(missing: str, rows: int = 300) -> str:
    """Ill if old and a smoker, or a cook with high costs; a tenth of all cells is missing."""
    rng = np.random.default_rng(0)
    age, cost = rng.integers(18, 80, rows), rng.normal(50, 20, rows).round(1)
    smoker, job = rng.choice(["yes", "no"], rows), rng.choice(["cook", "nurse", "clerk"], rows)
    ill = np.where((age > 50) & (smoker == "yes") | (job == "cook") & (cost > 60), "ill", "well")
    table = np.array([age, cost, smoker, job, ill], object)
    table[rng.random(table.shape) < 0.1] = missing
    lines = [",".join(map(str, row)) for row in table.T]
    return "\n".join(["age,cost,smoker,job,state", *lines]) + "\n"


def write(folder: Path, missing: str) -> Path:
    path = folder / "t.csv"
    folder.mkdir(exist_ok=True)
    path.write_text(patients(missing))
    return path


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    """A table with `k.A.`, its rule, and the rule of the table with empty cells."""
    folder = tmp_path_factory.mktemp("t")
    table, rule, plain = write(folder, "k.A."), folder / "rule.json", folder / "plain.json"
    words = ("--target", "state", "--no-estimate", "--form", "dnf", "--out")
    assert run("induce", table, *words, rule, "--na-values", "k.A.").exit_code == 0
    assert run("induce", write(folder / "empty", ""), *words, plain).exit_code == 0
    return table, rule, plain


@pytest.mark.parametrize("way", [(), ("--memory", "1GB")], ids=["memory", "parts"])
@pytest.mark.parametrize("form", ["dnf", "scorecard"])
def test_the_rule_is_that_of_empty_cells(way: tuple[str, ...], form: str, tmp_path: Path) -> None:
    told = []
    for missing, *texts in (("", "nothing"), ("k.A.", "k.A."), ("-99", "#", "-99")):
        words = [word for text in texts for word in ("--na-values", text)]
        path = write(tmp_path, missing)
        words += ["--target", "state", "--no-estimate", "--form", form, "--json", *way]
        result = run("induce", path, *words)
        assert result.exit_code == 0, result.stderr
        found = json.loads(result.stdout)
        assert found["rule_list"].pop("na_values") == texts
        told.append({**found, "seconds": 0})
    assert told[0] == told[1] == told[2]


def test_files_and_frames_in_python(saved: tuple[Path, Path, Path], tmp_path: Path) -> None:
    table, _, plain = saved
    with pytest.warns(UserWarning, match="without a label"):
        found = RuleClassifier(form="dnf").fit_files(table, "state", na_values="k.A.")
    assert found.rule_list_.na_values == ("k.A.",)
    assert replace(found.rule_list_, na_values=()) == load_rules(plain)
    frame = pd.read_csv(table, na_values=["k.A."]).drop(columns="state")
    expected = found.explain(frame)
    frame["smoker"] = frame["smoker"].fillna("k.A.")
    assert found.explain(frame) == expected
    frame["state"] = pd.read_csv(table)["state"]
    frame.to_parquet(tmp_path / "t.parquet")
    with pytest.warns(UserWarning, match="without a label"):
        again = RuleClassifier(form="dnf").fit_files(
            tmp_path / "t.parquet", "state", na_values=["k.A."]
        )
    assert again.rule_list_ == found.rule_list_


def test_numbers_of_any_file_are_compared_as_numbers(tmp_path: Path) -> None:
    pd.DataFrame({"a": [1, -99, 3], "b": [1.5, -99.0, 2.0]}).to_parquet(tmp_path / "t.parquet")
    found = read_table(tmp_path / "t.parquet", text=TextFormat(na_values=[-99]))
    assert [column.missing for column in found.values()] == [1, 1]
    (tmp_path / "t.csv").write_text("a;b\n1,5;2\n-9,50;-9,5\n")
    found = read_table(tmp_path / "t.csv", text=TextFormat(",", na_values=["-9,5"])).decide()
    assert [column.texts() for column in found.values()] == [["1.5", ""], ["2.0", ""]]


def test_the_rule_file_is_all_that_later_commands_need(saved: tuple[Path, Path, Path]) -> None:
    table, rule, plain = saved
    empty = table.parent / "empty" / "t.csv"
    found, expected = (run("predict", *pair).stdout for pair in ((rule, table), (plain, empty)))
    assert found.replace("k.A.", "") == expected and "k.A." in found
    for words in (("explain",), ("watch", "--target", "state"), ("watch", "--training", empty)):
        command, *more = words
        found, expected = (
            run(command, *pair, *more).stdout for pair in ((rule, table), (plain, empty))
        )
        assert found == expected != ""


def test_a_dossier_is_checked_without_the_option(tmp_path: Path) -> None:
    text = "\n".join(
        line for line in patients("k.A.", 80).splitlines() if not line.endswith("k.A.")
    )
    (tmp_path / "t.csv").write_text(text)
    words = (
        "--target",
        "state",
        "--form",
        "dnf",
        "--na-values",
        "k.A.",
        "--resamples",
        "0",
        "--dossier",
    )
    assert run("audit", tmp_path / "t.csv", *words, tmp_path / "d").exit_code == 0
    assert "is the same" in run("verify", tmp_path / "d", tmp_path / "t.csv").stdout


def test_programs_name_the_texts_in_a_comment(saved: tuple[Path, Path, Path]) -> None:
    rules, plain = (load_rules(path).minimized() for path in saved[1:])
    rules = replace(rules, na_values=("k.A.", "\n-- '"))
    for name, form in FORMATS.items():
        options = {"table": "t"} if name == "sql" else {}
        found, expected = (render(one, name, **options) for one in (rules, plain))
        if form.comment:
            line, _, rest = found.partition("\n")
            assert line.startswith(form.comment) and line.endswith("'k.A.', \"\\n-- '\"")
            assert rest == expected
        elif name != "json":
            assert found == expected


def test_what_is_no_list_of_texts_is_refused() -> None:
    for wrong in ({"age": ["k.A."]}, None):
        with pytest.raises(GnriError, match="na_values must be a list of texts"):
            RuleClassifier().fit_files("t.csv", "state", na_values=wrong)  # type: ignore[arg-type]
