"""How often each condition of a rule returns when as many rows are drawn anew, with replacement."""

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from itertools import chain
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
    found, table, own = [], source.table, fitted.minimized.compact()
    for i in range(options.resamples):
        report("drawing rows anew", i + 1, options.resamples)
        rows = np.sort(
            np.random.default_rng([options.seed, i]).integers(table.rows, size=table.rows)
        )
        drawn = TableSource.of(table.take(rows)).without(set(table) - set(source.names))
        with suppress(GnriError):  # such as a single class
            found.append(fit(drawn, options.target, options.settings).minimized.compact())
    clauses, conditions = [_clauses(one) for one in found], [_conditions(one) for one in found]
    of_clauses, returns = Counter(chain(*clauses)), Counter(chain(*conditions))
    mine = sorted(_conditions(own))
    others = sorted(returns.keys() - set(mine), key=lambda one: (-returns[one], one))
    cuts = {name: [cut for one in conditions for cut in one.get(name, ())] for name in mine}
    return {
        "seed": options.seed,
        "resamples": options.resamples,
        "failed": options.resamples - len(found),
        "same_rule": found.count(own),
        "same_but_for_thresholds": clauses.count(_clauses(own)),
        "conditions": [
            {
                "condition": one,
                "returns": returns[one],
                **({"thresholds": [min(at), max(at)]} if (at := cuts[one]) else {}),
            }
            for one in mine
        ],
        "clauses": [{"clause": one, "returns": of_clauses[one]} for one in sorted(_clauses(own))],
        "others": [{"condition": one, "returns": returns[one]} for one in others[:20]],
        "columns": dict(sorted(Counter(chain(*(one.columns for one in found))).items())),
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
