"""A classifier as one SQL statement, for SQLite, DuckDB and their like.

Each literal has two tests, one that is true where it holds and one that is true where it fails; a
missing cell passes neither. That is three-valued logic without NOT, and it treats NaN as missing
although databases disagree on it: some hold it above every number, some never compare it. So
`x > cut` is asked as `-x < -cut`, which is not true of NaN in any of them.
"""

import math
import string

from gnri.data.schema import Above, Scalar, Schema, column_kinds, values_of
from gnri.errors import RuleError
from gnri.messages import shorten
from gnri.rules.dnf import Literal, SignedDNF, sorted_clauses
from gnri.rules.rule_list import RuleSet, Step

_SOURCE = "source"
_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_CHUNK = 50
"""Longer chains are nested, since databases limit the depth of an expression."""


def to_sql(ruleset: RuleSet, table: str) -> str:
    """A statement that adds the column `prediction` to the rows of `table`.

    Numbers are compared as 64-bit floats, Boolean columns may hold TRUE and FALSE or 1 and 0.

    >>> from gnri.data.schema import Equals
    >>> schema = Schema((Equals("odor", "foul"),))
    >>> rule = SignedDNF([[(0, True)]])
    >>> print(to_sql(RuleSet(schema, ("edible", "poisonous"), (rule,), majority=0), "mushrooms"))
    SELECT *, CASE
      WHEN source."odor" = 'foul' THEN 'poisonous'
      ELSE 'edible'
    END AS prediction
    FROM "mushrooms" AS source
    """
    _check_case(ruleset.columns)
    steps, default = ruleset.decisions
    answer = _label(ruleset.classes[default])
    cases = [_case(ruleset, step) for step in steps]
    ending = f"ELSE {answer}" if cases else f"WHEN TRUE THEN {answer}"
    body = [f"  {line}" for line in [*cases, ending]]
    place = f"FROM {quote_name(table)} AS {_SOURCE}"
    return "\n".join(["SELECT *, CASE", *body, "END AS prediction", place])


def quote_name(name: str) -> str:
    """A table or column name as a quoted identifier."""
    if not name:
        raise RuleError("SQL has no empty names; rename the column or table")
    return f'"{_without_nul(name).replace(chr(34), chr(34) * 2)}"'


def quote_text(text: str) -> str:
    """A string as a literal of standard SQL."""
    return f"'{_without_nul(text).replace(chr(39), chr(39) * 2)}'"


def number(value: float) -> str:
    """A float as an expression that every database computes to exactly this float.

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


def _case(ruleset: RuleSet, step: Step) -> str:
    rule = ruleset.rules[step.rule]
    assert rule is not None, "no step reads an absent rule"
    condition = _condition(rule, step.truth, ruleset.schema)
    return f"WHEN {condition} THEN {_label(ruleset.classes[step.answer])}"


def _condition(rule: SignedDNF, truth: int, schema: Schema) -> str:
    """An expression that is true where the rule has this truth, else false or NULL."""
    wanted = (truth == 1) == rule.positive
    parts = []
    for items in sorted_clauses(rule):
        tests = [_test(literal, wanted, schema) for literal in items]
        parts.append(_joined(tests, "AND" if wanted else "OR", bracket=len(rule.clauses) > 1))
    return _joined(parts, "OR" if wanted else "AND")


def _joined(parts: list[str], word: str, bracket: bool = False) -> str:
    if not parts:
        return "TRUE" if word == "AND" else "FALSE"
    while len(parts) > _CHUNK:
        chunks = (parts[i : i + _CHUNK] for i in range(0, len(parts), _CHUNK))
        parts = [_joined(chunk, word, bracket=True) for chunk in chunks]
    text = f" {word} ".join(parts)
    return f"({text})" if bracket and len(parts) > 1 else text


def _test(literal: Literal, wanted: bool, schema: Schema) -> str:
    """An expression that is true where the literal is true or, if not `wanted`, false."""
    atom = schema.atoms[literal.atom]
    column = f"{_SOURCE}.{quote_name(atom.column)}"
    holds = literal.positive == wanted
    if isinstance(atom, Above):
        floats = f"CAST({column} AS DOUBLE PRECISION)"
        return _above(floats, atom.cut) if holds else f"{floats} <= {number(atom.cut)}"
    values = values_of(atom)
    texts = [value for value in values if isinstance(value, str)]
    if texts:
        tests = [f"{column} {'=' if holds else '<>'} {quote_text(text)}" for text in texts]
        return _joined(tests, "OR" if holds else "AND", bracket=True)
    floats = f"CAST({column} AS DOUBLE PRECISION)"
    if column_kinds([atom])[atom.column] == "flag":
        flags = [flag for flag in (1.0, 0.0) if (flag in values) == holds]
        return _joined([f"{floats} = {number(flag)}" for flag in flags], "OR", bracket=True)
    tests = [_equal(floats, float(value), holds) for value in values]
    return _joined(tests, "OR" if holds else "AND", bracket=True)


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
