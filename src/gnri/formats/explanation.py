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
from gnri.rules.rule_list import RuleSet


class Explanation(NamedTuple):
    """The answer on one row, the reason, and each clause that is true there, by class.

    Only of the rules that were asked: of several, those up to the first that holds.
    """

    prediction: Scalar
    reason: str
    fired: dict[Scalar, list[str]]


def explain(ruleset: RuleSet, columns: Mapping[str, Cells]) -> list[Explanation]:
    """Return the answer on each row, why it is so, and the clauses that fired, in words.

    >>> from gnri.rules.dnf import SignedDNF
    >>> from gnri.data.schema import Above, Schema
    >>> rule = SignedDNF([[(0, True)]])
    >>> adults = RuleSet(Schema((Above("age", 30.0),)), ("young", "old"), (rule,), majority=0)
    >>> explain(adults, {"age": [45]})
    [Explanation(prediction='old', reason='the rule of old holds', fired={'old': ['age > 30']})]
    """
    small = ruleset.compact()
    values = encode_cells(small.schema, columns)
    truths = small.truths(values)
    fired = _fired(small, values)
    return [
        Explanation(small.classes[k], _reason(small, [truth[row] for truth in truths]), fired[row])
        for row, k in enumerate(small.choose(values))
    ]


def _reason(ruleset: RuleSet, truths: list[np.int8]) -> str:
    """The first step of the decision list that applies, or why none does."""
    for step in ruleset.decisions[0]:
        if truths[step.rule] == step.truth:
            return f"the rule of {spell(ruleset.owner(step.rule))} {TRUTH_WORDS[step.truth]}"
    if not ruleset.asked:
        return "there is no rule"
    if len(ruleset.classes) > 2:
        return "no rule holds"
    return f"the rule of {spell(ruleset.owner(0))} {TRUTH_WORDS[int(truths[0])]}"


def _fired(ruleset: RuleSet, values: NDArray[np.int8]) -> list[dict[Scalar, list[str]]]:
    fired: list[dict[Scalar, list[str]]] = [{} for _ in values]
    for i, reached in ruleset.reached(values).items():
        rule = ruleset.rules[i]
        assert rule is not None, "an absent rule is not asked"
        covered = coverage(rule, values)
        for items in sorted_clauses(rule):
            words = say_clause(ruleset.schema, items)
            for row in np.flatnonzero(reached & (covered[frozenset(items)] == 1)):
                fired[row].setdefault(ruleset.owner(i), []).append(words)
    return fired
