"""Fit a point table: a scorecard of each class, from columns and from the clauses of rules."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from gnri.counts.counter import Counter
from gnri.counts.problem import find_classes, mix_codes
from gnri.counts.states import column_states, line_states
from gnri.errors import GnriError
from gnri.estimator.multiclass import ClassGroups
from gnri.messages import shorten
from gnri.rules.row_expression import EVERYTHING, NOTHING, Rows, any_of, sample_of
from gnri.rules.rule_list import RuleList, Step, classes_to_learn
from gnri.rules.scorecard import Scorecard
from gnri.search.limits import check_size
from gnri.search.points import PointSettings, learn_scorecards

Maker = Callable[[RuleList, Counter], RuleList]
"""Make rules in a form, from DNFs and the rows they were learnt from."""

FORMS = ("auto", "dnf", "scorecard", "checklist")
"""The forms of rules that can be fitted."""

RIDGES = (3.0, 8.0)
"""Prices of squared points; the better one on rows held out is taken."""

PARTS, TRIALS, MANY_ROWS = 3, 3, 2_000
"""A third of the rows is held out: each one in turn or, of many rows, only the first."""


def make_point_settings(
    form: str,
    max_lines: object = None,
    max_literals: object = None,
    max_conditions: object = None,
) -> list[PointSettings]:
    """Return settings to choose from; raise `GnriError` for what cannot be."""
    if form not in FORMS:
        raise GnriError(f"form must be one of {', '.join(FORMS)}, got {shorten(form)}")
    found = PointSettings(
        max_lines=check_size("max_lines", max_lines, PointSettings.max_lines),
        max_literals=check_size("max_literals", max_literals, PointSettings.max_literals),
        max_conditions=check_size("max_conditions", max_conditions, PointSettings.max_conditions),
    )
    if form == "checklist":
        return [replace(found, unit=0.5, max_points=1, ridge=1.0)]
    return [replace(found, ridge=ridge) for ridge in RIDGES]


def choose_rules(
    form: str,
    counter: Counter,
    atoms: int,
    learn: Callable[[Counter], tuple[RuleList, ClassGroups]],
    settings: list[PointSettings],
) -> tuple[RuleList, ClassGroups]:
    """Return the rules of counted rows in a form; `learn` returns DNFs and how they were learnt.

    Of several settings, and for "auto" of both forms, those are taken that make the fewest errors
    on rows held out. The rows are split by what is true of them, so their order does not matter.
    """
    rules, groups = learn(counter)
    makers: list[Maker] = [partial(fit_point_table, settings=one) for one in settings]
    if form == "auto" and all(rule.size <= settings[0].max_conditions for rule in rules.rules):
        makers.append(lambda rules, _: rules)
    if len(makers) == 1:
        return makers[0](rules, counter), groups
    errors = _hold_out(counter, atoms, lambda shown: learn(shown)[0], makers)
    best = min(range(len(makers)), key=errors.__getitem__)
    saved = errors[0] - errors[best]
    if len(makers) > len(settings) and not errors[-1]:
        best = len(makers) - 1  # a DNF without errors is shorter to read
    elif 16 * saved**2 <= errors[0] + errors[best]:
        best = 0  # less than a quarter of a standard deviation
    return makers[best](rules, counter), groups


def _hold_out(
    counter: Counter, atoms: int, learn: Callable[[Counter], RuleList], makers: list[Maker]
) -> list[int]:
    """Return the errors of each on rows held out."""
    codes, errors = sample_codes(counter, atoms), np.zeros(len(makers), np.int64)
    for part in range(TRIALS if counter.rows.sum() < MANY_ROWS else 1):
        sample = sample_of(codes, PARTS, part)
        shown, hidden = counter.without(sample), counter.without(~sample)
        if np.count_nonzero(shown.rows) > 1:
            rules = learn(shown)
            errors += [count_errors(hidden, make(rules, shown)) for make in makers]
    return errors.tolist()


def fit_point_table(rules: RuleList, counter: Counter, settings: PointSettings) -> RuleList:
    """Return the point table of counted rows; clauses of the rules are offered as further lines.

    Two classes have one scorecard, about the second. Of three or more, classes that tie are
    answered in the order of their size.
    """
    schema, labels, sizes = rules.schema, rules.classes, counter.rows.tolist()
    clauses = {one: None for rule in rules.dnfs for one in rule.clauses if len(one) > 1}
    columns = column_states(schema) + [line_states(one) for one in clauses]
    targets = classes_to_learn(labels)
    found = learn_scorecards(counter, len(schema.atoms), list(targets), columns, settings)
    if len(targets) > 1:
        pairs = zip(targets, found, strict=True)
        ranked = sorted(pairs, key=lambda one: (-sizes[one[0]], one[1].key))
        steps = tuple(Step(one.card or Scorecard({}, 1), target) for target, one in ranked)
        return RuleList(schema, labels, steps, steps[-1].answer, settings.unit)
    (one,) = found
    table = RuleList.binary(schema, labels, one.card, rules.default)
    return table if one.card is None else replace(table, unit=settings.unit)


def sample_codes(counter: Counter, atoms: int) -> list[int]:
    """Return a code for each literal that no order or sign of rows, columns or labels changes."""
    targets = list(range(len(counter.rows)))
    classes, _, codes = find_classes(counter, atoms, True, targets)
    return mix_codes(classes, codes, atoms)


def count_errors(counter: Counter, rules: RuleList) -> int:
    """Return the number of rows that the rules answer wrong."""
    answers: dict[int, list[Rows]] = {}
    taken: Rows = NOTHING
    for step in rules.steps:
        applies = rules.where(step)
        answers.setdefault(step.answer, []).append(applies & ~taken if taken else applies)
        taken = taken | applies
    answers.setdefault(rules.default, []).append(~taken if taken else EVERYTHING)
    sizes = counter.sizes([any_of(rows) for rows in answers.values()])
    right = sum(int(size[kind]) for kind, size in zip(answers, sizes, strict=True))
    return int(counter.rows.sum()) - right
