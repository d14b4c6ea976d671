"""What an edit by hand would give: conditions and clauses to add, and places of a threshold."""

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.data.discretize import quantile_cuts
from gnri.data.encode import encode
from gnri.data.schema import Above
from gnri.data.table import Column, Table
from gnri.data.value_counts import count_values
from gnri.errors import GnriError
from gnri.estimator.cross_validation import Validation
from gnri.estimator.thresholds import fix_atom
from gnri.formats.conditions import write_clause
from gnri.rules.dnf import Clause, Literal, SignedDNF, clause_key, coverage, sort_literals
from gnri.rules.rule_list import RuleList
from gnri.web import Report
from gnri.web.rule_view import NO_PLACE, TableFit

SHOWN = 100  # conditions or clauses to add
SEEDS, MOST_SEEDS = 8, 32  # conditions to which another is added for a new clause, and those tied
PLACES = 60  # of a threshold
ATOMS = 64  # counted at a time

Right = dict[int, NDArray[np.bool_]]
"""Whether each row is predicted right where a condition is true (1), false (-1) or unknown (0)."""


def suggest(fit: TableFit, which: int, clause: int | None, report: Report) -> dict[str, Any]:
    """Return conditions to add to a clause, or new clauses, by the training rows they get right.

    A new clause has one condition, or two of which one is among the best alone. What covers no row
    or changes nothing is left out.
    """
    if which >= len(fit.rules.dnfs):  # raises where there are no clauses
        raise GnriError(NO_PLACE)
    old = [] if clause is None else fit.find_clause(which, clause)
    others = {frozenset(one) for one in fit.clauses_of(which)} - {frozenset(old)}
    report(0.1, "counting rows")
    now = int(np.sum(fit.rules.choose(fit.fitted.rows()[0]) == fit.fitted.rows()[1]))
    found = extend(fit, which, others, frozenset(old))
    if clause is None:
        seeds = take_best(found)
        found |= dict(chain(*(extend(fit, which, others, seed).items() for seed in seeds)))
        found = {new: own for new, own in found.items() if not any(one <= new for one in others)}
    options = sorted(found.items(), key=lambda one: (-one[1][0], clause_key(one[0])))
    shown = []
    for new, (right, covered) in options[:SHOWN]:
        literals = sort_literals(new - frozenset(old))
        (written,) = fit.write([literals])
        words = write_clause(fit.rules.schema, literals)
        shown.append({"literals": written, "words": words, "right": right, "covered": covered})
    return {"right": now, "rows": len(fit.fitted.rows()[1]), "options": shown, "of": len(options)}


def extend(
    fit: TableFit, which: int, others: set[Clause], rest: Clause
) -> dict[Clause, tuple[int, int]]:
    """Return the clause `rest` with each condition added: the rows right, and those it covers."""
    values, _ = fit.fitted.rows()
    counts = _count_right(_where_right(fit, which, others, rest), values)
    inside = values[coverage(rest, values) == 1]
    covered = np.stack([np.count_nonzero(inside == sign, axis=0) for sign in (-1, 1)], axis=1)
    useful = (covered > 0) & (covered < len(inside))
    return {
        rest | {Literal(int(atom), bool(sign))}: (int(counts[atom, sign]), int(covered[atom, sign]))
        for atom, sign in np.argwhere(useful[: len(useful) - fit.own])
    }


def take_best(found: dict[Clause, tuple[int, int]]) -> list[Clause]:
    """Return the clauses with most rows right, and all that tie with the last; none if too many."""
    ranked = sorted((right for right, _ in found.values()), reverse=True)
    if not ranked:
        return []
    least = ranked[min(SEEDS, len(ranked)) - 1]
    best = [one for one, (right, _) in found.items() if right >= least]
    if len(best) > MOST_SEEDS:
        best = [one for one in best if found[one][0] > least]
    return best


def _where_right(fit: TableFit, which: int, others: set[Clause], rest: Clause) -> Right:
    """Return where rows are right with `others` and a clause of `rest` and one more condition."""
    rules, (values, codes) = fit.rules, fit.fitted.rows()
    rule, truths, found = rules.dnfs[which], rules.truths(values), Right()
    beside, part = SignedDNF(others).evaluate(values), coverage(rest, values)
    for truth in (1, 0, -1):
        whole = np.maximum(beside, np.minimum(part, np.int8(truth)))
        truths[which] = whole if rule.positive else -whole
        found[truth] = rules.answer(truths, len(codes)) == codes
    return found


def _count_right(right: Right, values: NDArray[np.int8]) -> NDArray[np.int64]:
    """Return the rows right with each literal as the condition: (atoms, negated or not)."""
    yes, unknown, no = (right[truth].astype(np.int64) for truth in (1, 0, -1))
    changed = np.flatnonzero((yes != no) | (yes != unknown))  # the others are right or wrong anyway
    by_sign = (yes - no)[changed].astype(np.float32)
    by_known = (yes + no - 2 * unknown)[changed].astype(np.float32)
    counts = np.empty((values.shape[1], 2))
    for start in range(0, len(counts), ATOMS):
        # Exact: there are fewer than 2**24 rows.
        cells = values[changed, start : start + ATOMS].astype(np.float32)
        linear, square = by_sign @ cells, by_known @ np.abs(cells)
        counts[start : start + ATOMS] = np.stack([square - linear, square + linear], axis=1) / 2
    return np.rint(counts + unknown.sum()).astype(np.int64)


def score_edits(
    fit: TableFit, which: int, clause: int, literal: int, _: Report
) -> dict[str, float]:
    """Return the accuracy after dropping one literal, and after negating it."""
    (values, codes), rules = fit.fitted.rows(), fit.rules.dnfs
    old = fit.find_clause(which, clause, literal)
    shares = {}
    for kind, new in edit_literal(rules[which], old, old[literal]).items():
        edited = fit.rules.with_rules((*rules[:which], new, *rules[which + 1 :]))
        shares[kind] = float(np.mean(edited.choose(values) == codes))
    return shares


def edit_literal(rule: SignedDNF, clause: Iterable[Literal], one: Literal) -> dict[str, SignedDNF]:
    """Return the rule with a literal of a clause dropped, and negated; no clause is left empty."""
    old = frozenset(clause)
    others, rest = rule.clauses - {old}, old - {one}
    return {
        "drop": SignedDNF(others | {rest} if rest else others, rule.positive),
        "flip": SignedDNF(others | {rest | {~one}}, rule.positive),
    }


def try_thresholds(
    table: Table,
    fit: TableFit,
    validation: Validation | str | None,
    which: int,
    clause: int,
    literal: int,
    _: Report,
) -> dict[str, Any]:
    """Return the rows wrong at each place of a threshold: of those learnt from, and held out.

    `bars` count the rows between the places, of the class of the rule and of others. For the rows
    held out from a fold, the rule that was learnt without them gets the threshold of that place.
    """
    old = fit.find_clause(which, clause, literal)
    one, codes = old[literal], fit.fitted.rows()[1]
    atom = fit.rules.schema.atoms[one.atom]
    if not isinstance(atom, Above):
        raise GnriError("this condition has no threshold; choose one of a column of numbers")
    table = fit.labelled(table).cast(fit.kinds)
    column = table[atom.column]
    cuts = find_places(column, atom.cut)
    others = {frozenset(c) for c in fit.clauses_of(which)} - {frozenset(old)}
    right = _where_right(fit, which, others, frozenset(old) - {one})
    wrong = {truth: ~right[truth if one.positive else -truth] for truth in (1, 0, -1)}
    places, known = _locate(column, cuts)
    kind = fit.rules.subject(fit.rules.steps[which])
    sides = [known & (codes == kind), known & (codes != kind)]
    held_out = None
    if isinstance(validation, Validation):
        held_out = _try_held_out(table, fit, validation, which, (atom, one.positive), cuts)
    return {
        "column": atom.column,
        "above": one.positive,
        "places": cuts,
        "at": cuts.index(atom.cut),
        "bars": [np.bincount(places[side], minlength=len(cuts) + 1).tolist() for side in sides],
        "class": fit.fitted.statistics[which].target,
        "rows": len(codes),
        "training": _count_wrong(wrong, column, cuts).tolist(),
        "held_out": held_out,
    }


def read_columns(fit: TableFit, validation: Validation | str | None) -> list[str]:
    """Return the columns that `try_thresholds` needs."""
    rules = validation.rules if isinstance(validation, Validation) else ()
    folds = chain(*(one.columns for one in rules if one is not None))
    return list(dict.fromkeys([fit.fitted.target.name, *fit.rules.columns, *folds]))


def find_places(column: Column, now: float) -> list[float]:
    """Return places for a threshold: between any two numbers or, of many, evenly spaced."""
    numbers = count_values(column).numbers
    cuts = quantile_cuts(numbers, PLACES)
    if len(numbers.counts) - 1 > PLACES:
        cuts = [float(f"{cut:.4g}") for cut in np.linspace(cuts[0], cuts[-1], PLACES)]
    return sorted({*cuts, now})


def _locate(column: Column, cuts: Sequence[float]) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Return how many thresholds the number of each row is above, and which rows have one."""
    missing = column.missing_rows(column.decided_kind)
    return np.searchsorted(cuts, column.values), ~missing


def _count_wrong(wrong: Right, column: Column, cuts: Sequence[float]) -> NDArray[np.int64]:
    """Return the rows wrong with a threshold of the column at each place."""
    places, known = _locate(column, cuts)
    above, upto = (
        np.bincount(places[known & wrong[truth]], minlength=len(cuts) + 1) for truth in (1, -1)
    )
    missing = int(np.sum(wrong[0] & ~known))
    return np.cumsum(above[::-1])[::-1][1:] + np.cumsum(upto)[:-1] + missing


def _try_held_out(
    table: Table,
    fit: TableFit,
    validation: Validation,
    which: int,
    condition: tuple[Above, bool],
    cuts: Sequence[float],
) -> dict[str, Any] | None:
    """Return the rows held out that are wrong at each place; None where no fold has the condition.

    Of several thresholds of the column in a fold, the nearest ones are moved. A fold whose rule has
    none is counted as it is.
    """
    kind, rule = fit.rules.subject(fit.rules.steps[which]), fit.rules.rules[which]
    atom, above = condition
    total, having = np.zeros(len(cuts), np.int64), 0
    for rows, rules in zip(validation.folds, validation.rules, strict=False):
        codes = validation.codes[rows]
        alike = above == getattr(rule, "positive", None)
        near = [] if rules is None else _find_near(rules, kind, atom, alike)
        if rules is None or not near:
            total += int(np.sum(validation.answers[rows] != codes))
            continue
        hidden = table.select(dict.fromkeys([*rules.columns, atom.column])).take(rows)
        values = encode(rules.schema, hidden)
        wrong = {0: rules.choose(values) != codes}
        for truth in (True, False):
            fixed = rules
            for place in near:
                fixed = fix_atom(fixed, place, truth)
            wrong[1 if truth else -1] = fixed.choose(values) != codes
        total += _count_wrong(wrong, hidden[atom.column], cuts)
        having += 1
    if not having:
        return None
    return {"wrong": total.tolist(), "folds": len(validation.folds), "having": having}


def _find_near(rules: RuleList, kind: int, atom: Above, alike: bool) -> list[int]:
    """Return the nearest thresholds of a column in the rule of a class, if they are used alike."""
    found = dict[int, float]()
    for step in rules.steps:
        if not isinstance(step.rule, SignedDNF) or rules.subject(step) != kind:
            continue
        for one in chain(*step.rule.clauses):
            own = rules.schema.atoms[one.atom]
            if not isinstance(own, Above) or own.column != atom.column:
                continue
            if (one.positive == step.rule.positive) == alike:
                found[one.atom] = abs(own.cut - atom.cut)
    return [place for place, far in found.items() if far == min(found.values())]
