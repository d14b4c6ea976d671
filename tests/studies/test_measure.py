"""Figures that are measured once, recorded at once, and measured again only when asked."""

from pathlib import Path

import pytest

from studies.benchmarks.learners import fit_and_score, learner_named, one_thread
from studies.results import Row, read
from studies.study import Context, measure
from tests.studies.benchmarks.test_learners import TWO, VALUES

TASKS: list[Row] = [{"set": name, "fold": fold} for name in "ab" for fold in (0, 1)]


class Counter:
    """A run whose figure is how many there have been, and which breaks off when told to."""

    def __init__(self, stop_at: int = 99) -> None:
        self.seen: list[tuple[str, int]] = []
        self.stop_at = stop_at

    def __call__(self, task: Row, _: Context) -> Row:
        if len(self.seen) == self.stop_at:
            raise KeyboardInterrupt
        self.seen.append((str(task["set"]), int(task["fold"])))
        return {"count": len(self.seen)}


def test_each_task_has_its_row(tmp_path: Path) -> None:
    rows = measure("t", TASKS, Counter(), Context(tmp_path))
    assert rows == read(tmp_path / "t.csv")
    assert [(row["set"], row["fold"], row["count"]) for row in rows] == [
        ("a", "0", "1"), ("a", "1", "2"), ("b", "0", "3"), ("b", "1", "4"),
    ]  # fmt: skip


def test_what_is_there_is_not_measured_again(tmp_path: Path) -> None:
    measure("t", TASKS[:3], Counter(), Context(tmp_path))
    second = Counter()
    assert len(measure("t", TASKS, second, Context(tmp_path))) == 4
    assert second.seen == [("b", 1)]


def test_a_run_that_was_cut_off_goes_on(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        measure("t", TASKS, Counter(stop_at=2), Context(tmp_path))
    assert len(read(tmp_path / "t.csv")) == 2
    rest = Counter()
    assert len(measure("t", TASKS, rest, Context(tmp_path))) == 4
    assert rest.seen == [("b", 0), ("b", 1)]


def test_again_puts_a_row_in_place_of_the_old_one(tmp_path: Path) -> None:
    measure("t", TASKS, Counter(), Context(tmp_path))
    rows = measure("t", TASKS[1:2], Counter(), Context(tmp_path, force=True))
    assert sorted((row["set"], row["fold"], row["count"]) for row in rows) == [
        ("a", "0", "1"), ("a", "1", "1"), ("b", "0", "3"), ("b", "1", "4"),
    ]  # fmt: skip


def test_again_that_is_cut_off_keeps_the_old_rows(tmp_path: Path) -> None:
    measure("t", TASKS, Counter(), Context(tmp_path))
    with pytest.raises(KeyboardInterrupt):
        measure("t", TASKS[::-1], Counter(stop_at=1), Context(tmp_path, force=True))
    rows = read(tmp_path / "t.csv")
    assert [(row["set"], row["fold"], row["count"]) for row in rows] == [
        ("a", "0", "1"), ("a", "1", "2"), ("b", "0", "3"), ("b", "1", "1"),
    ]  # fmt: skip


def test_again_with_a_single_row(tmp_path: Path) -> None:
    measure("t", TASKS[:1], Counter(), Context(tmp_path))
    (row,) = measure("t", TASKS[:1], Counter(), Context(tmp_path, force=True))
    assert (row["set"], row["fold"], row["count"]) == ("a", "0", "1")


def test_nothing_to_do(tmp_path: Path) -> None:
    assert measure("t", [], Counter(), Context(tmp_path)) == []


def test_the_figures_of_a_fit() -> None:
    found = fit_and_score(learner_named("flat:1"), (VALUES, TWO), (VALUES[:8], 1 - TWO[:8]))
    assert found["accuracy"] == 0.0
    assert (found["clauses"], found["literals"], found["distinct_literals"]) == (1, 2, 2)
    assert float(found["seconds"]) >= 0
    assert fit_and_score(learner_named("majority"), (VALUES, TWO), (VALUES, TWO))["literals"] == ""


def test_one_thread_is_given_back() -> None:
    import torch

    before = torch.get_num_threads()
    with one_thread():
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == before
