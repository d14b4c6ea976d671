"""Expressions over columns, with no negation: what `express` makes of a rule and a format prints.

A missing cell makes every test not true. So there is one expression for where a rule is true and
another for where it is false, and on a row with missing cells neither may hold.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnri.data.schema import Above, Equals, IsTrue, OneOf, Scalar, Schema
from gnri.rules.dnf import Literal, SignedDNF, sorted_clauses

if TYPE_CHECKING:
    from gnri.rules.form import Rule


@dataclass(frozen=True, slots=True)
class Compare:
    """`column > cut` or, if not `above`, `column <= cut`."""

    column: str
    cut: float
    above: bool


@dataclass(frozen=True, slots=True)
class Member:
    """The cell is one of the values or, if not `positive`, none of them."""

    column: str
    values: tuple[Scalar, ...]
    positive: bool


@dataclass(frozen=True, slots=True)
class Flag:
    """A Boolean column that is true or, if not `positive`, false."""

    column: str
    positive: bool


@dataclass(frozen=True, slots=True)
class And:
    """All of the parts; no parts are always true."""

    parts: "tuple[Expression, ...]"


@dataclass(frozen=True, slots=True)
class Or:
    """Any of the parts; no parts are never true."""

    parts: "tuple[Expression, ...]"


Test = Compare | Member | Flag
Expression = And | Or | Test


def express(rule: "Rule", schema: Schema, truth: int) -> And | Or:
    """Return the expression for where the rule has this truth, +1 or -1.

    >>> schema = Schema((Above("age", 30.0), IsTrue("smoker")))
    >>> express(SignedDNF([[(1, False)]]), schema, -1)
    And(parts=(Or(parts=(Flag(column='smoker', positive=True),)),))
    """
    match rule:
        case SignedDNF():
            return _express_dnf(rule, schema, truth)
    raise TypeError(f"there is no expression for a rule of type {type(rule).__name__}")


def _express_dnf(rule: SignedDNF, schema: Schema, truth: int) -> And | Or:
    holds = (truth == 1) == rule.positive
    outer, inner = (Or, And) if holds else (And, Or)
    return outer(
        tuple(
            inner(tuple(express_literal(schema, item if holds else ~item) for item in items))
            for items in sorted_clauses(rule)
        )
    )


def express_literal(schema: Schema, literal: Literal) -> Test:
    """Return the test that holds where the literal is true."""
    match schema.atoms[literal.atom]:
        case Above(column, cut):
            return Compare(column, cut, literal.positive)
        case Equals(column, value):
            return Member(column, (value,), literal.positive)
        case OneOf(column, values):
            return Member(column, values, literal.positive)
        case IsTrue(column):
            return Flag(column, literal.positive)
