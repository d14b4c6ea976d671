"""What is committed is drawn from the committed figures, and measured again by a bare command."""

from collections.abc import Callable
from functools import partial
from inspect import signature
from pathlib import Path

import pytest

from studies import bench
from studies.benchmarks import growth, imbalance, reports
from studies.results import Rows, read

COMMITTED = Path(__file__).parents[3] / "results"
PAGES: dict[str, Callable[[Rows], str]] = {
    "real": reports.real,
    "few_rows": reports.few_rows,
    "synthetic": reports.synthetic,
    "recovery": reports.recovery,
    "noise": reports.noise,
    "ablation": reports.ablation,
    "numeric": reports.numeric,
    "own": reports.own,
    "budget": reports.budget,
    "budget_raw": partial(reports.budget, page="budget_raw"),
    "imbalance": imbalance.report,
    "scale": growth.report,
}
SPEED = "\n## Beside the memory\n"
"""Where the page of scale says how fast the machine is, which is in no row."""

PICTURES = {"noise": reports.draw_noise, "scale": growth.draw}
COMMANDS = {
    "real": bench.real,
    "few_rows": bench.few,
    "synthetic": bench.synthetic,
    "noise": bench.noise,
    "own": bench.own,
    "scale": bench.scale,
}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_drawn_from_its_figures(name: str) -> None:
    page = (COMMITTED / f"{name}.md").read_text(encoding="utf-8")
    assert PAGES[name](read(COMMITTED / f"{name}.csv")) == page.partition(SPEED)[0]
    assert (SPEED in page) == (name == "scale")


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_drawn_from_its_figures(name: str, tmp_path: Path) -> None:
    PICTURES[name](read(COMMITTED / f"{name}.csv"), tmp_path / "drawn.svg")
    for path in (tmp_path / "drawn.svg", COMMITTED / f"{name}.svg"):
        assert "<svg" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", COMMANDS)
def test_a_bare_command_measures_the_learners_of_the_page(name: str) -> None:
    asked = signature(COMMANDS[name]).parameters["learners"].default.split(",")
    assert len(asked) == len(set(asked))
    assert set(asked) == {row["learner"] for row in read(COMMITTED / f"{name}.csv")}


@pytest.mark.parametrize("name", PAGES)
def test_every_row_says_where_it_came_from(name: str) -> None:
    for row in read(COMMITTED / f"{name}.csv"):
        assert all(row[key] for key in ("commit", "machine", "date"))
