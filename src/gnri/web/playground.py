"""Change a table in a way that must not matter, learn again, and compare the two rules."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.episode import Episode
from gnri.errors import GnriError, plural
from gnri.estimator.fitting import Fitted
from gnri.estimator.trials import find_trials
from gnri.formats.conditions import format_value
from gnri.formats.text import is_positive
from gnri.report.facts import OTHERS
from gnri.rules.dnf import Literal, SignedDNF, sort_literals, sorted_clauses
from gnri.rules.rule_list import RuleList, classes_to_learn
from gnri.rules.scorecard import AnyRule, Scorecard
from gnri.symmetry.audit_report import Answer, identical, same
from gnri.symmetry.table_task import TableTask, move_class
from gnri.symmetry.transforms import ColumnChange, draw_column_change
from gnri.web import Report

SAMPLE = 2_000  # random rows on which two rules are compared
CLAUSES, ROWS, QUESTIONS = 12, 8, 9  # shown


def play(
    fitted: Fitted, which: int, change: str, learner: str, seed: int, report: Report
) -> dict[str, Any]:
    """Return the rule of the changed table, and the old rule changed in the same way."""
    kinds = [kind for group in fitted.groups for kind in group]
    if which >= len(kinds):
        raise GnriError(f"'rule' must be less than {len(kinds)}, the number of rules, got {which}")
    other, kind = OTHERS.get(learner), kinds[which]
    trials = find_trials(fitted, other)
    whole = isinstance(trials.tasks[0][0], TableTask)
    task, old = trials.tasks[0 if whole else which]
    rng = np.random.default_rng([seed, which])
    drawn = draw_column_change(fitted.learnt.schema, task.rows, change, rng=rng, whole=whole)
    report(0.1, "changing the table")
    old = old if other is None else other(task)
    report(0.4, "learning from the changed table")
    moved = drawn.g(task)
    expected, new = drawn.g(old), trials.learn(moved)
    report(0.8, "comparing")
    place, head = kind, format_value(fitted.rule_list.classes[kind])
    tables = task, moved
    if whole:
        image = move_class(kind, len(fitted.classes), drawn.g)
        place = image if image in classes_to_learn(fitted.classes) else kind
        tables = task.one_vs_rest(kind), moved.one_vs_rest(place)
    one, two = _rule_of(expected, place), _rule_of(new, place)
    differs = _count_differences(expected, new, moved, rng)
    equal = identical(expected, new)
    return {
        "identical": equal,
        "same": equal or (differs == (0, 0) and same(expected, new, atoms=moved.atoms)),
        "differs": {"rows": differs[0], "sample": differs[1], "of": [moved.rows, SAMPLE]},
        "expected": _describe(one, two, drawn.after, head),
        "found": _describe(two, one, drawn.after, head),
        "tables": _tables(*tables, drawn, _rule_of(old, kind)),
    }


def _rule_of(found: Answer, kind: int) -> AnyRule | None:
    return found.rule_of.get(kind) if isinstance(found, RuleList) else found


def _count_differences(
    one: Answer, other: Answer, task: Episode | TableTask, rng: np.random.Generator
) -> tuple[int, int]:
    """Return on how many rows of the table, and of random rows, the rules differ."""
    if one is None or other is None:
        return (0, 0) if one is other else (task.rows, SAMPLE)
    sample = rng.choice(np.array([-1, 1], np.int8), size=(SAMPLE, task.atoms))
    tables = (task.values, sample)
    rows, fresh = (int(np.sum(_answers(one, t) != _answers(other, t))) for t in tables)
    return rows, fresh


def _answers(found: AnyRule | RuleList, values: NDArray[np.int8]) -> NDArray[np.integer[Any]]:
    return found.choose(values) if isinstance(found, RuleList) else found.evaluate(values)


def _describe(
    rule: AnyRule | None, other: AnyRule | None, names: Sequence[str], head: str
) -> dict[str, Any] | None:
    """Return the rule in words, first the clauses that the other rule lacks."""
    if rule is None:
        return None
    shared = _in_words(other, names)
    clauses = sorted(_in_words(rule, names), key=lambda words: words in shared)
    need = "if" if is_positive(rule) else "unless"
    if isinstance(rule, Scorecard):
        need = f"from {rule.threshold} points on"
    shown = [{"words": one, "shared": not shared or one in shared} for one in clauses[:CLAUSES]]
    return {"head": f"{head} {need}", "count": len(clauses), "clauses": shown}


def _in_words(rule: AnyRule | None, names: Sequence[str]) -> list[list[str]]:
    """Return the literals of each clause, or of each line of a scorecard after its points."""

    def write(items: Iterable[Literal]) -> list[str]:
        return [names[a] if s else f"not ({names[a]})" for a, s in items] or ["always"]

    if rule is None:
        return []
    if isinstance(rule, SignedDNF):
        return [write(items) for items in sorted_clauses(rule)]
    lines = [(write(sort_literals(line)), p) for line, p in rule.lines]
    return [[f"{plural(p, 'point')}: {first}", *rest] for (first, *rest), p in lines]


def _tables(
    episode: Episode, moved: Episode, drawn: ColumnChange, rule: AnyRule | None
) -> dict[str, Any]:
    """Return the first rows and some questions of both tables."""
    read = sorted(rule.atoms) if rule is not None else []
    others = [i for i in range(episode.atoms) if i not in read]
    shown = sorted([*read, *others][:QUESTIONS])
    moved_to, came_from = drawn.g.atoms, np.argsort(drawn.g.rows)
    return {
        "before": _corner(episode, shown, drawn.before, np.arange(episode.rows)),
        "after": _corner(moved, sorted(moved_to[i] for i in shown), drawn.after, came_from),
    }


def _corner(
    episode: Episode, atoms: list[int], names: Sequence[str], numbers: NDArray[np.intp]
) -> dict[str, Any]:
    return {
        "names": [names[i] for i in atoms],
        "cells": episode.values[:ROWS, atoms].tolist(),
        "labels": episode.labels[:ROWS].tolist(),
        "rows": (numbers[:ROWS] + 1).tolist(),
    }
