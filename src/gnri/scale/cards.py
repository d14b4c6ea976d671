"""What rules and their clauses do on the rows, counted where the rows are."""

import numpy as np

from gnri.counts.counted import Counter
from gnri.estimator.statistics import Covered, Figures, RuleCard, Tally, rule_card
from gnri.rules.dnf import Clause, SignedDNF
from gnri.rules.row_expression import EVERYTHING, NOTHING, Rows
from gnri.rules.rule_list import RuleSet
from gnri.scale.votes import covered, reached_of, where_false, where_true

_NO_ROWS = np.zeros(0, np.intp)


def cards_of(counter: Counter, ruleset: RuleSet) -> tuple[RuleCard, ...]:
    """The card of each rule, as `rule_cards` makes it, but for which rows a clause covers."""
    reached = dict(zip(ruleset.asked, reached_of(ruleset), strict=True))
    return tuple(
        rule_card(ruleset, i, _tally(_among(counter, reached.get(i)), ruleset, i))
        for i in ruleset.listed
    )


def _among(counter: Counter, rows: Rows | None) -> Counter:
    """What is asked of a rule is asked of the rows that reach it."""
    return counter if rows in (None, EVERYTHING) else counter.rest(~rows)


def _tally(counter: Counter, ruleset: RuleSet, i: int) -> Tally:
    rule, kind = ruleset.rules[i], ruleset.classes.index(ruleset.owner(i))
    everywhere = int(counter.rows.sum()), int(counter.rows[kind])
    if rule is None:
        return Tally(Figures(0, 0, everywhere[1], everywhere[0]), 0, {})
    found = counter.sizes([where_true(rule), where_false(rule)])
    figures = Figures(int(found[0].sum()), int(found[0, kind]), everywhere[1], everywhere[0])
    return Tally(figures, everywhere[0] - int(found.sum()), _clauses(counter, rule, kind))


def _clauses(counter: Counter, rule: SignedDNF, kind: int) -> dict[Clause, Covered]:
    clauses = list(rule.clauses)
    if not clauses:
        return {}
    alone = [covered(clause) & _not_covered(rule, clause) for clause in clauses]
    sizes = counter.sizes([*map(covered, clauses), *alone])
    total, target = sizes.sum(axis=1), sizes[:, kind]
    members, rows = int(counter.rows[kind]), int(counter.rows.sum())
    if not rule.positive:
        target, members = total - target, rows - members
    return {
        clause: Covered(
            Figures(int(total[i]), int(target[i]), members, rows),
            int(total[len(clauses) + i]),
            _NO_ROWS,
        )
        for i, clause in enumerate(clauses)
    }


def _not_covered(rule: SignedDNF, but: Clause) -> Rows:
    """The rows that no clause but this one covers."""
    others: Rows = NOTHING
    for clause in rule.clauses - {but}:
        others = others | covered(clause)
    return ~others
