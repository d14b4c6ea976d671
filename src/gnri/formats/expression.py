"""Expressions over columns, without negation: `express` makes them of rules, formats print them.

A test of a missing cell is not true. So a rule has two expressions: one is true where the rule is
true, the other where it is false. On a row with missing cells, both can be not true.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from gnri.data.schema import Above, Equals, IsTrue, OneOf, Schema, values_of
from gnri.rules.dnf import Clause, Literal, sort_literals
from gnri.rules.scorecard import Scorecard

if TYPE_CHECKING:
    from gnri.rules.rule_list import RuleList, Step
    from gnri.rules.scorecard import AnyRule


@dataclass(frozen=True, slots=True)
class Test:
    """An atom that is true or, if not `positive`, false; a single value is a `OneOf` too."""

    atom: Above | OneOf | IsTrue
    positive: bool

    @property
    def column(self) -> str:
        """The column that is tested."""
        return self.atom.column


@dataclass(frozen=True, slots=True)
class And:
    """True where all parts are true; always true if there are no parts."""

    parts: "tuple[Expression, ...]"
    word: ClassVar[str] = "and"


@dataclass(frozen=True, slots=True)
class Or:
    """True where any part is true; never true if there are no parts."""

    parts: "tuple[Expression, ...]"
    word: ClassVar[str] = "or"


@dataclass(frozen=True, slots=True)
class Case:
    """The points of the first test that holds, and those where none does: a cell is missing.

    `column` is None for the truth of a clause.
    """

    column: str | None
    tests: "tuple[tuple[Expression, float], ...]"
    missing: float


@dataclass(frozen=True, slots=True)
class Points:
    """The points of all cases come to `bound` or more or, if not `above`, to `bound` or less.

    With `others`, these are at least as many points above `bound` as each other has above its own.
    """

    cases: tuple[Case, ...]
    bound: int
    above: bool
    others: "tuple[Points, ...] | None" = None


Expression = And | Or | Test


def express(rule: "AnyRule", schema: Schema, truth: int) -> And | Or | Points:
    """Return the expression for where the rule has this truth, +1 or -1.

    >>> from gnri.rules.dnf import SignedDNF
    >>> schema = Schema((Above("age", 30.0), IsTrue("smoker")))
    >>> express(SignedDNF([[(1, False)]]), schema, -1)
    And(parts=(Or(parts=(Test(atom=IsTrue(column='smoker'), positive=True),)),))
    """
    if isinstance(rule, Scorecard):
        cases, threshold = tabulate(rule, schema)
        return Points(tuple(cases), threshold - (truth < 0), truth > 0)
    holds = (truth == 1) == rule.positive
    parts = [_express_clause(schema, items, holds) for items, _ in rule.lines]
    return Or(tuple(parts)) if holds else And(tuple(parts))


def _express_clause(schema: Schema, items: Clause, holds: bool) -> And | Or:
    """Return the expression for where a clause is true or, if not `holds`, false."""
    tests = [express_literal(schema, one if holds else ~one) for one in sort_literals(items)]
    return And(tuple(tests)) if holds else Or(tuple(tests))


def express_step(rule_list: "RuleList", step: "Step") -> And | Or | Points:
    """Return the expression for where a step applies, if no earlier one does."""
    if not rule_list.most_points_win:
        return express(step.rule, rule_list.schema, step.truth)
    place = rule_list.steps.index(step)
    totals = [express(rule, rule_list.schema, 1) for rule in rule_list.rules[place:]]
    own, *others = [total for total in totals if isinstance(total, Points)]
    return replace(own, others=tuple(others))


def express_literal(schema: Schema, literal: Literal) -> Test:
    """Return the test that holds where the literal is true."""
    atom = schema.atoms[literal.atom]
    if isinstance(atom, Equals):
        atom = OneOf(atom.column, (atom.value,))
    return Test(atom, literal.positive)


def find_tests(expression: Expression) -> list[Test]:
    """Return the tests in an expression, in order."""
    if isinstance(expression, Test):
        return [expression]
    return [test for part in expression.parts for test in find_tests(part)]


def tabulate(card: Scorecard, schema: Schema) -> tuple[list[Case], int]:
    """Return the points of each column's ranges or values, and how many are enough.

    The least that a column gives is 0, and so is a clause that is false. A missing cell gets the
    points half-way between those of each line and its negation.

    >>> card = Scorecard({(0, True): 1, (1, True): 2}, 2)
    >>> (age,), enough = tabulate(card, Schema((Above("age", 30.0), Above("age", 45.0))))
    >>> [points for _, points in age.tests], age.missing, enough
    ([3, 1, 0], 1.5, 2)
    """
    clauses, columns = [], dict[str, list[tuple[Literal, int]]]()
    for line, points in card.lines:
        if len(line) > 1:
            true, false = (_express_clause(schema, line, holds) for holds in (True, False))
            clauses.append(Case(None, ((true, points), (false, 0)), points / 2))
            continue
        (literal,) = line
        columns.setdefault(schema.atoms[literal.atom].column, []).append((literal, points))
    cases, threshold = [], card.threshold
    for lines in columns.values():
        for part in [lines] if _is_simple(schema, lines) else [[one] for one in lines]:
            case, least = _column_case(schema, part)
            cases.append(case)
            threshold -= least
    return cases + clauses, threshold


def _is_simple(schema: Schema, lines: list[tuple[Literal, int]]) -> bool:
    """Return whether a cell has one value at most, and lies in one range or is a code."""
    atoms = [schema.atoms[literal.atom] for literal, _ in lines]
    others = [atom for atom in atoms if not isinstance(atom, Above)]
    values = [value for atom in others for value in values_of(atom)]
    single = len(others) == len(atoms) or all(isinstance(atom, Equals) for atom in others)
    return not others or (single and len(set(values)) == len(values))


def _column_case(schema: Schema, lines: list[tuple[Literal, int]]) -> tuple[Case, int]:
    """Return the case of a column, and the least points of its lines, which become 0."""
    change = {one.atom: points if one.positive else -points for one, points in lines}
    none_true = sum(points for one, points in lines if not one.positive)
    tests = {atom: express_literal(schema, Literal(atom)) for atom in change}
    cuts = {k: one.cut for k in change if isinstance(one := schema.atoms[k], Above)}
    found = []
    for atom, more in change.items():  # values first, whatever range they would be in
        if atom not in cuts:
            code = float(schema.atoms[atom].value) if cuts else 0  # type: ignore[union-attr]
            below = sum(change[one] for one, cut in cuts.items() if code > cut)
            found.append((tests[atom], none_true + below + more))
    order, other = sorted(cuts, key=cuts.__getitem__, reverse=True), _none_of([*tests.values()])
    for i, atom in enumerate(order):
        found.append((tests[atom], none_true + sum(change[one] for one in order[i:])))
        other = Test(tests[atom].atom, False)
    found.append((other, none_true))
    least = min(points for _, points in found)
    missing = sum(points for _, points in lines) / 2 - least
    column = schema.atoms[lines[0][0].atom].column
    return Case(column, tuple((test, points - least) for test, points in found), missing), least


def _none_of(tests: list[Test]) -> Test:
    """Return the test that a cell has none of these values."""
    if isinstance(tests[0].atom, IsTrue):
        return Test(tests[0].atom, False)
    values = (value for one in tests if isinstance(one.atom, OneOf) for value in one.atom.values)
    return Test(OneOf(tests[0].column, tuple(values)), False)
