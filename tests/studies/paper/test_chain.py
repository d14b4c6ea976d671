"""From training to tables, at toy size."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from studies.__main__ import app
from studies.paper import cost, native_forward, readouts, studies
from studies.paper.networks import train_tiny
from studies.results import read
from studies.study import Context, Protocol, load_protocol, render, run


def test_weights_rows_and_tables(tmp_path: Path) -> None:
    sections = dict(load_protocol(tiny=True).sections)
    sections["sweep"] = {"conditions": ["nri", "gnri"], "seeds": [42]}
    sections["readouts"] |= {"conditions": ["nri", "gnri"], "seeds": [42]}
    sections["cost"] |= {"arms": ["nri", "gnri", "folded"]}
    sections["native_forward"] |= {"conditions": ["gnri"], "arms": ["native", "no pair memory"]}
    context = Context(tmp_path, protocol=Protocol(sections), checkpoints=tmp_path / "weights")
    train_tiny(context)
    for study in (cost.STUDY, readouts.STUDY, native_forward.STUDY):
        run(study, context)
        render(study, context)
    rows = read(tmp_path / "cost.csv")
    assert [(row["device"], row["atoms"], row["arm"]) for row in rows] == [
        ("cpu", atoms, arm) for atoms in ("6", "12") for arm in ("nri", "gnri", "folded")
    ]
    assert all(float(row["milliseconds"]) > 0 and row["checkpoint"] for row in rows)
    text = (tmp_path / "readouts.md").read_text()
    assert "| gnri | gnri, compared |" in text and "| eqarch | eqarch, one rail | - |" in text
    assert "| gnri, no pair memory |" in (tmp_path / "native_forward.md").read_text()


@pytest.mark.slow
def test_the_whole_chain(tmp_path: Path) -> None:
    words = ["reproduce", "--tiny", "all", "--device", "cpu", "--results", str(tmp_path)]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    for name, study in studies().items():
        assert study.derived or (tmp_path / f"{name}.csv").exists()
        assert (tmp_path / f"{name}.md").exists()
