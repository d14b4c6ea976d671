"""A rule, and a row of the table, as the page shows them or takes them away as a file."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri import formats
from gnri.data.schema import Above, Scalar
from gnri.data.table import Table
from gnri.errors import GnriError
from gnri.estimator.statistics import RuleCard, rule_cards
from gnri.formats.conditions import say_clause, spell
from gnri.formats.text import ending_lines
from gnri.report.coverage import Bar, Coverage, cover
from gnri.rules.dnf import SignedDNF, sorted_clauses
from gnri.rules.rule_list import RuleSet
from gnri.web.learnt import Learnt, Rules
from gnri.web.schemas import FORMATS
from gnri.web.security import Refusal

MOST_MISTAKES = 5_000


def view(learnt: Learnt, rules: Rules) -> dict[str, Any]:
    """All that the page says of these rules on the rows they were learnt from."""
    ruleset = learnt.ruleset(rules)
    cards = rule_cards(learnt.counter, ruleset)
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
        "map": _map(cover(ruleset, cards, learnt.codes, answers), learnt.classes),
    }


def accuracy(learnt: Learnt, answers: NDArray[np.intp]) -> dict[str, Any]:
    """How many rows are answered right, and how many the largest class alone would get."""
    right, rows = int(np.sum(answers == learnt.codes)), len(learnt.codes)
    largest = int(np.bincount(learnt.codes).max())
    return {"right": right, "rows": rows, "share": right / rows, "majority": largest / rows}


def what_if(learnt: Learnt, rules: Rules, place: tuple[int, int, int]) -> dict[str, float]:
    """The share of rows answered right if the literal at this place were dropped, or flipped."""
    _check_place(rules, place)
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
    put = [] if kind == "drop" else [~one[literal]]
    changed = [*one[:literal], *put, *one[literal + 1 :]]
    clauses = [*clauses[:clause], *([changed] if changed else []), *clauses[clause + 1 :]]
    return (*rules[:which], SignedDNF(clauses, rule.positive), *rules[which + 1 :])


def _check_place(rules: Rules, place: tuple[int, int, int]) -> None:
    """Raise unless there is a literal at this place: its rule, its clause, and where in that."""
    which, clause, literal = place
    rule = rules[which] if which < len(rules) else None
    sizes = [] if rule is None else [len(one) for one in sorted_clauses(rule)]
    if clause >= len(sizes) or literal >= sizes[clause]:
        raise GnriError("there is no literal at this place of the rules")


def document(rules: Sequence[SignedDNF | None]) -> list[Any]:
    """The rules in the form in which they are sent to the page and back."""
    return [rule and {"positive": rule.positive, "clauses": _pairs(rule)} for rule in rules]


def _pairs(rule: SignedDNF) -> list[list[list[Any]]]:
    return [[list(literal) for literal in clause] for clause in sorted_clauses(rule)]


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
            {
                "text": one.text,
                "literals": [say_clause(ruleset.schema, [item]) for item in items],
                "unique": one.unique,
                "figures": one.figures.as_dict(),
            }
            for items, one in zip(clauses, card.clauses, strict=True)
        ],
    }


def _cuts(learnt: Learnt) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for atom in learnt.schema.atoms:
        if isinstance(atom, Above):
            found.setdefault(atom.column, []).append(atom.cut)
    return found


def explain_row(table: Table, learnt: Learnt, rules: Rules, row: int) -> dict[str, Any]:
    """What the rules say of this row of the table, literal by literal."""
    if not 0 <= row < table.rows:
        raise Refusal(422, f"the table has the rows 0 to {table.rows - 1}, got {row}")
    values = learnt.values[row : row + 1]
    ruleset = learnt.ruleset(rules)
    truths = [int(truth[0]) for truth in ruleset.truths(values)]
    answer, label = int(ruleset.choose(values)[0]), int(learnt.codes[row])
    return {
        "row": row,
        "label": spell(learnt.classes[label]),
        "answer": spell(learnt.classes[answer]),
        "right": answer == label,
        "rules": [
            {"truth": truth, **_clauses(rule, values[0])}
            for truth, rule in zip(truths, rules, strict=True)
        ],
        "read": ruleset.columns,
        "cells": {
            name: column.categories[column.values[row]]
            for name, column in table.items()
            if name != learnt.settings.target
        },
    }


def _clauses(rule: Any, values: NDArray[np.int8]) -> dict[str, Any]:
    """The truth of each literal; `closest` is the clause that fewest literals keep from firing."""
    clauses = [] if rule is None else sorted_clauses(rule)
    literals = [[int(values[atom]) * (1 if sign else -1) for atom, sign in one] for one in clauses]
    lacking = [sum(truth != 1 for truth in clause) for clause in literals]
    return {
        "literals": literals,
        "fired": [i for i, count in enumerate(lacking) if count == 0],
        "closest": [i for i, count in enumerate(lacking) if 0 < count == min(lacking)],
    }


def _map(coverage: Coverage, classes: Sequence[Scalar]) -> dict[str, Any]:
    """Return the rows in order, the stretch of each class, and a strip for each clause."""
    return {
        "order": coverage.order.tolist(),
        "sections": [
            {"label": spell(label), "start": start, "end": end}
            for label, (start, end) in zip(classes, coverage.sections, strict=True)
        ],
        "strips": [
            {"rule": one.rule, "clause": one.clause, "bars": _bars(one.bars)}
            for one in coverage.strips
        ],
        "mistakes": coverage.mistakes[:MOST_MISTAKES].tolist(),
        "wrong": _bars(coverage.wrong),
    }


def _bars(bars: Sequence[Bar]) -> list[list[float]]:
    """Return bars as [from row, to row, share, whether that is right]."""
    return [[bar.start, bar.end, bar.share, int(bar.right)] for bar in bars]


def rules_file(ruleset: RuleSet, to: str) -> dict[str, Any]:
    """Return the file of these rules in any form that needs no table."""
    if to == "html":
        raise GnriError("a report is of a table; send the table, not a ruleset")
    if to not in FORMATS:
        raise GnriError(f"a rule is exported to {', '.join(FORMATS)}; got {to[:40]!r}")
    return file_of(to, formats.render(ruleset, to))


def file_of(to: str, content: str) -> dict[str, Any]:
    """Return a file as the page is sent it."""
    name, media = FORMATS[to]
    return {"name": name, "type": media, "content": content}
