"""How often each condition of a rule returns when as many rows are drawn anew, with replacement."""

from collections import Counter, defaultdict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gnri.data.schema import Above, Schema
from gnri.data.sources import TableSource
from gnri.errors import GnriError
from gnri.estimator.fitting import Fitted, fit
from gnri.formats.conditions import format_value, write_clause
from gnri.formats.text import is_positive
from gnri.rules.dnf import Literal
from gnri.rules.rule_list import RuleList

if TYPE_CHECKING:
    from gnri.report.dossier import DossierOptions

Condition = str
"""A literal in words; a comparison without its threshold, such as `age >`."""


def measure_stability(
    source: TableSource, fitted: Fitted, options: "DossierOptions", report: Callable[..., None]
) -> dict[str, Any]:
    """Return how often conditions, clauses and columns of the rules return in resamples.

    A comparison returns with any threshold; `thresholds` has the smallest and the largest. The
    order of the rows in the source depends on the rows alone, so copies have the same draws.
    """
    conditions, clauses, columns = Counter[str](), Counter[str](), Counter[str]()
    thresholds = defaultdict[Condition, list[float]](list)
    same = exact = failed = 0
    own, table = _clauses(fitted.minimized), source.table
    for i in range(options.resamples):
        report("drawing rows anew", i + 1, options.resamples)
        rows = np.sort(
            np.random.default_rng([options.seed, i]).integers(table.rows, size=table.rows)
        )
        drawn = TableSource.of(table.take(rows)).without(set(table) - set(source.names))
        try:
            found = fit(drawn, options.target, options.settings).minimized
        except GnriError:  # such as a single class
            failed += 1
            continue
        parts, cuts = _clauses(found), _conditions(found)
        clauses.update(parts)
        conditions.update(cuts.keys())
        columns.update(found.columns)
        for name, some in cuts.items():
            thresholds[name] += some
        same += parts == own
        exact += found.compact() == fitted.minimized.compact()
    mine = sorted(_conditions(fitted.minimized))
    others = sorted(conditions.keys() - set(mine), key=lambda one: (-conditions[one], one))
    return {
        "seed": options.seed,
        "resamples": options.resamples,
        "failed": failed,
        "same_rule": exact,
        "same_but_for_thresholds": same,
        "conditions": [
            {
                "condition": one,
                "returns": conditions[one],
                **({"thresholds": [min(at), max(at)]} if (at := thresholds[one]) else {}),
            }
            for one in mine
        ],
        "clauses": [{"clause": one, "returns": clauses[one]} for one in sorted(own)],
        "others": [{"condition": one, "returns": conditions[one]} for one in others[:20]],
        "columns": dict(sorted(columns.items())),
    }


def _clauses(rule_list: RuleList) -> set[str]:
    """Return each clause or line in words, without thresholds, after its class."""
    found = set()
    for step in rule_list.steps:
        label = format_value(rule_list.classes[rule_list.subject(step)])
        head = f"{label} {'if' if is_positive(step.rule) else 'unless'}"
        for line, _ in step.rule.lines:
            names = sorted({_name(rule_list.schema, one) for one in line})
            found.add(f"{head} {' and '.join(names)}")
    return found


def _conditions(rule_list: RuleList) -> dict[Condition, list[float]]:
    """Return each condition with its thresholds, if it has any.

    A condition after `unless` counts as its negation after `if`.
    """
    schema, found = rule_list.schema, dict[Condition, list[float]]()
    for rule in rule_list.rules:
        for literal in {one for line, _ in rule.lines for one in line}:
            atom = schema.atoms[literal.atom]
            cuts = found.setdefault(_name(schema, literal if is_positive(rule) else ~literal), [])
            cuts += [atom.cut] if isinstance(atom, Above) else []
    return found


def _name(schema: Schema, literal: Literal) -> Condition:
    words = write_clause(schema, [literal])
    return words.rsplit(" ", 1)[0] if isinstance(schema.atoms[literal.atom], Above) else words
