"""The cards of a classifier, from the rows it is to be judged by."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gnri.cards.card import ClauseCard, RuleCard
from gnri.cards.figures import Figures
from gnri.errors import ShapeError
from gnri.logic.evaluate import coverage, evaluate
from gnri.logic.formula import Clause, SignedDNF, sorted_clauses
from gnri.render.classifier import RuleSet
from gnri.render.text import rule_lines
from gnri.render.words import say_clause, spell


class Covered(NamedTuple):
    """The rows that a clause covers: how many, how many it covers alone, and which."""

    figures: Figures
    unique: int
    rows: NDArray[np.intp]


class Tally(NamedTuple):
    """The rows where a rule is true, those where it is open, and those each clause covers."""

    figures: Figures
    undecided: int
    clauses: dict[Clause, Covered]


def rule_cards(
    ruleset: RuleSet, values: NDArray[np.int8], codes: NDArray[np.intp]
) -> tuple[RuleCard, ...]:
    """A card for each rule as they are listed, from atom values (rows, atoms) and classes' places.

    >>> from gnri.schema import Above, Schema
    >>> adult = SignedDNF([[(0, True)]])
    >>> rules = RuleSet(Schema((Above("age", 30.0),)), ("young", "old"), (adult,), majority=0)
    >>> (card,) = rule_cards(rules, np.array([[1], [1], [-1]], np.int8), np.array([1, 0, 0]))
    >>> card.clauses[0].text, card.clauses[0].rows.tolist(), card.clauses[0].figures.precision
    ('age > 30', [0, 1], 0.5)
    """
    if len(values) != len(codes) or not len(values):
        raise ShapeError(
            f"cards need a class for each row and a row, got {len(values)} rows and "
            f"{len(codes)} classes"
        )
    everything = np.ones(len(values), np.bool_)
    reached = ruleset.reached(values)
    rows = {i: np.flatnonzero(reached.get(i, everything)) for i in ruleset.listed}
    return tuple(
        rule_card(ruleset, i, _tally(ruleset, i, values, codes, rows[i])) for i in ruleset.listed
    )


def rule_card(ruleset: RuleSet, i: int, tally: Tally) -> RuleCard:
    """The card of a rule, from what was counted of it."""
    rule = ruleset.rules[i]
    clauses = [] if rule is None else sorted_clauses(rule)
    return RuleCard(
        ruleset.owner(i),
        rule is None or rule.positive,
        "\n".join(rule_lines(ruleset, i)),
        _target(ruleset, i),
        tally.figures,
        tally.undecided,
        tuple(
            ClauseCard(
                frozenset(items),
                say_clause(ruleset.schema, items),
                *tally.clauses[frozenset(items)],
            )
            for items in clauses
        ),
        follows=i in ruleset.asked[1:],
    )


def _tally(
    ruleset: RuleSet,
    i: int,
    values: NDArray[np.int8],
    codes: NDArray[np.intp],
    asked: NDArray[np.intp],
) -> Tally:
    rule, values = ruleset.rules[i], values[asked]
    member = codes[asked] == ruleset.classes.index(ruleset.owner(i))
    if rule is None:
        return Tally(_figures(member & False, member), 0, {})
    truth = evaluate(rule, values)
    clauses = _covered(rule, values, member if rule.positive else ~member, asked)
    return Tally(_figures(truth == 1, member), int(np.sum(truth == 0)), clauses)


def _covered(
    rule: SignedDNF,
    values: NDArray[np.int8],
    target: NDArray[np.bool_],
    asked: NDArray[np.intp],
) -> dict[Clause, Covered]:
    truths = coverage(rule, values)
    times = np.sum([truth == 1 for truth in truths.values()], axis=0, dtype=np.int64)
    found = {}
    for clause, truth in truths.items():
        covered = truth == 1
        rows = asked[covered]
        rows.setflags(write=False)
        unique = int(np.sum(covered & (times == 1)))
        found[clause] = Covered(_figures(covered, target), unique, rows)
    return found


def _target(ruleset: RuleSet, i: int) -> str:
    """What the clauses of a rule speak for."""
    rule, label = ruleset.rules[i], ruleset.owner(i)
    if rule is None or rule.positive:
        return spell(label)
    return spell(ruleset.classes[0]) if len(ruleset.classes) == 2 else f"not {spell(label)}"


def _figures(covered: NDArray[np.bool_], member: NDArray[np.bool_]) -> Figures:
    hits = int(np.sum(covered & member))
    return Figures(int(covered.sum()), hits, int(member.sum()), len(member))
