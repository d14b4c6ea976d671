"""A reproduction that is killed goes on to the rows and the tables of one that was not."""

import signal
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest
from typer.testing import CliRunner

from studies.__main__ import app
from studies.results import provenance, read
from studies.study import load_protocol
from studies.training.checkpoints import save_checkpoint
from tests.model.cases import SMALL, random_network

STUDY = "readouts"

KILLED = """
import os, signal
from studies.__main__ import app
from studies import study
begun, measured = [], study.measure_piece
def rows_of(*given):
    begun.append(given)
    if len(begun) == 4:
        os.kill(os.getpid(), signal.SIGKILL)
    return measured(*given)
study.measure_piece = rows_of
app()
"""


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    """Those of the tiny sweep, untrained."""
    sweep = load_protocol(tiny=True).section("sweep")
    for condition in sweep.conditions:
        tensors = random_network(condition).arrays()
        for seed in sweep.seeds:
            folder = tmp_path / "weights" / f"{condition}-{seed}" / "checkpoint"
            save_checkpoint(folder, asdict(SMALL), condition, tensors, extra={})
    return tmp_path / "weights"


def test_a_reproduction_that_is_killed_goes_on_to_the_same_rows(
    tmp_path: Path, weights: Path
) -> None:
    def words(name: str) -> list[str]:
        places = ["--checkpoints", str(weights), "--results", str(tmp_path / name)]
        return ["reproduce", STUDY, "--tiny", "--device", "cpu", *places]

    died = subprocess.run([sys.executable, "-c", KILLED, *words("killed")], check=False)
    assert died.returncode == -signal.SIGKILL
    before = read(tmp_path / "killed" / f"{STUDY}.csv")
    for name, pieces in (("killed", 5), ("whole", 8)):
        done = CliRunner().invoke(app, words(name))
        assert done.output == f"{STUDY}: {pieces} pieces measured\n"
    found, whole = (_rows(tmp_path / name / f"{STUDY}.csv") for name in ("killed", "whole"))
    assert found == whole
    assert 0 < len(before) < len(whole)
    tables = [(tmp_path / name / f"{STUDY}.md").read_bytes() for name in ("killed", "whole")]
    assert tables[0] == tables[1]
    assert [path for path in tmp_path.rglob("*.part")] == []


def _rows(path: Path) -> list[dict[str, str]]:
    """Without where they came from: the day may have changed."""
    origin = set(provenance("cpu"))
    return [{name: cell for name, cell in row.items() if name not in origin} for row in read(path)]
