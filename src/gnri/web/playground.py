"""One change of the table, and the rule or the tree before and after."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.episode import Episode
from gnri.errors import GnriError
from gnri.estimator.fitting import Fitted
from gnri.formats.conditions import spell
from gnri.rules.dnf import SignedDNF, sorted_clauses
from gnri.symmetry.audit_report import same
from gnri.symmetry.transforms import ColumnChange, draw_column_change
from gnri.web import Report
from gnri.web.jobs import LEARNERS

SAMPLE = 2_000  # random rows on which two rules are compared
CLAUSES, ROWS, QUESTIONS = 12, 8, 9  # shown


def play(
    fitted: Fitted, which: int, change: str, learner: str, seed: int, report: Report
) -> dict[str, Any]:
    """Return the rule of the changed table, and the old rule changed in the same way."""
    episodes = list(fitted.episodes().items())
    if which >= len(episodes):
        raise GnriError(
            f"'rule' must be less than {len(episodes)}, the number of rules, got {which}"
        )
    (kind, episode), learn = episodes[which], LEARNERS[learner]
    rng = np.random.default_rng([seed, which])
    drawn = draw_column_change(fitted.schema, episode.rows, change, rng=rng)
    report(0.1, "changing the table")
    old = fitted.rule_list.rule_of.get(kind) if learner == "rule" else learn(episode)
    report(0.4, "learning from the changed table")
    moved = drawn.g(episode)
    expected, new = drawn.g(old), learn(moved)
    report(0.8, "comparing")
    head = spell(fitted.rule_list.classes[kind])
    differs = _count_differences(expected, new, moved, rng)
    return {
        "identical": expected == new,
        "same": expected == new or (differs == (0, 0) and same(expected, new, atoms=moved.atoms)),
        "differs": {"rows": differs[0], "sample": differs[1], "of": [moved.rows, SAMPLE]},
        "expected": _describe(expected, new, drawn.after, head),
        "found": _describe(new, expected, drawn.after, head),
        "tables": _tables(episode, moved, drawn, old),
    }


def _count_differences(
    one: SignedDNF | None, other: SignedDNF | None, episode: Episode, rng: np.random.Generator
) -> tuple[int, int]:
    """Return on how many rows of the table, and of random rows, the rules differ."""
    if one is None or other is None:
        return (0, 0) if one is other else (episode.rows, SAMPLE)
    sample = rng.choice(np.array([-1, 1], np.int8), size=(SAMPLE, episode.atoms))
    tables = (episode.values, sample)
    rows, fresh = (int(np.sum(one.evaluate(t) != other.evaluate(t))) for t in tables)
    return rows, fresh


def _describe(
    rule: SignedDNF | None, other: SignedDNF | None, names: Sequence[str], head: str
) -> dict[str, Any] | None:
    """Return the rule in words, first the clauses that the other rule lacks."""
    if rule is None:
        return None
    shared = frozenset() if other is None else other.clauses
    ordered = sorted(sorted_clauses(rule), key=lambda items: frozenset(items) in shared)
    return {
        "head": f"{head} {'if' if rule.positive else 'unless'}",
        "count": len(ordered),
        "clauses": [
            {
                "words": [names[a] if s else f"not ({names[a]})" for a, s in items] or ["always"],
                "shared": not shared or frozenset(items) in shared,
            }
            for items in ordered[:CLAUSES]
        ],
    }


def _tables(
    episode: Episode, moved: Episode, drawn: ColumnChange, rule: SignedDNF | None
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
