"""The cards of a classifier, from the rows it is to be judged by."""

import numpy as np
from numpy.typing import NDArray

from gnri.cards.card import ClauseCard, RuleCard
from gnri.cards.figures import Figures
from gnri.errors import ShapeError
from gnri.logic.evaluate import coverage, evaluate
from gnri.logic.formula import SignedDNF, sorted_clauses
from gnri.render.classifier import RuleSet
from gnri.render.text import rule_lines
from gnri.render.words import say_clause, spell


def rule_cards(
    ruleset: RuleSet, values: NDArray[np.int8], codes: NDArray[np.intp]
) -> tuple[RuleCard, ...]:
    """A card for each rule, from atom values (rows, atoms) and the place of each row's class.

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
    return tuple(_rule_card(ruleset, i, values, codes) for i in range(len(ruleset.rules)))


def _rule_card(
    ruleset: RuleSet, i: int, values: NDArray[np.int8], codes: NDArray[np.intp]
) -> RuleCard:
    rule, label = ruleset.rules[i], ruleset.owner(i)
    member = codes == ruleset.classes.index(label)
    text = "\n".join(rule_lines(ruleset, i))
    if rule is None:
        return RuleCard(label, True, text, spell(label), _figures(member & False, member), 0, ())
    truth = evaluate(rule, values)
    return RuleCard(
        label,
        rule.positive,
        text,
        _target(ruleset, i),
        _figures(truth == 1, member),
        int(np.sum(truth == 0)),
        _clause_cards(ruleset, rule, values, member if rule.positive else ~member),
    )


def _clause_cards(
    ruleset: RuleSet, rule: SignedDNF, values: NDArray[np.int8], target: NDArray[np.bool_]
) -> tuple[ClauseCard, ...]:
    truths = coverage(rule, values)
    times = np.sum([truth == 1 for truth in truths.values()], axis=0, dtype=np.int64)
    cards = []
    for items in sorted_clauses(rule):
        covered = truths[frozenset(items)] == 1
        rows = np.flatnonzero(covered)
        rows.setflags(write=False)
        cards.append(
            ClauseCard(
                frozenset(items),
                say_clause(ruleset.schema, items),
                _figures(covered, target),
                int(np.sum(covered & (times == 1))),
                rows,
            )
        )
    return tuple(cards)


def _target(ruleset: RuleSet, i: int) -> str:
    """What the clauses of a rule speak for."""
    rule, label = ruleset.rules[i], ruleset.owner(i)
    if rule is None or rule.positive:
        return spell(label)
    return spell(ruleset.classes[0]) if len(ruleset.classes) == 2 else f"not {spell(label)}"


def _figures(covered: NDArray[np.bool_], member: NDArray[np.bool_]) -> Figures:
    hits = int(np.sum(covered & member))
    return Figures(int(covered.sum()), hits, int(member.sum()), len(member))
