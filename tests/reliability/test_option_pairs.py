"""Rules follow under random options, and what does not follow is seen."""

import numpy as np
import pytest

from gnri.estimator.point_tables import FORMS
from gnri.estimator.settings import FitSettings
from tests.reliability import option_pairs
from tests.reliability.option_pairs import check, compare, draw_settings, draw_tasks


@pytest.mark.parametrize("form", FORMS)
def test_the_rules_follow_under_random_options(form: str) -> None:
    found = check(form, 4, seed=3)
    assert found["differ"] == {} and found["pairs"] == 4


def test_each_option_is_drawn() -> None:
    drawn = [next(draw_tasks(seed)) for seed in range(40)]
    tasks = [task for task, _ in drawn]
    assert {task.classes for task in tasks} == {2, 3}
    assert {task.bounds is None for task in tasks} == {True, False}
    settings = [draw_settings(task, "auto", rng) for task, rng in drawn]
    assert {one.objective for one in settings} == {"accuracy", "balanced_accuracy", "f1"}
    for name in ("min_precision", "min_recall", "costs", "max_lines", "max_conditions"):
        assert {getattr(one, name) is None for one in settings} == {True, False}
    assert {type(one.class_weight) for one in settings} == {type(None), str, dict}


def test_a_rule_that_depends_on_the_order_of_rows_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    learnt = option_pairs.learn_task
    monkeypatch.setattr(
        option_pairs, "learn_task", lambda task, settings: learnt(_cut(task), settings)
    )
    words = [compare(task, FitSettings(form="dnf"), rng) for task, rng in _some(12)]
    assert set(words) - {"", option_pairs.NAMES, option_pairs.REFUSED}


def _cut(task: option_pairs.TableTask) -> option_pairs.TableTask:
    """The first two thirds of the rows."""
    rows = np.arange(2 * task.rows // 3 + 1)
    return option_pairs.replace(task, values=task.values[rows], codes=task.codes[rows])


def _some(count: int) -> list[tuple[option_pairs.TableTask, np.random.Generator]]:
    return [pair for _, pair in zip(range(count), draw_tasks(5), strict=False)]
