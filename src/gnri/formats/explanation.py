"""Why a row got its answer: the step that decided, and the clauses that fired."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gnri.data.encode import encode_cells
from gnri.data.frames import Cells
from gnri.data.schema import Scalar
from gnri.formats.conditions import say_clause, spell
from gnri.formats.text import TRUTH_WORDS
from gnri.rules.dnf import coverage, sorted_clauses
from gnri.rules.rule_list import RuleList


class Explanation(NamedTuple):
    """The answer on one row, the reason, and each clause that is true there, by class.

    Only of the rules that were asked: of several, those up to the first that holds.
    """

    prediction: Scalar
    reason: str
    fired: dict[Scalar, list[str]]


def explain(rule_list: RuleList, columns: Mapping[str, Cells]) -> list[Explanation]:
    """Return the answer on each row, why it is so, and the clauses that fired, in words.

    >>> from gnri.rules.dnf import SignedDNF
    >>> from gnri.data.schema import Above, Schema
    >>> rule = SignedDNF([[(0, True)]])
    >>> adults = RuleList.binary(Schema((Above("age", 30.0),)), ("young", "old"), rule)
    >>> explain(adults, {"age": [45]})
    [Explanation(prediction='old', reason='the rule of old holds', fired={'old': ['age > 30']})]
    """
    small = rule_list.compact()
    values = encode_cells(small.schema, columns)
    truths = small.truths(values)
    fired = _fired(small, values, truths)
    return [
        Explanation(small.classes[k], _reason(small, [truth[row] for truth in truths]), fired[row])
        for row, k in enumerate(small.choose(values))
    ]


def _reason(rule_list: RuleList, truths: list[np.int8]) -> str:
    """Return the first step that applies, or why none does."""
    if not rule_list.steps:
        return "there is no rule"
    answering = (i for i, step in enumerate(rule_list.steps) if truths[i] == step.truth)
    i = next(answering, None)
    if i is None and len(rule_list.steps) > 1:
        return "no rule holds"
    step = rule_list.steps[i or 0]
    label = spell(rule_list.classes[rule_list.subject(step)])
    return f"the rule of {label} {TRUTH_WORDS[int(truths[i or 0])]}"


def _fired(
    rule_list: RuleList, values: NDArray[np.int8], truths: list[NDArray[np.int8]]
) -> list[dict[Scalar, list[str]]]:
    fired: list[dict[Scalar, list[str]]] = [{} for _ in values]
    reached = np.ones(len(values), np.bool_)
    for step, truth in zip(rule_list.steps, truths, strict=True):
        label = rule_list.classes[rule_list.subject(step)]
        covered = coverage(step.rule, values)
        for items in sorted_clauses(step.rule):
            words = say_clause(rule_list.schema, items)
            for row in np.flatnonzero(reached & (covered[frozenset(items)] == 1)):
                fired[row].setdefault(label, []).append(words)
        reached = reached & (truth != step.truth)
    return fired
