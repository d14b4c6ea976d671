"""What a point is worth: the unit of a point table, chosen on rows held out.

Losses are whole numbers, so the order of rows, columns and labels cannot change the choice.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gnri.counts.counter import Counter
from gnri.counts.states import ColumnStates, StateCounter, Totals, column_states, line_states
from gnri.data.schema import Schema
from gnri.estimator.point_tables import fit_point_table, hold_out
from gnri.rules.dnf import SignedDNF
from gnri.rules.rule_list import RuleList, Step
from gnri.rules.scorecard import Scorecard
from gnri.search.point_steps import loss_by_total
from gnri.search.points import PointSettings

FACTORS = [i / 8 for i in range(2, 17)]
"""The units that are tried, in units of the one that the points were learnt with."""


def calibrate(table: RuleList, counter: Counter, settings: PointSettings) -> RuleList:
    """Return the point table with the unit that suits rows held out best.

    The points are learnt again from the other rows, with the same clauses as lines.
    """
    cards = [card for card in table.rules if isinstance(card, Scorecard)]
    clauses = {line for card in cards for line, _ in card.points if len(line) > 1}
    offer = replace(table, steps=(Step(SignedDNF(clauses), 0),), default=0, unit=None)
    losses = np.zeros(len(FACTORS))
    for shown, hidden in hold_out(counter, len(table.schema.atoms)):
        for kind, card in fit_point_table(offer, shown, settings).rule_of.items():
            assert isinstance(card, Scorecard), "all rules of a point table are scorecards"
            losses += _losses(card, kind, hidden, table.schema, settings.unit)
    unit = settings.unit * FACTORS[int(losses.argmin())] if losses.any() else settings.unit
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
    (counts,) = StateCounter(counter, columns).histograms(Totals(scores, start, [0]))
    return counts.sum(axis=0)
