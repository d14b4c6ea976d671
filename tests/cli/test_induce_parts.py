"""`gnri induce` on a table in parts says what it says on the same table in one file."""

import json
from pathlib import Path

import pytest
from distributed import LocalCluster

from gnri.cli import learning as module
from tests.cli.commands import run
from tests.estimator.parts import TARGET, table, write_parts


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = tmp_path / "parts"
    found.mkdir()
    write_parts(table("mushrooms", 300, seed=2), found, 5)
    return found


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    path = tmp_path / "whole.parquet"
    table("mushrooms", 300, seed=2).to_parquet(path, index=False)
    return path


def learnt(*words: str | Path) -> dict:
    result = run("induce", *words, "--target", TARGET, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


SAME = ("rule_list", "text", "classes", "rows", "columns", "model", "target")


def test_a_folder_a_pattern_and_a_budget(folder: Path, whole: Path, tmp_path: Path) -> None:
    expected = learnt(whole, "--no-estimate")
    out = tmp_path / "rule.json"
    for words in ([folder], [folder / "5-*.parquet", "--out", out], [whole, "--memory", "2GB"]):
        found = learnt(*words)
        assert [found[key] for key in SAME] == [expected[key] for key in SAME]
        assert found["passes"][0] == 2 and found["passes"][1] > 3
        assert "in parts" in found["held_out"]["skipped"]
    saved = json.loads(out.read_text())
    assert saved.pop("training")["rows"] == expected["rows"]
    assert saved == expected["rule_list"]
    assert "passes" not in expected


def test_what_a_person_reads(folder: Path, whole: Path) -> None:
    expected = run("induce", whole, "--target", TARGET, "--no-estimate").stdout.splitlines()
    found = run("induce", folder, "--target", TARGET).stdout.splitlines()
    end = next(i for i, line in enumerate(expected) if line.startswith("held out"))
    assert found[1:end] == expected[1:end]
    assert any(line.startswith("passes    2 over the files, then ") for line in found)


def test_a_column_is_left_out(folder: Path, whole: Path) -> None:
    words = ("--ignore", "odor")
    assert (
        learnt(folder, *words)["rule_list"] == learnt(whole, *words, "--no-estimate")["rule_list"]
    )


def test_a_large_file_is_read_in_parts_unasked(
    whole: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LARGE_FILE", 100)
    assert "passes" in learnt(whole)


def test_workers_count(folder: Path, whole: Path, workers: LocalCluster) -> None:
    found = learnt(folder, "--scheduler", workers.scheduler_address)
    assert found["rule_list"] == learnt(whole, "--no-estimate")["rule_list"]
