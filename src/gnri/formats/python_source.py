"""Write a rule list as the source of one Python function that needs no library.

Truth is +1, -1 or 0 for unknown; AND is the minimum, OR the maximum and NOT the negative.
"""

import builtins
import keyword

from gnri.data.kinds import MISSING_TYPES
from gnri.data.schema import column_kinds
from gnri.errors import RuleError
from gnri.formats.conditions import spell, write_clause
from gnri.formats.expression import (
    And,
    Compare,
    Expression,
    Member,
    Or,
    Test,
    express,
    express_literal,
)
from gnri.messages import shorten
from gnri.rules.dnf import Literal
from gnri.rules.rule_list import RuleList

_CELL = f"""\
    def cell(name, allowed):
        value = row[name]
        if value is None or type(value).__name__ in {MISSING_TYPES!r}:
            return None
        if isinstance(value, Real) and value != value:
            return None
        if not allowed(value):
            raise TypeError(f"wrong type in column {{name!r}}: {{value!r}}")
        return value if isinstance(value, str) else float(value)
"""
_ALLOWED = {
    "number": "lambda value: isinstance(value, Real) and not isinstance(value, bool)",
    "category": "lambda value: isinstance(value, str)",
    "flag": "lambda value: not isinstance(value, str) and value in (0, 1)",
}


def to_python(rule_list: RuleList, name: str = "predict") -> str:
    """Return the source of a function that takes a row, a mapping of column names to cells."""
    check_function_name(name)
    small = rule_list.compact()
    lines = [f"def {name}(row):", '    """The class of a row; None and NaN are missing cells."""']
    if small.atoms:
        lines += ["    from numbers import Real", "", _CELL]
    places = {column: f"c{i}" for i, column in enumerate(small.columns)}
    kinds = column_kinds(small.schema.atoms)
    for column, place in places.items():
        lines.append(f"    {place} = cell({column!r}, {_ALLOWED[kinds[column]]})")
    names: dict[Test, str] = {}
    for i in small.atoms:
        test, failed = (express_literal(small.schema, Literal(i, sign)) for sign in (True, False))
        names |= {test: f"x{i}", failed: f"-x{i}"}
        words = write_clause(small.schema, [Literal(i)])
        lines.append(f"    x{i} = {_truth(test, places[test.column])}  # {words}")
    for i, step in enumerate(small.steps):
        positive = step.rule.positive
        body = _kleene(express(step.rule, small.schema, 1 if positive else -1), names)
        body = body if positive else f"-({body})"
        lines.append(f"    r{i} = {body}  # {spell(small.classes[small.subject(step)])}")
        lines.append(f"    if r{i} == {step.truth}:")
        lines.append(f"        return {small.classes[step.answer]!r}")
    return "\n".join([*lines, f"    return {small.classes[small.default]!r}", ""])


def _truth(test: Test, cell: str) -> str:
    """Return the truth of a positive test of a cell, as an expression."""
    values = test.values if isinstance(test, Member) else (True,)
    known = tuple(value if isinstance(value, str) else float(value) for value in values)
    condition = f"in {known!r}" if len(known) > 1 else f"== {known[0]!r}"
    if isinstance(test, Compare):
        condition = f"> {test.cut!r}"
    return f"0 if {cell} is None else 1 if {cell} {condition} else -1"


def _kleene(expression: Expression, names: dict[Test, str]) -> str:
    """Return the truth of the expression, where each test is +1, 0 or -1 under its name."""
    if not isinstance(expression, And | Or):
        return names[expression]
    function, neutral = ("min", "1") if isinstance(expression, And) else ("max", "-1")
    parts = [_kleene(part, names) for part in expression.parts]
    if len(parts) < 2:
        return parts[0] if parts else neutral
    return f"{function}({', '.join(parts)})"


def check_function_name(name: str) -> None:
    """Raise unless a function may have this name; one of a builtin would hide it."""
    plain = isinstance(name, str) and name.isascii() and name.isidentifier()
    if not plain or keyword.iskeyword(name) or hasattr(builtins, name):
        raise RuleError(
            f"a function name must be a plain Python identifier that is not taken, "
            f"got {shorten(name)}; use a name such as predict"
        )
