"""Rules, edits of them and a row of the table, as the page shows them."""

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gnri import formats
from gnri.data.schema import Scalar
from gnri.data.table import Table
from gnri.errors import GnriError
from gnri.estimator.fitting import Fitted
from gnri.estimator.statistics import RuleStatistics
from gnri.formats.conditions import spell, write_clause
from gnri.formats.text import ending_lines
from gnri.report.coverage import Bar, Coverage, cover
from gnri.rules.dnf import SignedDNF, sorted_clauses
from gnri.rules.rule_list import RuleList
from gnri.web.schemas import FORMATS, SentRule
from gnri.web.table_store import TableFit

MOST_MISTAKES = 5_000

MOST_CLAUSES, MOST_LITERALS = 240, 5_000
"""Of all rules that come back. The search ends at 24 clauses a rule; where the rules of a fit have
more in all, so may those that come back."""


class ShownRules(NamedTuple):
    """The rules that a page shows, perhaps edited, and the table they were learnt from."""

    table: Table
    fit: TableFit
    rules: RuleList

    @property
    def edited(self) -> bool:
        """Whether these are other rules than those of the fit."""
        return self.rules != self.fit.fitted.minimized

    def view(self) -> dict[str, Any]:
        """Return all that the page says of the rules on the rows they were learnt from."""
        fitted, rules = self.fit.fitted, self.rules
        statistics = fitted.with_rules(rules.rules).statistics if self.edited else fitted.statistics
        values, codes = fitted.rows()
        answers = rules.choose(values)
        right, rows = int(np.sum(answers == codes)), len(codes)
        majority = max(fitted.sizes) / rows
        return {
            "learnt": self.fit.digest,
            "classes": [spell(label) for label in rules.classes],
            "rows": rows,
            "questions": len(fitted.schema.atoms),
            "accuracy": dict(right=right, rows=rows, share=right / rows, majority=majority),
            "edited": self.edited,
            "rules": [
                _view_rule(rules, rule, card) for rule, card in zip_longest(rules.rules, statistics)
            ],
            "ending": ending_lines(rules),
            "map": _view_coverage(cover(rules, statistics, codes, answers), rules.classes),
        }

    def score_edits(self, which: int, clause: int, literal: int) -> dict[str, float]:
        """Return the share of rows answered right if the literal were dropped, or flipped."""
        (values, codes), rules = self.fit.fitted.rows(), self.rules.rules
        shares = {}
        for kind, new in edit_literal(dict(enumerate(rules)).get(which), clause, literal).items():
            edited = self.rules.with_rules((*rules[:which], new, *rules[which + 1 :]))
            shares[kind] = float(np.mean(edited.choose(values) == codes))
        return shares

    def explain_row(self, row: int) -> dict[str, Any]:
        """Return what the rules say of this row of the table, literal by literal."""
        table, fitted, rules = self.table, self.fit.fitted, self.rules
        if row >= table.rows:
            raise GnriError(f"the table has the rows 0 to {table.rows - 1}, got {row}")
        all_values, codes = fitted.rows()
        values = all_values[row : row + 1]
        answer, label = int(rules.choose(values)[0]), int(codes[row])
        return {
            "row": row,
            "label": spell(rules.classes[label]),
            "answer": spell(rules.classes[answer]),
            "right": answer == label,
            "rules": [
                {"truth": int(truth[0]), **_explain_clauses(rule, values[0])}
                for truth, rule in zip(rules.truths(values), rules.rules, strict=True)
            ],
            "read": rules.columns,
            "cells": {
                name: column.categories[column.values[row]]
                for name, column in table.items()
                if name != fitted.target.name
            },
        }


def read_rules(fitted: Fitted, sent: Sequence[SentRule | None] | None) -> RuleList:
    """Return the rules that came back from the page; those of the fit if none did."""
    printed = fitted.minimized
    if sent is None:
        return printed
    shown = [*printed.rules, *(None for _ in printed.without_rule)]
    if [rule is None for rule in sent] != [rule is None for rule in shown]:
        raise GnriError(
            f"'rules' must be {len(printed.rules)} rules, and null for each of "
            f"{len(printed.without_rule)} classes without one, got {len(sent)} in all"
        )
    own, came = _all_clauses(printed.rules), _all_clauses(sent)
    clauses, literals = max(MOST_CLAUSES, len(own)), max(MOST_LITERALS, sum(map(len, own)))
    if len(came) > clauses or sum(map(len, came)) > literals:
        raise GnriError(
            f"'rules' may have {clauses:,} clauses and {literals:,} literals in all, got "
            f"{len(came):,} and {sum(map(len, came)):,}; drop some"
        )
    atoms = len(fitted.schema.atoms)
    if any(atom >= atoms for clause in came for atom, _ in clause):
        raise GnriError(f"a literal is [atom, positive], the atom from 0 to {atoms - 1}")
    rules = [SignedDNF(rule.clauses, rule.positive) for rule in sent if rule is not None]
    return printed.with_rules(rules)


def _all_clauses(rules: Sequence[SentRule | SignedDNF | None]) -> list[Any]:
    return [clause for rule in rules if rule is not None for clause in rule.clauses]


def _view_rule(rules: RuleList, rule: SignedDNF | None, card: RuleStatistics) -> dict[str, Any]:
    """Return one rule, or a class without a rule."""
    clauses = [] if rule is None else sorted_clauses(rule)
    return {
        "label": spell(card.label),
        "present": rule is not None,
        "document": None if rule is None else rule.to_dict(),
        "target": card.target,
        "positive": card.positive,
        "follows": card.follows,
        "undecided": card.undecided,
        "figures": card.figures.as_dict(),
        "clauses": [
            {
                "text": one.text,
                "literals": [write_clause(rules.schema, [item]) for item in items],
                "unique": one.unique,
                "figures": one.figures.as_dict(),
            }
            for items, one in zip(clauses, card.clauses, strict=True)
        ],
    }


def _view_coverage(coverage: Coverage, classes: Sequence[Scalar]) -> dict[str, Any]:
    """Return the rows in order, the stretch of each class, and a strip for each clause."""
    return {
        "order": coverage.order.tolist(),
        "sections": [
            {"label": spell(label), "start": start, "end": end}
            for label, (start, end) in zip(classes, coverage.sections, strict=True)
        ],
        "strips": [
            {"rule": one.rule, "clause": one.clause, "bars": _view_bars(one.bars)}
            for one in coverage.strips
        ],
        "mistakes": coverage.mistakes[:MOST_MISTAKES].tolist(),
        "wrong": _view_bars(coverage.wrong),
    }


def _view_bars(bars: Sequence[Bar]) -> list[list[float]]:
    """Return bars as [from row, to row, share, whether that is right]."""
    return [[bar.start, bar.end, bar.share, int(bar.right)] for bar in bars]


def edit_literal(rule: SignedDNF | None, clause: int, literal: int) -> dict[str, SignedDNF]:
    """Return the rule with one literal dropped, and with it flipped.

    A clause that loses its last literal goes.
    """
    clauses = [] if rule is None else sorted_clauses(rule)
    if rule is None or clause >= len(clauses) or literal >= len(clauses[clause]):
        raise GnriError("there is no literal at this place of the rules")
    one, old = clauses[clause][literal], frozenset(clauses[clause])
    rest, left = rule.clauses - {old}, old - {one}
    return {
        "drop": SignedDNF(rest | {left} if left else rest, rule.positive),
        "flip": SignedDNF(rest | {left | {~one}}, rule.positive),
    }


def _explain_clauses(rule: SignedDNF | None, values: NDArray[np.int8]) -> dict[str, Any]:
    """Return the truth of each literal; `closest` clauses lack the fewest literals to fire."""
    clauses = [] if rule is None else sorted_clauses(rule)
    literals = [[int(values[atom]) * (1 if sign else -1) for atom, sign in one] for one in clauses]
    lacking = [sum(truth != 1 for truth in clause) for clause in literals]
    return {
        "literals": literals,
        "fired": [i for i, count in enumerate(lacking) if count == 0],
        "closest": [i for i, count in enumerate(lacking) if 0 < count == min(lacking)],
    }


def rules_file(rules: RuleList, to: str) -> dict[str, Any]:
    """Return the file of these rules in any format that needs no table."""
    if to == "html":
        raise GnriError("a report is of a table; send the table, not a rule_list")
    return file_of(to, formats.render(rules, to))


def file_of(to: str, content: str) -> dict[str, Any]:
    """Return a file as the page is sent it."""
    name, media = FORMATS[to]
    return {"name": name, "type": media, "content": content}
