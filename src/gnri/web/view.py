"""A rule as the page shows it: words, cards, how often it is right, and which rows it covers."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.cards.card import ClauseCard, RuleCard
from gnri.cards.make import rule_cards
from gnri.logic.formula import SignedDNF, sorted_clauses
from gnri.render.classifier import RuleSet
from gnri.render.text import ending_lines
from gnri.render.words import say_clause, spell
from gnri.schema import Above
from gnri.web.coverage import coverage_map
from gnri.web.work.learnt import Learnt, Rules


def view(learnt: Learnt, rules: Rules) -> dict[str, Any]:
    """All that the page says of these rules on the rows they were learnt from."""
    ruleset = learnt.ruleset(rules)
    cards = rule_cards(ruleset, learnt.values, learnt.codes)
    answers = ruleset.choose(learnt.values)
    return {
        "learnt": learnt.digest,
        "target": learnt.settings.target,
        "classes": [spell(label) for label in learnt.classes],
        "rows": len(learnt.codes),
        "questions": len(learnt.schema.atoms),
        "cuts": _cuts(learnt),
        "model": learnt.model,
        "seconds": learnt.seconds,
        "accuracy": accuracy(learnt, answers),
        "edited": rules != learnt.printed,
        "rules": _rules(ruleset, cards),
        "order": ruleset.listed,
        "ending": ending_lines(ruleset),
        "map": coverage_map(learnt, ruleset, cards, answers),
    }


def accuracy(learnt: Learnt, answers: NDArray[np.intp]) -> dict[str, Any]:
    """How many rows are answered right, and how many the largest class alone would get."""
    right, rows = int(np.sum(answers == learnt.codes)), len(learnt.codes)
    largest = int(np.bincount(learnt.codes).max())
    return {"right": right, "rows": rows, "share": right / rows, "majority": largest / rows}


def what_if(learnt: Learnt, rules: Rules, place: tuple[int, int, int]) -> dict[str, float]:
    """The share of rows answered right if the literal at this place were dropped, or flipped."""
    return {
        kind: accuracy(learnt, learnt.ruleset(edited(rules, place, kind)).choose(learnt.values))[
            "share"
        ]
        for kind in ("drop", "flip")
    }


def edited(rules: Rules, place: tuple[int, int, int], kind: str) -> Rules:
    """The rules with one literal dropped or flipped; a clause that loses its last one goes.

    >>> rule = SignedDNF([[(0, True), (1, True)]])
    >>> [str(edited((rule,), (0, 0, 1), kind)[0]) for kind in ("drop", "flip")]
    ['x0', 'x0 & ~x1']
    """
    which, clause, literal = place
    rule = rules[which]
    assert rule is not None, "only a rule that is there has a literal"
    clauses = sorted_clauses(rule)
    one = clauses[clause]
    changed = [~item if i == literal else item for i, item in enumerate(one)]
    if kind == "drop":
        changed = one[:literal] + one[literal + 1 :]
    clauses = [*clauses[:clause], *([changed] if changed else []), *clauses[clause + 1 :]]
    return (*rules[:which], SignedDNF(clauses, rule.positive), *rules[which + 1 :])


def document(rules: Sequence[SignedDNF | None]) -> list[Any]:
    """The rules in the form in which they are sent to the page and back."""
    return [
        None
        if rule is None
        else {"positive": rule.positive, "clauses": [list(map(list, c)) for c in clauses_of(rule)]}
        for rule in rules
    ]


def clauses_of(rule: SignedDNF) -> list[list[tuple[int, bool]]]:
    return [[(literal.atom, literal.positive) for literal in c] for c in sorted_clauses(rule)]


def _rules(ruleset: RuleSet, cards: Sequence[RuleCard]) -> list[dict[str, Any]]:
    """One for each class, or for both; of one that has the rest without a rule, its name."""
    found: list[dict[str, Any]] = [
        {"label": spell(ruleset.owner(i)), "present": False, "document": None, "clauses": []}
        for i in range(len(ruleset.rules))
    ]
    for i, card in zip(ruleset.listed, cards, strict=True):
        found[i] = _rule(ruleset, ruleset.rules[i], card)
    return found


def _rule(ruleset: RuleSet, rule: SignedDNF | None, card: RuleCard) -> dict[str, Any]:
    clauses = [] if rule is None else sorted_clauses(rule)
    return {
        "label": spell(card.label),
        "target": card.target,
        "present": rule is not None,
        "positive": card.positive,
        "follows": card.follows,
        "undecided": card.undecided,
        "figures": card.figures.as_dict(),
        "document": document([rule])[0],
        "clauses": [
            _clause(ruleset, items, one) for items, one in zip(clauses, card.clauses, strict=True)
        ],
    }


def _clause(ruleset: RuleSet, items: list[Any], card: ClauseCard) -> dict[str, Any]:
    return {
        "text": card.text,
        "literals": [say_clause(ruleset.schema, [item]) for item in items],
        "unique": card.unique,
        "figures": card.figures.as_dict(),
    }


def _cuts(learnt: Learnt) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for atom in learnt.schema.atoms:
        if isinstance(atom, Above):
            found.setdefault(atom.column, []).append(atom.cut)
    return found
