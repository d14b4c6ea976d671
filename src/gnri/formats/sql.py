"""A classifier as one SQL statement, for SQLite, DuckDB and their like.

A missing cell passes no test of an expression. That is three-valued logic without NOT, and it
treats NaN as missing although databases disagree on it: some hold it above every number, some never
compare it. So `x > cut` is asked as `-x < -cut`, which is not true of NaN in any of them.
"""

import math
import string

from gnri.data.schema import Scalar
from gnri.errors import RuleError
from gnri.formats.expression import And, Compare, Expression, Flag, Member, Or, express
from gnri.messages import shorten
from gnri.rules.rule_list import RuleList, Step

_SOURCE = "source"
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
    SELECT *, CASE
      WHEN source."odor" = 'foul' THEN 'poisonous'
      ELSE 'edible'
    END AS prediction
    FROM "mushrooms" AS source
    """
    _check_case(rule_list.columns)
    answer = _label(rule_list.classes[rule_list.default])
    cases = [_case(rule_list, step) for step in rule_list.steps]
    ending = f"ELSE {answer}" if cases else f"WHEN TRUE THEN {answer}"
    body = [f"  {line}" for line in [*cases, ending]]
    place = f"FROM {quote_name(table)} AS {_SOURCE}"
    return "\n".join(["SELECT *, CASE", *body, "END AS prediction", place])


def quote_name(name: str) -> str:
    """Return a table or column name as a quoted identifier."""
    if not name:
        raise RuleError("SQL has no empty names; rename the column or table")
    return f'"{_without_nul(name).replace(chr(34), chr(34) * 2)}"'


def quote_text(text: str) -> str:
    """Return a string as a literal of standard SQL."""
    return f"'{_without_nul(text).replace(chr(39), chr(39) * 2)}'"


def number(value: float) -> str:
    """Return a float as an expression that every database computes to exactly this float.

    Not every database rounds a long decimal correctly, so one is written as a quotient or product
    of whole numbers and powers of two, which is exact.

    >>> number(2.45), number(0.1 + 0.2)
    ('2.45', '(5404319552844596e0 / 18014398509481984e0)')
    """
    if abs(value) < 1e12 and round(value, 3) == value:
        return repr(value)
    mantissa, exponent = math.frexp(value)
    whole, exponent = int(math.ldexp(mantissa, 53)), exponent - 53
    powers = [54] * (abs(exponent) // 54) + [abs(exponent) % 54]
    sign = "/" if exponent < 0 else "*"
    return f"({whole}e0" + "".join(f" {sign} {2**power}e0" for power in powers if power) + ")"


def _case(rule_list: RuleList, step: Step) -> str:
    condition = _condition(express(step.rule, rule_list.schema, step.truth))
    return f"WHEN {condition} THEN {_label(rule_list.classes[step.answer])}"


def _condition(expression: Expression, bracket: bool = False) -> str:
    """Return the expression in SQL: true where it is, else false or NULL."""
    match expression:
        case And(parts) | Or(parts):
            word = "AND" if isinstance(expression, And) else "OR"
            return _joined([_condition(part, len(parts) > 1) for part in parts], word, bracket)
        case Compare(column, cut, above):
            floats = _floats(column)
            return _above(floats, cut) if above else f"{floats} <= {number(cut)}"
        case Flag(column, positive):
            return f"{_floats(column)} = {number(float(positive))}"
        case Member():
            return _member(expression)


def _member(member: Member) -> str:
    column, values, positive = member.column, member.values, member.positive
    floats = _floats(column)
    if isinstance(values[0], bool):
        flags = [flag for flag in (True, False) if (flag in values) == positive]
        return _joined([_condition(Flag(column, flag)) for flag in flags], "OR", bracket=True)
    tests = [
        f"{_name(column)} {'=' if positive else '<>'} {quote_text(value)}"
        if isinstance(value, str)
        else _equal(floats, float(value), positive)
        for value in values
    ]
    return _joined(tests, "OR" if positive else "AND", bracket=True)


def _name(column: str) -> str:
    return f"{_SOURCE}.{quote_name(column)}"


def _floats(column: str) -> str:
    return f"CAST({_name(column)} AS DOUBLE PRECISION)"


def _joined(parts: list[str], word: str, bracket: bool = False) -> str:
    if not parts:
        return "TRUE" if word == "AND" else "FALSE"
    while len(parts) > _CHUNK:
        chunks = (parts[i : i + _CHUNK] for i in range(0, len(parts), _CHUNK))
        parts = [_joined(chunk, word, bracket=True) for chunk in chunks]
    text = f" {word} ".join(parts)
    return f"({text})" if bracket and len(parts) > 1 else text


def _above(floats: str, cut: float) -> str:
    return f"-{floats} < {number(-cut)}"


def _equal(floats: str, value: float, holds: bool) -> str:
    if holds:
        return f"{floats} = {number(value)}"
    return f"({floats} < {number(value)} OR {_above(floats, value)})"


def _label(label: Scalar) -> str:
    if isinstance(label, bool):
        return "TRUE" if label else "FALSE"
    if isinstance(label, str):
        return quote_text(label)
    return str(label) if isinstance(label, int) else f"CAST({number(label)} AS DOUBLE PRECISION)"


def _without_nul(text: str) -> str:
    if "\0" in text:
        raise RuleError(f"SQL cannot spell the character NUL, got {shorten(text)}; rename it")
    return text


def _check_case(columns: list[str]) -> None:
    seen: dict[str, str] = {}
    for name in columns:
        other = seen.setdefault(name.translate(_LOWER), name)
        if other != name:
            raise RuleError(
                f"columns {shorten(other)} and {shorten(name)} differ only in case, which SQL does "
                "not tell apart; rename one"
            )
