"""Write a rule list as one SQL statement, for SQLite, DuckDB and their like.

The cells of a row are cast once, in a subquery, so that conditions read as in words. NaN counts as
missing, so it becomes NULL there: for some databases it is above every number.
"""

import math
import string
from collections.abc import Sequence

from gnri.data.kinds import ColumnKind
from gnri.data.schema import Above, IsTrue, OneOf, Scalar, column_kinds
from gnri.errors import RuleError, shorten
from gnri.formats.expression import Expression, Points, Test, express_step
from gnri.formats.language import Language
from gnri.rules.rule_list import RuleList

_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_CHUNK = 50
"""Longer chains are nested, since databases limit the depth of an expression."""


def to_sql(rule_list: RuleList, table: str = "data") -> str:
    """Return a statement that adds the column `prediction` to the rows of `table`.

    Numbers are compared as 64-bit floats, Boolean columns may hold TRUE and FALSE or 1 and 0.

    >>> from gnri.data.schema import Equals, Schema
    >>> from gnri.rules.dnf import SignedDNF
    >>> schema = Schema((Equals("odor", "foul"),))
    >>> rule = SignedDNF([[(0, True)]])
    >>> print(to_sql(RuleList.binary(schema, ("edible", "poisonous"), rule), "mushrooms"))
    SELECT *, (
      SELECT CASE
        WHEN cell."odor" = 'foul' THEN 'poisonous'
        ELSE 'edible'
      END
      FROM (SELECT source."odor" AS "odor") AS cell
    ) AS prediction
    FROM "mushrooms" AS source
    """
    _check_case(rule_list.columns)
    answer = _label(rule_list.classes[rule_list.default])
    cases = [
        f"WHEN {_condition(express_step(rule_list, step))} "
        f"THEN {_label(rule_list.classes[step.answer])}"
        for step in rule_list.steps
    ]
    ending = f"ELSE {answer}" if cases else f"WHEN TRUE THEN {answer}"
    kinds = column_kinds(rule_list.schema.atoms)
    cells = ", ".join(_cell(name, kinds[name]) for name in rule_list.columns)
    return "\n".join(
        [
            "SELECT *, (",
            "  SELECT CASE",
            *(f"    {line}" for line in [*cases, ending]),
            "  END",
            f"  FROM (SELECT {cells or 'NULL'}) AS cell",
            ") AS prediction",
            f"FROM {quote_name(table)} AS source",
        ]
    )


def _cell(column: str, kind: ColumnKind) -> str:
    """Return the cell of a column as text, or as a float that is not NaN."""
    cell = f"source.{quote_name(column)}"
    if kind is not ColumnKind.CATEGORY:
        cell = f"NULLIF(CAST({cell} AS DOUBLE PRECISION), 'NaN')"
    return f"{cell} AS {_alias(column)}"


def _alias(column: str) -> str:
    """Return the name of a cell, that of its column but where SQLite takes it for a Boolean."""
    boolean = column.rstrip("_").translate(_LOWER) in ("true", "false")
    return quote_name(column + "_" * boolean)


def quote_name(name: str) -> str:
    """Return a table or column name as a quoted identifier."""
    if not name:
        raise RuleError("SQL has no empty names; rename the column or table")
    return _quote(name, '"')


def _quote(text: str, mark: str) -> str:
    if "\0" in text:
        raise RuleError(f"SQL cannot write the character NUL, got {shorten(text)}; rename it")
    return f"{mark}{text.replace(mark, mark * 2)}{mark}"


def write_number(value: float) -> str:
    """Return a float as an expression that every database computes to exactly this float.

    Not every database rounds a long decimal correctly, so one is written as a quotient or product
    of whole numbers and powers of two, which is exact.

    >>> write_number(30.0), write_number(2.45), write_number(0.1 + 0.2)
    ('30', '2.45', '(5404319552844596e0 / 18014398509481984e0)')
    """
    if abs(value) < 1e12 and round(value, 3) == value:
        return repr(value).removesuffix(".0")
    mantissa, exponent = math.frexp(value)
    whole, exponent = int(math.ldexp(mantissa, 53)), exponent - 53
    powers = [54] * (abs(exponent) // 54) + [abs(exponent) % 54]
    sign = "/" if exponent < 0 else "*"
    return f"({whole}e0" + "".join(f" {sign} {2**power}e0" for power in powers if power) + ")"


def _condition(expression: Expression | Points) -> str:
    """Return the expression in SQL: true where it is, else false or NULL."""
    if not isinstance(expression, Points) or expression.others is None:
        return _SQL.write(expression)
    mine = f"{_SQL.total(expression)} - ({expression.bound})"
    others = [f"{_SQL.total(other)} - ({other.bound})" for other in expression.others]
    return _SQL.join("and", [f"{mine} >= {other}" for other in others])


def _test(test: Test, _: bool) -> str:
    cell, positive = f"cell.{_alias(test.column)}", test.positive
    match test.atom:
        case Above(_, cut):
            return f"{cell} {'>' if positive else '<='} {write_number(cut)}"
        case IsTrue():
            return f"{cell} = {write_number(float(positive))}"
        case OneOf(_, (bool(), *_) as values):
            flags = [flag for flag in (True, False) if (flag in values) == positive]
            tests = [f"{cell} = {write_number(float(flag))}" for flag in flags]
            return _SQL.join("or", tests, bracket=True)
        case OneOf(_, values):
            known = [_label(v) if isinstance(v, str) else write_number(float(v)) for v in values]
            tests = [f"{cell} {'=' if positive else '<>'} {value}" for value in known]
            return _SQL.join("or" if positive else "and", tests, bracket=True)


def _choose(cases: Sequence[tuple[str, float]], missing: float) -> str:
    tests = [f"WHEN {test} THEN {points}" for test, points in cases]
    return f"CASE {' '.join(tests)} ELSE {write_number(missing)} END"


_SQL = Language(
    _test, _choose, {"and": ("AND", "TRUE"), "or": ("OR", "FALSE"), "+": ("+", "0")}, most=_CHUNK
)


def _label(label: Scalar) -> str:
    if isinstance(label, bool):
        return "TRUE" if label else "FALSE"
    if isinstance(label, str):
        return _quote(label, "'")
    return (
        str(label) if isinstance(label, int) else f"CAST({write_number(label)} AS DOUBLE PRECISION)"
    )


def _check_case(columns: list[str]) -> None:
    seen: dict[str, str] = {}
    for name in columns:
        other = seen.setdefault(name.translate(_LOWER), name)
        if other != name:
            raise RuleError(
                f"columns {shorten(other)} and {shorten(name)} differ only in case, which SQL does "
                "not tell apart; rename one"
            )
