"""Fit a point table: a scorecard of each class, from columns and from the clauses of rules."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from numpy.typing import NDArray

from gnri.counts.counter import Counter
from gnri.counts.states import column_states, line_states
from gnri.data.schema import Schema
from gnri.errors import GnriError
from gnri.messages import shorten
from gnri.rules.dnf import Clause
from gnri.rules.rule_list import RuleList, Step
from gnri.rules.scorecard import Scorecard
from gnri.search.limits import check_size
from gnri.search.points import PointSettings, learn_scorecards

FORMS = ("dnf", "scorecard")
"""The forms of rules that can be fitted."""


def make_point_settings(form: str, max_lines: object) -> PointSettings:
    """Return the settings of a form as a user names it; raise `GnriError` for what cannot be."""
    if form not in FORMS:
        raise GnriError(f"form must be one of {', '.join(FORMS)}, got {shorten(form)}")
    return PointSettings(max_lines=check_size("max_lines", max_lines, PointSettings.max_lines))


def fit_point_table(
    schema: Schema,
    classes: NDArray[Any],
    counter: Counter,
    clauses: Iterable[Clause],
    settings: PointSettings,
) -> RuleList:
    """Return the point table of counted rows; the clauses may become lines beside the columns.

    Two classes have one scorecard, about the second. Of three or more, classes that tie are
    answered in the order of their size.
    """
    labels, sizes = tuple(classes.tolist()), counter.rows.tolist()
    columns = column_states(schema) + [line_states(one) for one in clauses if len(one) > 1]
    targets = range(len(labels)) if len(labels) > 2 else [1]
    found = learn_scorecards(counter, len(schema.atoms), list(targets), columns, settings)
    ranked = sorted(zip(targets, found, strict=True), key=lambda one: (-sizes[one[0]], one[1].key))
    steps = tuple(Step(one.card or Scorecard({}, 1), target) for target, one in ranked)
    if len(labels) > 2:
        return RuleList(schema, labels, steps, steps[-1].answer, settings.unit)
    (one,) = found
    rules = RuleList.binary(schema, labels, one.card, int(sizes[1] > sizes[0]))
    return rules if one.card is None else replace(rules, unit=settings.unit)
