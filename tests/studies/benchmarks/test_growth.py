"""Growth is what the figures say, and a fit that fails is told and not dropped."""

from pathlib import Path

import numpy as np
import pytest

from gnri.errors import GnriError
from studies.benchmarks import growth as module
from studies.benchmarks.growth import (
    Bandwidth,
    bandwidth,
    curve,
    draw,
    exponent,
    fit_and_tell,
    hidden,
    measure_growth,
    report,
    table_of,
)
from studies.benchmarks.rule_learners import fit_named
from studies.study import Context


def row(learner: str, rows: int, atoms: int, seconds: object, why: str = "") -> dict[str, str]:
    figures = {"peak_mb": "400", "accuracy": "0.9", "clauses": "3", "literals": "8"}
    blank = figures if not why else dict.fromkeys(figures, "")
    sizes = {"learner": learner, "rows": str(rows), "atoms": str(atoms)}
    return {**sizes, "seconds": str(seconds), **blank, "why": why}


CURVE = [row("cart", n, 32, 1 + 1e-9 * n**1.5) for n in (1000, 3000)] + [
    row("cart", n, 32, 1e-6 * n**1.5) for n in (10_000, 100_000, 1_000_000)
]


def test_the_exponent_is_that_of_the_large_tables() -> None:
    found = exponent([*CURVE, row("cart", 10_000_000, 32, "", "over 600 s")], "cart", "rows")
    assert found == pytest.approx(1.5)
    assert exponent(CURVE, "cart", "atoms") is None
    assert [int(one["rows"]) for one in curve(CURVE, "cart", "rows")][:2] == [1000, 3000]


def test_the_report_says_what_was_measured_and_what_was_not(tmp_path: Path) -> None:
    rows = [*CURVE, row("ripper", 100_000, 32, "", "over 600 s"), row("ebm", 1000, 32, 12.34)]
    text = report(rows, Bandwidth(memory=10e9, counting=5e9))
    assert "| 100,000 x 32 | 31.6 | over 600 s | - |" in text
    assert "| 1,000 x 32 | 1.0 | - | 12.3 |" in text
    assert "| cart | 1.50 | - |" in text
    assert "50 % of that: 625 million rows" in text
    draw(rows, tmp_path / "scale.svg")
    assert "<svg" in (tmp_path / "scale.svg").read_text()


def test_the_tables_follow_the_hidden_rule_but_for_one_row_in_twenty() -> None:
    coins, labels = table_of(20_000, 10, seed=3)
    assert np.mean(hidden(coins) != labels) == pytest.approx(0.05, abs=0.01)
    assert (coins == table_of(20_000, 10, seed=3)[0]).all()


@pytest.mark.parametrize("name", ["cart", "guided+refine"])
def test_a_learner_is_timed(name: str) -> None:
    found = fit_and_tell(name, 300, 10)
    assert found["seconds"] > 0 and found["accuracy"] > 0.9 and found["clauses"] > 2


def test_an_unknown_learner_and_one_that_takes_too_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(GnriError, match="'svm' is not timed here"):
        fit_named("svm")
    monkeypatch.setattr(module, "COMPARED", ((300, 10),))
    monkeypatch.setattr(module, "GROWING", ())
    (found,) = measure_growth(["cart"], Context(tmp_path), limit=1)
    assert (found["why"], found["seconds"]) == ("over 1 s", "")


def test_bandwidth_is_measured() -> None:
    found = bandwidth(words=1 << 10, rounds=1)
    assert found.memory > 0 and found.counting > 0
