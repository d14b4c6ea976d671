"""A table in a file, and the rule learnt from it."""

from pathlib import Path

import pytest

from tests.cli.commands import csv_text, run


@pytest.fixture(scope="package")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tables") / "mushrooms.csv"
    path.write_text(csv_text())
    return path


@pytest.fixture(scope="package")
def rule(table: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("rules") / "rule.json"
    words = ["induce", table, "--target", "class", "--no-estimate", "--out", path]
    result = run(*words)
    assert result.exit_code == 0, result.output
    return path
