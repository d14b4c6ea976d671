"""Fit a point table: a scorecard of each class, from columns and from the clauses of rules.

What a point is worth is chosen on rows held out. Losses are whole numbers, so the order of rows,
columns and labels cannot change the choice.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gnri.counts.counter import Counter
from gnri.counts.problem import find_classes, mix_codes
from gnri.counts.states import ColumnStates, StateCounter, Totals, column_states, line_states
from gnri.data.schema import Schema
from gnri.errors import GnriError, shorten
from gnri.estimator.leaf_counts import count_errors
from gnri.estimator.multiclass import ClassGroups, LearntRules
from gnri.rules.dnf import SignedDNF
from gnri.rules.row_expression import sample_of
from gnri.rules.rule_list import RuleList, Step, classes_to_learn
from gnri.rules.scorecard import Scorecard
from gnri.search.limits import check_size
from gnri.search.point_moves import loss_by_total
from gnri.search.points import PointSettings, learn_scorecards

if TYPE_CHECKING:
    from gnri.estimator.constraints import Bounds
    from gnri.estimator.settings import FitSettings

FORMS = ("auto", "dnf", "scorecard", "checklist")
"""The forms of rules that can be fitted."""

PARTS, TRIALS, MANY_ROWS = 3, 2, 600
"""A third of the rows is held out, and then another one, unless there are many rows."""

LEAST_SPARED = 200
"""For "auto", points must get one row in so many more right, as clauses are shorter."""

FACTORS = [i / 8 for i in range(2, 17)]
"""The units that are tried, in units of the one that the points were learnt with."""


def make_point_settings(settings: "FitSettings", bounds: "Bounds | None") -> PointSettings:
    """Return the settings of a point table; raise `GnriError` for what cannot be."""
    if settings.form not in FORMS:
        raise GnriError(f"form must be one of {', '.join(FORMS)}, got {shorten(settings.form)}")
    sizes = {
        name: check_size(name, getattr(settings, name), getattr(PointSettings, name))
        for name in ("max_lines", "max_literals", "max_conditions")
    }
    found = PointSettings(**sizes, bounds=bounds)
    if settings.form == "checklist":
        return replace(found, unit=0.5, max_points=1, ridge=1.0)
    return found


def choose_rules(
    settings: "FitSettings",
    clauses: LearntRules,
    counter: Counter,
    bounds: "Bounds | None",
    learn: Callable[[Counter], tuple[RuleList, ClassGroups]] | None = None,
) -> LearntRules:
    """Return rules in a form: these clauses, or a point table to which they are offered as lines.

    "auto" compares both on rows held out, too; `learn` learns clauses from the others. Clauses
    without an error are kept.
    """
    points = make_point_settings(settings, bounds)
    short = all(one.size <= points.max_conditions for one in clauses.rules.rules)
    compared = settings.form == "auto" and short
    if compared and not clauses.errors:
        return clauses
    table = fit_point_table(clauses.rules, counter, points)
    if compared:
        assert learn is not None, "clauses are learnt again to be compared"
        training = clauses.errors, count_errors(counter, table)
        held_out, rows = (0, 0), (int(counter.rows.sum()), 0)
        for shown, hidden in hold_out_thirds(counter, len(table.schema.atoms)):
            rules, _ = learn(shown)
            rivals = fit_point_table(rules, shown, points)
            errors = count_errors(hidden, rules), count_errors(hidden, rivals)
            held_out = held_out[0] + errors[0], held_out[1] + errors[1]
            rows = rows[0], rows[1] + int(hidden.rows.sum())
        better = prefer_points(training, held_out, rows, counter.row_copies)
        if table.unit is None or not better:
            return clauses
    # Each class of a point table is learnt from all rows.
    groups = (tuple(table.rule_of),) if table.unit else clauses.groups
    return LearntRules(table, table, groups)


def prefer_points(
    training: tuple[int, int],
    held_out: tuple[int, int],
    rows: tuple[int, int],
    copies: float = 1.0,
) -> bool:
    """Return whether points are better than clauses, by the errors of clauses and of points.

    Of many rows, those held out decide alone if the difference there is clear: more than one
    deviation. If not, points must get clearly more right of all rows, as clauses are shorter.
    `rows` are those of the training and those held out.

    >>> prefer_points((0, 90), (200, 150), rows=(3_000, 1_000))
    True
    >>> prefer_points((0, 90), (160, 150), rows=(3_000, 1_000))
    False
    >>> prefer_points((0, 30), (20, 10), rows=(300, 200))
    False
    """
    spared = held_out[0] - held_out[1]
    if rows[0] >= MANY_ROWS and spared**2 > copies * sum(held_out):
        return spared > 0
    return LEAST_SPARED * (spared + training[0] - training[1]) >= sum(rows)


def hold_out_thirds(counter: Counter, atoms: int) -> Iterator[tuple[Counter, Counter]]:
    """Yield rows of two classes or more to learn from, and the third of the rows held out.

    Two thirds are held out in turn; one where there are many rows.
    """
    trials = TRIALS if counter.rows.sum() < MANY_ROWS else 1
    for shown, hidden in hold_out(counter, atoms, PARTS, trials):
        if np.count_nonzero(shown.rows) > 1:
            yield shown, hidden


def hold_out(
    counter: Counter, atoms: int, parts: int, trials: int, once: Counter | None = None
) -> Iterator[tuple[Counter, Counter]]:
    """Yield for the first parts of the rows those to learn from, and those of the part.

    The second come from `once`, if it is given: the same rows without copies.
    """
    codes = sample_codes(counter, atoms)
    for part in range(trials):
        sample = sample_of(codes, parts, part)
        shown, hidden = counter.without(sample), (once or counter).without(~sample)
        if shown.rows.any() and hidden.rows.any():
            yield shown, hidden


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


def calibrate(
    table: RuleList,
    counter: Counter,
    settings: "FitSettings",
    bounds: "Bounds | None" = None,
) -> RuleList:
    """Return the rules; a point table with the unit that suits rows held out best.

    The points are learnt again from the other rows, with the same clauses as lines.
    """
    if table.unit is None:
        return table
    points = make_point_settings(settings, bounds)
    cards = [card for card in table.rules if isinstance(card, Scorecard)]
    clauses = {line for card in cards for line, _ in card.points if len(line) > 1}
    offer = replace(table, steps=(Step(SignedDNF(clauses), 0),), default=0, unit=None)
    losses = np.zeros(len(FACTORS))
    for shown, hidden in hold_out_thirds(counter, len(table.schema.atoms)):
        for kind, card in fit_point_table(offer, shown, points).rule_of.items():
            assert isinstance(card, Scorecard), "all rules of a point table are scorecards"
            losses += _losses(card, kind, hidden, table.schema, points.unit)
    unit = points.unit * FACTORS[int(losses.argmin())] if losses.any() else points.unit
    return replace(table, unit=unit)


def _losses(
    card: Scorecard, kind: int, counter: Counter, schema: Schema, unit: float
) -> NDArray[np.float64]:
    """Return the logistic loss of the margins for each unit, against all other classes."""
    counts = count_margins(card, counter, schema)
    mine, others = counts[kind], counts.sum(axis=0) - counts[kind]
    losses = [loss_by_total(unit * factor, len(mine) // 2) for factor in FACTORS]
    return np.array([float(mine @ loss + others @ loss[::-1]) for loss in losses])


def count_margins(card: Scorecard, counter: Counter, schema: Schema) -> NDArray[np.float64]:
    """Return the rows of each class by their margin; a margin of zero is in the middle."""
    points = {literal: p for line, p in card.points if len(line) == 1 for literal in line}
    lines = [(line, p) for line, p in card.points if len(line) > 1]
    columns: list[ColumnStates] = []
    scores: dict[int, NDArray[np.int64]] = {}
    for column in column_states(schema):
        atoms = [next(iter(line)) for line in column.lines]
        weights = [points.get(atom, 0) - points.get(~atom, 0) for atom in atoms]
        if any(weights):
            scores[len(columns)] = column.truths @ np.array(weights)
            columns.append(column)
    for line, p in lines:
        scores[len(columns)] = line_states(line).truths @ np.array([p])
        columns.append(line_states(line))
    if not columns:
        return np.pad(counter.rows[:, None].astype(np.float64), ((0, 0), (1, 1)))
    start = sum(p for _, p in card.points) + 1 - 2 * card.threshold
    counts = StateCounter(counter, columns).histograms(Totals(scores, start, [0]))
    return counts.sum(axis=0)
