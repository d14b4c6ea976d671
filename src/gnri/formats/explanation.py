"""Explain the answer on a row: the step that decided, and the clauses that are true."""

from collections.abc import Collection, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gnri.data.encode import encode_cells
from gnri.data.frames import Cells
from gnri.data.schema import Scalar, number_name
from gnri.errors import GnriError
from gnri.formats.changes import CellChange, find_changes
from gnri.formats.conditions import format_value
from gnri.formats.expression import tabulate
from gnri.formats.point_lines import describe_case, find_cells
from gnri.formats.text import parts_in_words
from gnri.rules.dnf import coverage
from gnri.rules.rule_list import RuleList
from gnri.rules.scorecard import Scorecard

_TRUTHS = {1: "holds", -1: "fails", 0: "is unknown"}


class Explanation(NamedTuple):
    """The answer on one row, the reason, and the clauses that are true there, by class.

    Only rules up to the step that decided are looked at. Of a point table, `fired` has the points
    of each line, and `reason` the total. `changes` are the smallest changes of cells that change
    the answer, if they were looked for.
    """

    prediction: Scalar
    reason: str
    fired: dict[Scalar, list[str]]
    changes: tuple[CellChange, ...] = ()


def explain(
    rule_list: RuleList,
    columns: Mapping[str, Cells],
    changeable: Collection[str] | None = None,
    towards: Scalar | None = None,
) -> list[Explanation]:
    """Return for each row the answer, the reason and the clauses that are true, in words.

    With `changeable`, look for the smallest changes of cells in these columns that change the
    answer, or that change it to the class `towards`.

    >>> from gnri.rules.dnf import SignedDNF
    >>> from gnri.data.schema import Above, Schema
    >>> rule = SignedDNF([[(0, True)]])
    >>> adults = RuleList.binary(Schema((Above("age", 30.0),)), ("young", "old"), rule)
    >>> (found,) = explain(adults, {"age": [45]}, changeable=["age"])
    >>> found.prediction, found.reason, found.fired
    ('old', 'the rule of old holds', {'old': ['age > 30']})
    >>> found.changes[0].words
    'old because age is over 30; it would be young if age were at most 30'
    """
    small = rule_list.compact()
    values = encode_cells(small.schema, columns)
    found = (_explain_steps if small.unit is None else explain_points)(small, values)
    if changeable is not None:
        changes = find_changes(rule_list, columns, changeable, towards)
        return [one._replace(changes=some) for one, some in zip(found, changes, strict=True)]
    if towards is not None:
        raise GnriError("towards needs changeable: the columns that may change")
    return found


def _explain_steps(rule_list: RuleList, values: NDArray[np.int8]) -> list[Explanation]:
    """Return the step that decides on each row, and the clauses that are true up to it."""
    truths = rule_list.truths(values)
    fired: list[dict[Scalar, list[str]]] = [{} for _ in values]
    reached = np.ones(len(values), np.bool_)
    for step, truth in zip(rule_list.steps, truths, strict=True):
        label = rule_list.classes[rule_list.subject(step)]
        for items, words in parts_in_words(rule_list.schema, step.rule):
            for row in np.flatnonzero(reached & (coverage(items, values) == 1)):
                fired[row].setdefault(label, []).append(words)
        reached = reached & (truth != step.truth)
    reasons = (_reason(rule_list, [truth[row] for truth in truths]) for row in range(len(values)))
    labels = [rule_list.classes[k] for k in rule_list.choose(values)]
    return list(map(Explanation, labels, reasons, fired))


def explain_points(rule_list: RuleList, values: NDArray[np.int8]) -> list[Explanation]:
    """Return the points of each row, line by line, the totals and the probability."""
    fired: list[dict[Scalar, list[str]]] = [{} for _ in values]
    totals: list[list[str]] = [[] for _ in values]
    for step, margin in zip(rule_list.steps, rule_list.margins(values).T, strict=True):
        assert isinstance(step.rule, Scorecard), "all rules of a point table are scorecards"
        cases, enough = tabulate(step.rule, rule_list.schema)
        lines = [(describe_case(c), find_cells(c, rule_list.schema, values)) for c in cases]
        label = rule_list.classes[step.answer if rule_list.most_points_win else 1]
        for row, twice in enumerate(margin):
            above = (twice - 1) / 2
            total = number_name(above + enough)
            said = f"{total} points, {enough} needed"
            if rule_list.most_points_win:
                said = f"{total} - {enough} = {number_name(above)} points".replace("- -", "+ ")
            totals[row].append(f"{format_value(label)}: {said}")
            found = [(line.name, *line.cells[cells[row]]) for line, cells in lines]
            fired[row][label] = [f"{name}: {words}: {number_name(p)}" for name, words, p in found]
    answers, odds = rule_list.choose(values), rule_list.point_odds(values)
    names = [format_value(label) for label in rule_list.classes]
    return [
        Explanation(
            rule_list.classes[k],
            f"{'; '.join(totals[row])}; probability of {names[k]} {100 * odds[row, k]:.0f} %",
            fired[row],
        )
        for row, k in enumerate(answers)
    ]


def _reason(rule_list: RuleList, truths: list[np.int8]) -> str:
    """Return the first step that applies, or why none does."""
    if not rule_list.steps:
        return "there is no rule"
    pairs = list(zip(rule_list.steps, truths, strict=True))
    deciding = next((pair for pair in pairs if pair[0].truth == pair[1]), None)
    if deciding is None and len(pairs) > 1:
        return "no rule holds"
    step, truth = deciding or pairs[0]
    label = format_value(rule_list.classes[rule_list.subject(step)])
    return f"the rule of {label} {_TRUTHS[int(truth)]}"
