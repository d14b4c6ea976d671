"""For an audit: the tasks that are learnt again, and the changes that must not matter."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from gnri.counts.counter import Counter
from gnri.estimator.fitting import Fitted
from gnri.estimator.point_tables import calibrate
from gnri.estimator.settings import FitSettings
from gnri.rules.rule_list import RuleList
from gnri.symmetry.audit_report import Answer
from gnri.symmetry.table_task import TableTask, negate_columns
from gnri.symmetry.transforms import TRANSFORMS, Transform

Learn = Callable[[Any], Answer]
"""Takes an episode or a `TableTask`, returns its rule or its rule list."""


class Trials(NamedTuple):
    """Tasks with the rules that were found, how to learn them, and changes that must not matter."""

    tasks: Sequence[tuple[Any, Answer]]
    learn: Learn
    transforms: Mapping[str, Transform]


def find_trials(fitted: Fitted, learn: Learn | None = None) -> Trials:
    """Return the tasks to learn again: one for each rule, or one for the whole table.

    There is one for each rule of clauses, without constraints, weights of classes, objective,
    floors and costs. Otherwise the whole table is one task; floors, costs and weights belong to a
    class and move with it. With another learner, a function of an episode, there is always one task
    for each rule. Where "auto" chose the form, rules are learnt again in this form: the choice also
    depends on moved thresholds, and atoms do not tell where these could be.
    """
    settings, form = fitted.settings, fitted.settings.wanted_form
    if form == "auto" and not settings.has_target:
        form = "dnf" if fitted.learnt.unit is None else "scorecard"
    plain = form == "dnf" and not settings.has_target
    if learn is not None or (plain and not fitted.constraints and not fitted.class_copies):
        rules = fitted.learnt.rule_of if learn is None else {}
        tasks = [(episode, rules.get(kind)) for kind, episode in fitted.episodes().items()]
        return Trials(tasks, learn or settings.learner().rule, TRANSFORMS)
    kinds = tuple(range(len(fitted.classes)))
    names = tuple(fitted.classes.tolist())
    rows = fitted.learnt_rows()
    copies = tuple(fitted.class_copies or ())
    task = TableTask(fitted.learnt.schema, *rows, len(kinds), names, fitted.bounds, copies)
    found = replace(fitted.learnt, classes=kinds)
    draws = {name: negate_columns(one) for name, one in TRANSFORMS.items()}
    return Trials([(task, found)], partial(learn_task, settings=settings, form=form), draws)


def learn_task(task: TableTask, settings: FitSettings, form: str | None = None) -> RuleList:
    """Return the rules of a table of atoms, in a form if given; classes are numbered from 0."""
    counter = Counter.from_values(task.values, task.codes, task.classes)
    if task.class_copies:
        counter = counter.with_class_copies(task.class_copies)
    classes = np.array(task.names or range(task.classes))
    learner = settings.learner()  # its limits are those of the form that was asked for
    settings = replace(settings, form=form or settings.form)
    found = settings.learn_rules(task.schema, classes, counter, learner, bounds=task.bounds)
    rules = calibrate(found.rules, counter, settings, task.bounds)
    return replace(rules, classes=tuple(range(task.classes)))
