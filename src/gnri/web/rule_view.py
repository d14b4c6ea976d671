"""Rules, their edits and the rows of a table, as JSON for the page."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gnri.data.kinds import ColumnKind
from gnri.data.schema import Scalar, Schema
from gnri.data.table import Table
from gnri.errors import GnriError
from gnri.estimator.fitting import Fitted
from gnri.estimator.statistics import RuleStatistics
from gnri.formats.conditions import format_value, write_clause
from gnri.formats.explanation import explain_points
from gnri.formats.expression import Case, tabulate
from gnri.formats.point_lines import describe_case, find_cells
from gnri.formats.text import ending_lines
from gnri.report.coverage import Coverage, find_coverage
from gnri.rules.dnf import SignedDNF, sort_literals, sorted_clauses
from gnri.rules.rule_list import RuleList
from gnri.rules.scorecard import AnyRule, Scorecard
from gnri.web import Report
from gnri.web.schemas import SentRule

MOST_MISTAKES = 5_000
MOST_CLAUSES, MOST_LITERALS = 240, 5_000
"""Limits on the rules of a request; a fit with more of them raises the limits for its table."""


class TableFit(NamedTuple):
    """What was learnt from a table, and the rules that a page shows of it, perhaps edited.

    Workers run the methods that may be given a `Report`.
    """

    fitted: Fitted
    kinds: dict[str, ColumnKind]  # of each column that was used
    digest: str  # of the encoded rows; a page sends it with rules, whose atoms are mere numbers
    rules: RuleList

    def labelled(self, table: Table) -> Table:
        """Return the rows of the table that have a label, in which the rows of the fit are."""
        target = self.fitted.target
        return table.take(target.encode(table[target.name]) >= 0) if target.unlabelled else table

    @property
    def edited(self) -> bool:
        """Whether the rules differ from those that were learnt."""
        return self.rules != self.fitted.minimized

    @property
    def shown(self) -> Fitted:
        """The fit, with statistics of the rules that are shown."""
        return self.fitted.with_rules(self.rules.rules) if self.edited else self.fitted

    def at_row(self, row: int) -> "TableFit":
        """Return the rules with this row of the table alone."""
        values, codes = self.fitted.rows()
        if row >= len(codes):
            raise GnriError(f"the rows are numbered from 0 to {len(codes) - 1}, got {row}")
        values, codes = values[[row]], codes[[row]]
        alone = replace(self.fitted, values=values, codes=codes, answers=None, statistics=())
        return self._replace(fitted=alone)

    def view(self, _: Report | None = None) -> dict[str, Any]:
        """Return the rules, with their statistics and coverage of the table."""
        fitted, rules = self.shown, self.rules
        values, codes = fitted.rows()
        answers = rules.choose(values)
        right, rows = int(np.sum(answers == codes)), len(codes)
        majority = max(fitted.sizes) / rows
        pairs = zip_longest(rules.rules, fitted.statistics)
        return {
            "learnt": self.digest,
            "classes": [format_value(label) for label in rules.classes],
            "rows": rows,
            "questions": len(fitted.schema.atoms),
            "accuracy": dict(right=right, rows=rows, share=right / rows, majority=majority),
            "edited": self.edited,
            "rules": [_view_rule(rules.schema, rule, one) for rule, one in pairs],
            "ending": ending_lines(rules),
            "map": _view_coverage(
                find_coverage(rules, fitted.statistics, codes, answers), rules.classes
            ),
        }

    def score_edits(
        self, which: int, clause: int, literal: int, _: Report | None = None
    ) -> dict[str, float]:
        """Return the accuracy after dropping one literal, and after negating it."""
        (values, codes), rules = self.fitted.rows(), self.rules.dnfs
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
        """Return the prediction for the only row, and the truth of each literal."""
        (values, codes), rules = self.fitted.rows(), self.rules
        answer, label = rules.choose(values)[0], codes[0]
        return {
            "label": format_value(rules.classes[label]),
            "answer": format_value(rules.classes[answer]),
            "right": bool(answer == label),
            "rules": [
                {"truth": int(truth[0]), **_explain_rule(rules.schema, rule, values)}
                for truth, rule in zip(rules.truths(values), rules.rules, strict=True)
            ],
            "reason": None if rules.unit is None else explain_points(rules, values)[0].reason,
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
    learnt = sum(len(one.clauses) for one in fitted.statistics), sum(one.size for one in own.rules)
    most = max(MOST_CLAUSES, learnt[0]), max(MOST_LITERALS, learnt[1])
    if clauses > most[0] or literals > most[1]:
        raise GnriError(
            f"'rules' may have {most[0]:,} clauses and {most[1]:,} literals in all, got "
            f"{clauses:,} and {literals:,}; drop some"
        )
    atoms = len(fitted.schema.atoms)
    if any(atom >= atoms for clause in parts for atom, _ in clause):
        raise GnriError(f"a literal is [atom, positive], with an atom from 0 to {atoms - 1}")
    return own.with_rules([rule.to_rule() for rule in rules])


def _view_rule(schema: Schema, rule: AnyRule | None, one: RuleStatistics) -> dict[str, Any]:
    """Return a rule, or a class without one; a scorecard has lines in place of clauses."""
    return {
        "label": format_value(one.label),
        "head": one.text.split("\n")[0],
        "form": one.form,
        "lines": [describe_case(case) for case in _cases(schema, rule)],
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
                "literals": [write_clause(schema, [item]) for item in sort_literals(clause.clause)],
                "unique": clause.unique,
                "figures": clause.figures.as_dict(),
            }
            for clause in one.clauses
            if isinstance(rule, SignedDNF)
        ],
    }


def _cases(schema: Schema, rule: AnyRule | None) -> list[Case]:
    """Return the lines of a scorecard; none of any other rule."""
    return tabulate(rule, schema)[0] if isinstance(rule, Scorecard) else []


def _view_coverage(coverage: Coverage, classes: Sequence[Scalar]) -> dict[str, Any]:
    """Return the coverage; a bar is [start row, end row, covered share, whether it is right]."""
    return {
        "order": coverage.order.tolist(),
        "sections": [
            {"label": format_value(label), "start": start, "end": end}
            for label, (start, end) in zip(classes, coverage.sections, strict=True)
        ],
        "strips": [
            dict(rule=one.rule, clause=one.clause, bars=one.bars) for one in coverage.strips
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


def _explain_rule(schema: Schema, rule: AnyRule, values: NDArray[np.int8]) -> dict[str, Any]:
    """Return the truth of each literal; the `closest` clauses fail by the fewest literals.

    Of a scorecard, return which of the `cells` of each line the row has.
    """
    literals = [
        [int(values[0, atom]) * (1 if sign else -1) for atom, sign in clause]
        for clause in (sorted_clauses(rule) if isinstance(rule, SignedDNF) else [])
    ]
    failing = [sum(truth != 1 for truth in clause) for clause in literals]
    return {
        "cells": [int(find_cells(one, schema, values)[0]) for one in _cases(schema, rule)],
        "literals": literals,
        "fired": [i for i, count in enumerate(failing) if count == 0],
        "closest": [i for i, count in enumerate(failing) if 0 < count == min(failing)],
    }
