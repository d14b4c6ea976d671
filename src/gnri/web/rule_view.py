"""Rules, their edits and the rows of a table, as JSON for the page."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gnri.data.encode import encode
from gnri.data.kinds import ColumnKind
from gnri.data.schema import Above, Schema
from gnri.data.table import Table
from gnri.errors import GnriError, shorten
from gnri.estimator.fitting import Fitted
from gnri.estimator.statistics import RuleStatistics
from gnri.formats.conditions import format_value, write_clause
from gnri.formats.explanation import explain_points
from gnri.formats.expression import Case, Expression, express_literal, tabulate
from gnri.formats.point_lines import describe_case, find_cells
from gnri.formats.text import ending_lines
from gnri.report.coverage import Coverage, find_coverage
from gnri.rules.dnf import Clause, Literal, SignedDNF, sort_literals, sorted_clauses
from gnri.rules.rule_list import RuleList
from gnri.rules.scorecard import AnyRule, Scorecard
from gnri.web import Report
from gnri.web.schemas import Cut, SentRule

MOST_MISTAKES = 5_000
MOST_CUTS = 100
CHANGED = "these points were changed by hand: their odds and probabilities were not measured"
NO_PLACE = "the rules have no literal at this place"
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
    own: int = 0  # atoms of thresholds that the rules set by hand, the last of the schema
    order: tuple[tuple[tuple[Literal, ...], ...], ...] = ()  # of each rule; else as printed

    def labelled(self, table: Table) -> Table:
        """Return the rows of the table that have a label, in which the rows of the fit are."""
        target = self.fitted.target
        return table.take(target.encode(table[target.name]) >= 0) if target.unlabelled else table

    def with_table(self, table: Table) -> Fitted:
        """Return the fit with its table, which it leaves to the server."""
        return replace(self.fitted, table=self.labelled(table).cast(self.kinds))

    @property
    def edited(self) -> bool:
        """Whether the rules differ from those that were learnt."""
        return self.rules != self.fitted.minimized

    @property
    def shown(self) -> Fitted:
        """The fit, with statistics of the rules that are shown."""
        return self.fitted.with_rules(self.rules.rules) if self.edited else self.fitted

    def with_sent(self, table: Table, sent: Sequence[SentRule | None] | None) -> "TableFit":
        """Return the fit with the rules and thresholds of a request; clauses keep their order."""
        if sent is None:
            return self
        rules = [rule for rule in sent if rule is not None]
        lines = [line for rule in rules for line in rule.lines]
        cuts = [atom for line in lines for atom, _ in line if isinstance(atom, tuple)]
        fit = self._with_cuts(table, cuts) if cuts else self
        own, schema = fit.fitted.minimized, fit.fitted.schema
        missing = len(own.without_rule)
        if [rule is None for rule in sent] != [False] * len(own.rules) + [True] * missing:
            raise GnriError(
                f"'rules' must be {len(own.rules)} rules, then null for each of {missing} classes "
                f"without one, got {len(sent)} in all"
            )
        parts = [rule.parts(schema, len(schema.atoms) - fit.own) for rule in rules]
        _check_most(fit.fitted, parts)
        found = [rule.to_rule(clauses) for rule, clauses in zip(rules, parts, strict=True)]
        order = tuple(
            tuple({frozenset(one): tuple(dict.fromkeys(one)) for one in clauses}.values())
            for clauses in parts
        )
        return fit._replace(rules=own.with_rules(found), order=order)

    def _with_cuts(self, table: Table, cuts: Sequence[Cut]) -> "TableFit":
        """Return the fit with an atom for each threshold that it lacks."""
        fitted, columns = self.fitted, self.fitted.schema.columns
        atoms = dict.fromkeys(Above(*cut) for cut in cuts)
        if len(atoms) > MOST_CUTS:
            raise GnriError(
                f"rules may set at most {MOST_CUTS} thresholds by hand, got {len(atoms)}; "
                "learn again with these thresholds of the columns"
            )
        for name in {atom.column for atom in atoms}:
            if name not in columns or self.kinds.get(name) != ColumnKind.NUMBER:
                raise GnriError(
                    f"only columns of numbers that were learnt from have thresholds, "
                    f"not {shorten(name)}"
                )
        new = Schema(tuple(atom for atom in atoms if atom not in fitted.schema.atoms))
        rows = (
            self.labelled(table).select(new.columns).cast({c: self.kinds[c] for c in new.columns})
        )
        schema = replace(fitted.schema, atoms=fitted.schema.atoms + new.atoms)
        lists = {n: replace(getattr(fitted, n), schema=schema) for n in ("rule_list", "minimized")}
        values = np.hstack([fitted.rows()[0], encode(new, rows)])
        return self._replace(fitted=replace(fitted, values=values, **lists), own=len(new.atoms))

    def clauses_of(self, which: int) -> list[list[Literal]]:
        """Return the clauses of a rule in the order of the request, or else as printed."""
        rule = self.rules.rules[which]
        if not isinstance(rule, SignedDNF):
            return []
        return list(map(list, self.order[which])) if self.order else sorted_clauses(rule)

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
            "questions": len(fitted.schema.atoms) - self.own,
            "accuracy": dict(right=right, rows=rows, share=right / rows, majority=majority),
            "edited": self.edited,
            "rules": [self._view_rule(i, rule, one) for i, (rule, one) in enumerate(pairs)],
            "ending": [*ending_lines(rules), *([CHANGED] if self.edited and rules.unit else [])],
            "map": self._view_coverage(find_coverage(rules, fitted.statistics, codes, answers)),
        }

    def _view_rule(self, which: int, rule: AnyRule | None, one: RuleStatistics) -> dict[str, Any]:
        """Return a rule, or a class without one; a scorecard has lines in place of clauses."""
        clauses = [] if rule is None else self.clauses_of(which)
        known, schema = {own.clause: own for own in one.clauses}, self.rules.schema
        cases, enough = _tabulate(rule, schema)
        return {
            "label": format_value(one.label),
            "head": one.text.split("\n")[0],
            "form": one.form,
            "lines": [self._view_line(case) for case in cases],
            "enough": enough,
            "present": rule is not None,
            "document": None if rule is None else self._write_rule(which, rule),
            "target": one.target,
            "positive": one.positive,
            "follows": one.follows,
            "undecided": one.undecided,
            "figures": one.figures.as_dict(),
            "clauses": [
                {
                    "text": known[frozenset(clause)].text,
                    "literals": [write_clause(schema, [item]) for item in clause],
                    "numeric": [isinstance(schema.atoms[atom], Above) for atom, _ in clause],
                    "unique": known[frozenset(clause)].unique,
                    "figures": known[frozenset(clause)].figures.as_dict(),
                }
                for clause in clauses
            ],
        }

    def write(self, clauses: Iterable[Iterable[Literal]]) -> list[list[Any]]:
        """Return clauses as a request has them: thresholds of their own by column and number."""
        atoms = self.rules.schema.atoms
        names: dict[int, Any] = {
            i: (atoms[i].column, getattr(atoms[i], "cut", None))
            for i in range(len(atoms) - self.own, len(atoms))
        }
        return [[(names.get(atom, atom), sign) for atom, sign in clause] for clause in clauses]

    def _write_rule(self, which: int, rule: AnyRule) -> dict[str, Any]:
        """Return a rule as a request has it."""
        if isinstance(rule, Scorecard):
            lines = self.write(sort_literals(line) for line, _ in rule.lines)
            points = [points for _, points in rule.lines]
            return {"points": list(zip(lines, points, strict=True)), "threshold": rule.threshold}
        return {"positive": rule.positive, "clauses": self.write(self.clauses_of(which))}

    def _view_line(self, case: Case) -> list[Any]:
        """Return a line of a scorecard; a cell is its words, its points, and how to raise it."""
        name, cells = describe_case(case)
        ways = _raise_cells(case, self.rules.schema)
        raises = [[[*self.write([sort_literals(clause)]), p] for clause, p in one] for one in ways]
        return [name, [[*cell, up] for cell, up in zip_longest(cells, raises)]]

    def _view_coverage(self, coverage: Coverage) -> dict[str, Any]:
        """Return the coverage; a bar is [start, end, share covered, whether that is right]."""
        places = [
            {clause: place for place, clause in enumerate(map(frozenset, self.clauses_of(i)))}
            for i in range(len(self.rules.rules))
        ]
        strips = [
            dict(rule=s.rule, clause=places[s.rule][s.clause], bars=s.bars) for s in coverage.strips
        ]
        return {
            "order": coverage.order.tolist(),
            "sections": [
                {"label": format_value(label), "start": start, "end": end}
                for label, (start, end) in zip(self.rules.classes, coverage.sections, strict=True)
            ],
            "strips": sorted(strips, key=lambda one: (one["rule"], one["clause"])),
            "mistakes": coverage.mistakes[:MOST_MISTAKES].tolist(),
            "wrong": coverage.wrong,
        }

    def find_clause(self, which: int, clause: int, literal: int = 0) -> list[Literal]:
        """Return the clause at this place; raise if there is none, or no such literal in it."""
        if which >= len(self.rules.dnfs):  # raises where there are no clauses
            raise GnriError(NO_PLACE)
        clauses = self.clauses_of(which)
        if clause >= len(clauses) or literal >= len(clauses[clause]):
            raise GnriError(NO_PLACE)
        return clauses[clause]

    def explain_row(self, _: Report | None = None) -> dict[str, Any]:
        """Return the prediction for the only row, and the truth of each literal."""
        (values, codes), rules = self.fitted.rows(), self.rules
        answer, label = rules.choose(values)[0], codes[0]
        return {
            "label": format_value(rules.classes[label]),
            "answer": format_value(rules.classes[answer]),
            "right": bool(answer == label),
            "rules": [
                {
                    "truth": int(truth[0]),
                    "cells": [
                        int(find_cells(case, rules.schema, values)[0])
                        for case in _tabulate(rule, rules.schema)[0]
                    ],
                    **explain_clauses(self.clauses_of(i), values),
                }
                for i, (rule, truth) in enumerate(
                    zip(rules.rules, rules.truths(values), strict=True)
                )
            ],
            "reason": None if rules.unit is None else explain_points(rules, values)[0].reason,
            "read": rules.columns,
        }


def _check_most(fitted: Fitted, sent: Sequence[Sequence[Sequence[Literal]]]) -> None:
    """Raise if the clauses of all rules of a request are too many, or have too many literals."""
    own = fitted.minimized.rules
    clauses, literals = sum(map(len, sent)), sum(len(one) for lines in sent for one in lines)
    most = (
        max(MOST_CLAUSES, sum(len(rule.lines) for rule in own)),
        max(MOST_LITERALS, sum(rule.size for rule in own)),
    )
    if clauses > most[0] or literals > most[1]:
        raise GnriError(
            f"'rules' may have {most[0]:,} clauses and {most[1]:,} literals in all, got "
            f"{clauses:,} and {literals:,}; drop some"
        )


def _tabulate(rule: AnyRule | None, schema: Schema) -> tuple[list[Case], int | None]:
    """Return the lines of a scorecard, and how many points are enough; none of any other rule."""
    return tabulate(rule, schema) if isinstance(rule, Scorecard) else ([], None)


def explain_clauses(clauses: list[list[Literal]], values: NDArray[np.int8]) -> dict[str, Any]:
    """Return the truth of each literal; the `closest` clauses fail by the fewest literals."""
    literals = [
        [int(values[0, atom]) * (1 if sign else -1) for atom, sign in clause] for clause in clauses
    ]
    failing = [sum(truth != 1 for truth in clause) for clause in literals]
    return {
        "literals": literals,
        "fired": [i for i, count in enumerate(failing) if count == 0],
        "closest": [i for i, count in enumerate(failing) if 0 < count == min(failing)],
    }


def _raise_cells(case: Case, schema: Schema) -> list[list[tuple[Clause, int]]]:
    """Return for each cell of a line the points to add so that it gives one more.

    Points of the empty clause are added in every row. The cells are those of `describe_case`, but
    for the last, an empty cell: its points are half of what the others add up to.
    """
    if case.column is None:
        tests = case.tests[0][0].parts  # type: ignore[union-attr]
        own = frozenset(_find_literal(schema, test) for test in tests)
        return [[(own, 1)], [(own, -1), (frozenset(), 1)]]
    literals = [frozenset({_find_literal(schema, test)}) for test, _ in case.tests[:-1]]
    every: list[tuple[Clause, int]] = [(frozenset(), 1)]
    if not isinstance(case.tests[0][0].atom, Above):  # type: ignore[union-attr]
        return [*([(one, 1)] for one in literals), [*every, *((one, -1) for one in literals)]]
    # Above a threshold all lower ones hold too, and what they give is taken back.
    above = [
        [(one, 1)] + [(up, -1) for up in literals[i - 1 : i]] for i, one in enumerate(literals)
    ]
    return [[*every, (literals[-1], -1)], *above[::-1]]


def _find_literal(schema: Schema, test: Expression) -> Literal:
    """Return the literal that is written as this test."""
    literals = (Literal(i, sign) for i in range(len(schema.atoms)) for sign in (True, False))
    return next(one for one in literals if express_literal(schema, one) == test)
