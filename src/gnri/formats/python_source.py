"""Write a rule list as the source of a Python function of a row, or of a pandas frame.

That of a row needs no library: truth is +1, -1 or 0 for unknown; AND is the minimum, OR the maximum
and NOT the negative. In a frame a missing cell is NaN, of which NumPy finds every comparison false.
"""

import builtins
import keyword

from gnri.data.kinds import MISSING_TYPES
from gnri.data.schema import Above, IsTrue, OneOf, column_kinds, values_of
from gnri.errors import RuleError, shorten
from gnri.formats.conditions import format_value, write_clause
from gnri.formats.expression import (
    And,
    Case,
    Expression,
    Or,
    Points,
    Test,
    express,
    express_literal,
    express_step,
)
from gnri.formats.text import is_positive
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
_FRAME = '''\
    """Return the class of each row of a pandas frame; None, NaN and NA are missing cells."""
    import numpy as np

    def numbers(name):
        return frame[name].to_numpy(float, na_value=np.nan)

    def is_in(name, values, wanted):
        found = frame[name].isin(values) == wanted
        return (found & frame[name].notna()).to_numpy(bool)
'''


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
    lines_of_rules = [line for rule in small.rules for line in rule.lines]
    # A literal that gives points by itself needs no name.
    clauses = [items for items, points in lines_of_rules if points is None or len(items) > 1]
    names: dict[Test, str] = {}
    for i in sorted({one.atom for items in clauses for one in items}):
        test, failed = (express_literal(small.schema, Literal(i, sign)) for sign in (True, False))
        names |= {test: f"x{i}", failed: f"-x{i}"}
        words = write_clause(small.schema, [Literal(i)])
        cell = places[test.column]
        truth = f"0 if {cell} is None else 1 if {cell} {_holds(test)} else -1"
        lines.append(f"    x{i} = {truth}  # {words}")
    for i, step in enumerate(small.steps):
        lines += _rule_lines(small, i, places, names)
        if not small.most_points_win:
            lines.append(f"    if r{i} == {step.truth}:")
            lines.append(f"        return {small.classes[step.answer]!r}")
    if small.most_points_win:
        labels = [small.classes[step.answer] for step in small.steps]
        lines.append(f"    totals = [{', '.join(f'r{i}' for i in range(len(labels)))}]")
        return "\n".join([*lines, f"    return {labels!r}[totals.index(max(totals))]", ""])
    return "\n".join([*lines, f"    return {small.classes[small.default]!r}", ""])


def _rule_lines(
    rule_list: RuleList, i: int, places: dict[str, str], names: dict[Test, str]
) -> list[str]:
    """Return the lines that set r0, r1, ...: the truth of a rule, or points above a threshold."""
    rule, lines = rule_list.rules[i], list[str]()
    positive = is_positive(rule)
    expression = express(rule, rule_list.schema, 1 if positive else -1)
    if isinstance(expression, Points):
        enough = expression.bound
        lines.append("    points = 0")
        lines += [f"    points += {_case(case, places, names)}" for case in expression.cases]
        body = f"1 if points >= {enough} else -1 if points <= {enough - 1} else 0"
        if rule_list.most_points_win:
            body = f"points - {enough}"
    else:
        body = _kleene(expression, names)
        body = body if positive else f"-({body})"
    label = rule_list.classes[rule_list.subject(rule_list.steps[i])]
    return [*lines, f"    r{i} = {body}  # {format_value(label)}"]


def _case(case: Case, places: dict[str, str], names: dict[Test, str]) -> str:
    """Return the points of a case, as an expression."""
    if case.column is None:
        (true, points), _ = case.tests
        return f"{{1: {points}, 0: {case.missing}, -1: 0}}[{_kleene(true, names)}]"
    cell, (*others, (_, last)) = places[case.column], case.tests
    ways = [f"{points} if {cell} {_holds(test)}" for test, points in others]
    return " else ".join([f"{case.missing} if {cell} is None", *ways, str(last)])


def _holds(test: Expression) -> str:
    """Return what a positive test asks of a cell."""
    assert isinstance(test, Test), "only a clause has parts, and no column"
    if isinstance(test.atom, Above):
        return f"> {test.atom.cut!r}"
    known = values_of(test.atom)
    return f"in {known!r}" if len(known) > 1 else f"== {known[0]!r}"


def _kleene(expression: Expression, names: dict[Test, str]) -> str:
    """Return the truth of the expression, where each test is +1, 0 or -1 under its name."""
    if not isinstance(expression, And | Or):
        return names[expression]
    function, neutral = ("min", "1") if isinstance(expression, And) else ("max", "-1")
    parts = [_kleene(part, names) for part in expression.parts]
    if len(parts) < 2:
        return parts[0] if parts else neutral
    return f"{function}({', '.join(parts)})"


def to_pandas(rule_list: RuleList, name: str = "predict") -> str:
    r"""Return the source of a function that takes a pandas frame and returns an array.

    >>> from gnri.data.schema import Above, Schema
    >>> from gnri.rules.dnf import SignedDNF
    >>> schema = Schema((Above("age", 30.0),))
    >>> adults = RuleList.binary(schema, ("young", "old"), SignedDNF([[(0, True)]]))
    >>> print("\n".join(to_pandas(adults).splitlines()[-4:]))
        steps = [
            (numbers('age') > 30.0, 'old'),  # old
        ]
        return np.select(*zip(*steps), 'young')
    """
    check_function_name(name)
    lines = [f"def {name}(frame):", _FRAME]
    default = repr(rule_list.classes[rule_list.default])
    if not rule_list.steps:
        return "\n".join([*lines, f"    return np.full(len(frame), {default})", ""])
    lines.append("    steps = [")
    for step in rule_list.steps:
        condition = _mask(express_step(rule_list, step))
        label = rule_list.classes[step.answer]
        comment = format_value(rule_list.classes[rule_list.subject(step)])
        lines.append(f"        ({condition}, {label!r}),  # {comment}")
    return "\n".join([*lines, "    ]", f"    return np.select(*zip(*steps), {default})", ""])


def _mask(expression: Expression | Points) -> str:
    """Return the rows of a frame where the expression is true, as a NumPy expression."""
    match expression:
        case And(()) | Or(()):
            return f"np.full(len(frame), {isinstance(expression, And)})"
        case And((part,)) | Or((part,)):
            return _mask(part)
        case And(parts) | Or(parts):
            return f"np.logical_{expression.word}.reduce([{', '.join(map(_mask, parts))}])"
        case Points(_, bound, above, None):
            return f"{_total(expression)} {'>=' if above else '<='} {bound}"
        case Points(_, _, _, others):
            totals = [f"{_total(one)} - {one.bound}" for one in (expression, *(others or ()))]
            return f"{totals[0]} >= np.max([{', '.join(totals)}], axis=0)"
        case Test():
            return _test(expression.atom, expression.positive)


def _test(atom: Above | OneOf | IsTrue, positive: bool) -> str:
    cells = f"numbers({atom.column!r})"
    match atom:
        case Above(_, cut):
            return f"{cells} {'>' if positive else '<='} {cut!r}"
        case IsTrue():
            return f"{cells} == {float(positive)!r}"
        case OneOf(column, (str(), *_) as values):
            return f"is_in({column!r}, {list(values)!r}, {positive})"
        case OneOf():
            found = f"np.isin({cells}, {list(values_of(atom))!r})"
            return found if positive else f"~{found} & ({cells} == {cells})"


def _total(points: Points) -> str:
    terms = ["np.zeros(len(frame))"]
    for case in points.cases:
        tests = ", ".join(_mask(test) for test, _ in case.tests)
        terms.append(f"np.select([{tests}], {[p for _, p in case.tests]!r}, {case.missing!r})")
    return " + ".join(terms)


def check_function_name(name: str) -> None:
    """Raise unless a function may have this name; one of a builtin would hide it."""
    plain = isinstance(name, str) and name.isascii() and name.isidentifier()
    if not plain or keyword.iskeyword(name) or hasattr(builtins, name):
        raise RuleError(
            f"a function name must be a plain Python identifier that is not taken, "
            f"got {shorten(name)}; use a name such as predict"
        )
