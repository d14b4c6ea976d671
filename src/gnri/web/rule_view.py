"""Rules, their edits and the rows of a table, as JSON for the page."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gnri.data.schema import Scalar
from gnri.errors import GnriError
from gnri.estimator.fitting import Fitted
from gnri.estimator.statistics import RuleStatistics
from gnri.formats.conditions import format_value, write_clause
from gnri.formats.explanation import explain_points
from gnri.formats.expression import tabulate
from gnri.formats.points import describe_case, find_cells
from gnri.formats.text import ending_lines
from gnri.report.coverage import Coverage, cover
from gnri.rules.dnf import SignedDNF, sorted_clauses
from gnri.rules.rule_list import RuleList
from gnri.rules.scorecard import AnyRule, Scorecard
from gnri.web import Report
from gnri.web.schemas import SentRule
from gnri.web.table_store import TableFit

MOST_MISTAKES = 5_000
MOST_CLAUSES, MOST_LITERALS = 240, 5_000
"""Limits on the rules of a request; a fit with more of them raises the limits for its table."""


class ShownRules(NamedTuple):
    """The rules that a page shows, perhaps edited, and the fit of their table.

    Workers run the methods that may be given a `Report`.
    """

    fit: TableFit
    rules: RuleList

    @property
    def edited(self) -> bool:
        """Whether the rules differ from those of the fit."""
        return self.rules != self.fit.fitted.minimized

    def at_row(self, row: int) -> "ShownRules":
        """Return the rules with this row of the table alone."""
        values, codes = self.fit.fitted.rows()
        if row >= len(codes):
            raise GnriError(f"the rows are numbered from 0 to {len(codes) - 1}, got {row}")
        fitted = replace(
            self.fit.fitted, values=values[[row]], codes=codes[[row]], answers=None, statistics=()
        )
        return self._replace(fit=self.fit._replace(fitted=fitted))

    def view(self, _: Report | None = None) -> dict[str, Any]:
        """Return the rules, with their statistics and coverage of the table."""
        fitted, rules = self.fit.fitted, self.rules
        statistics = fitted.with_rules(rules.rules).statistics if self.edited else fitted.statistics
        values, codes = fitted.rows()
        answers = rules.choose(values)
        right, rows = int(np.sum(answers == codes)), len(codes)
        majority = max(fitted.sizes) / rows
        return {
            "learnt": self.fit.digest,
            "classes": [format_value(label) for label in rules.classes],
            "rows": rows,
            "questions": len(fitted.schema.atoms),
            "accuracy": dict(right=right, rows=rows, share=right / rows, majority=majority),
            "edited": self.edited,
            "rules": [
                _view_rule(rules, rule, one) for rule, one in zip_longest(rules.rules, statistics)
            ],
            "ending": ending_lines(rules),
            "map": _view_coverage(cover(rules, statistics, codes, answers), rules.classes),
        }

    def score_edits(
        self, which: int, clause: int, literal: int, _: Report | None = None
    ) -> dict[str, float]:
        """Return the accuracy after dropping one literal, and after negating it."""
        (values, codes), rules = self.fit.fitted.rows(), self.rules.dnfs
        try:
            edits = edit_literal(rules[which], clause, literal)
        except IndexError:
            raise GnriError("the rules have no literal at this place") from None
        shares = {}
        for kind, new in edits.items():
            edited = self.rules.with_rules((*rules[:which], new, *rules[which + 1 :]))
            shares[kind] = float(np.mean(edited.choose(values) == codes))
        return shares

    def explain_row(self, _: Report | None = None) -> dict[str, Any]:
        """Return the prediction for the first row, and the truth of each literal."""
        (values, codes), rules = self.fit.fitted.rows(), self.rules
        answer, label = rules.choose(values[:1])[0], codes[0]
        return {
            "label": format_value(rules.classes[label]),
            "answer": format_value(rules.classes[answer]),
            "right": bool(answer == label),
            "rules": [
                {"truth": int(truth[0]), **_explain_rule(rules, rule, values[:1])}
                for truth, rule in zip(rules.truths(values[:1]), rules.rules, strict=True)
            ],
            "reason": None if rules.unit is None else explain_points(rules, values[:1])[0].reason,
            "read": rules.columns,
        }


def read_rules(fitted: Fitted, sent: Sequence[SentRule | None] | None) -> RuleList:
    """Return the rules of a request; those of the fit if it has none."""
    own = fitted.minimized
    if sent is None:
        return own
    missing = len(own.without_rule)
    if [rule is None for rule in sent] != [False] * len(own.rules) + [True] * missing:
        raise GnriError(
            f"'rules' must be {len(own.rules)} rules, then null for each of {missing} classes "
            f"without one, got {len(sent)} in all"
        )
    rules = [rule for rule in sent if rule is not None]
    parts = [clause for rule in rules for clause in rule.parts]
    clauses, literals = len(parts), sum(map(len, parts))
    most = max(MOST_CLAUSES, _clauses(own)), max(MOST_LITERALS, sum(one.size for one in own.rules))
    if clauses > most[0] or literals > most[1]:
        raise GnriError(
            f"'rules' may have {most[0]:,} clauses and {most[1]:,} literals in all, got "
            f"{clauses:,} and {literals:,}; drop some"
        )
    atoms = len(fitted.schema.atoms)
    if any(atom >= atoms for clause in parts for atom, _ in clause):
        raise GnriError(f"a literal is [atom, positive], with an atom from 0 to {atoms - 1}")
    return own.with_rules([rule.to_rule() for rule in rules])


def _clauses(rules: RuleList) -> int:
    """Return the number of clauses; a line of a scorecard counts as one."""
    return sum(
        len(one.clauses if isinstance(one, SignedDNF) else one.points) for one in rules.rules
    )


def _view_rule(rules: RuleList, rule: AnyRule | None, one: RuleStatistics) -> dict[str, Any]:
    """Return a rule, or a class without one; a scorecard has lines in place of clauses."""
    clauses = sorted_clauses(rule) if isinstance(rule, SignedDNF) else []
    cases = tabulate(rule, rules.schema)[0] if isinstance(rule, Scorecard) else []
    return {
        "label": format_value(one.label),
        "head": one.text.split("\n")[0],
        "form": one.form,
        "lines": [describe_case(case) for case in cases],
        "present": rule is not None,
        "document": None if rule is None else rule.to_dict(),
        "target": one.target,
        "positive": one.positive,
        "follows": one.follows,
        "undecided": one.undecided,
        "figures": one.figures.as_dict(),
        "clauses": [
            {
                "text": clause.text,
                "literals": [write_clause(rules.schema, [literal]) for literal in literals],
                "unique": clause.unique,
                "figures": clause.figures.as_dict(),
            }
            for literals, clause in zip(clauses, one.clauses if clauses else (), strict=True)
        ],
    }


def _view_coverage(coverage: Coverage, classes: Sequence[Scalar]) -> dict[str, Any]:
    """Return the coverage; a bar is [start row, end row, covered share, whether it is right]."""
    return {
        "order": coverage.order.tolist(),
        "sections": [
            {"label": format_value(label), "start": start, "end": end}
            for label, (start, end) in zip(classes, coverage.sections, strict=True)
        ],
        "strips": [
            {"rule": one.rule, "clause": one.clause, "bars": one.bars} for one in coverage.strips
        ],
        "mistakes": coverage.mistakes[:MOST_MISTAKES].tolist(),
        "wrong": coverage.wrong,
    }


def edit_literal(rule: SignedDNF, clause: int, literal: int) -> dict[str, SignedDNF]:
    """Return the rule with one literal dropped, and with it negated; no clause is left empty."""
    clauses = sorted_clauses(rule)
    one, old = clauses[clause][literal], frozenset(clauses[clause])
    others, rest = rule.clauses - {old}, old - {one}
    return {
        "drop": SignedDNF(others | {rest} if rest else others, rule.positive),
        "flip": SignedDNF(others | {rest | {~one}}, rule.positive),
    }


def _explain_rule(rules: RuleList, rule: AnyRule, values: NDArray[np.int8]) -> dict[str, Any]:
    """Return the truth of each literal; the `closest` clauses fail by the fewest literals.

    Of a scorecard, return which of the `cells` of each line the row has.
    """
    cases = tabulate(rule, rules.schema)[0] if isinstance(rule, Scorecard) else []
    literals = [
        [int(values[0, atom]) * (1 if sign else -1) for atom, sign in clause]
        for clause in (sorted_clauses(rule) if isinstance(rule, SignedDNF) else [])
    ]
    failing = [sum(truth != 1 for truth in clause) for clause in literals]
    return {
        "cells": [int(find_cells(case, rules.schema, values)[0]) for case in cases],
        "literals": literals,
        "fired": [i for i, count in enumerate(failing) if count == 0],
        "closest": [i for i, count in enumerate(failing) if 0 < count == min(failing)],
    }
