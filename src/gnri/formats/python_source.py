"""Write a rule list as the source of a Python function of a row, or of a pandas frame.

That of a row needs no library. A missing cell is NaN, of which Python and NumPy find every
comparison false.
"""

import builtins
import keyword
from collections.abc import Sequence

from gnri.data.kinds import MISSING_TYPES
from gnri.data.schema import Above, IsTrue, OneOf, column_kinds, values_of
from gnri.errors import RuleError, shorten
from gnri.formats.conditions import format_value
from gnri.formats.expression import Expression, Points, Test, express_step
from gnri.formats.language import Language
from gnri.rules.rule_list import RuleList

_CELL = f"""\
    from numbers import Real

    missing = float("nan")

    def cell(name, allowed):
        value = row[name]
        if value is None or type(value).__name__ in {MISSING_TYPES!r}:
            return missing
        if isinstance(value, Real) and value != value:
            return missing
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
    lines = [f"def {name}(row):", '    """The class of a row; None and NaN are missing cells."""']
    lines += [_CELL] if rule_list.atoms else []
    cells = {column: f"c{i}" for i, column in enumerate(rule_list.columns)}
    kinds = column_kinds(rule_list.schema.atoms)
    for column, cell in cells.items():
        lines.append(f"    {cell} = cell({column!r}, {_ALLOWED[kinds[column]]})")
    words = {"and": ("and", "True"), "or": ("or", "False"), "+": ("+", "0")}
    python = Language(lambda test, _: _test(test, cells[test.column]), _choose, words)
    steps = [express_step(rule_list, step) for step in rule_list.steps]
    labels = [rule_list.classes[step.answer] for step in rule_list.steps]
    if rule_list.most_points_win and isinstance(first := steps[0], Points):
        cards = first, *(first.others or ())
        totals = [f"        {python.total(card)} - {card.bound}," for card in cards]
        lines += ["    totals = [", *totals, "    ]"]
        return "\n".join([*lines, f"    return {labels!r}[totals.index(max(totals))]", ""])
    for step, label in zip(steps, labels, strict=True):
        lines += [f"    if {python.write(step)}:", f"        return {label!r}"]
    return "\n".join([*lines, f"    return {rule_list.classes[rule_list.default]!r}", ""])


def _test(test: Test, cell: str) -> str:
    match test.atom:
        case Above(_, cut):
            return f"{cell} {'>' if test.positive else '<='} {cut!r}"
        case IsTrue():
            return f"{cell} == {float(test.positive)!r}"
    values = [repr(value) for value in values_of(test.atom)]
    if test.positive and len(values) == 1:
        return f"{cell} == {values[0]}"
    if test.positive:
        return f"{cell} in ({', '.join(values)})"
    return f"{cell} not in (missing, {', '.join(values)})"


def _choose(cases: Sequence[tuple[str, float]], missing: float) -> str:
    return f"({''.join(f'{points} if {test} else ' for test, points in cases)}{missing})"


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
    if not isinstance(expression, Points) or expression.others is None:
        return _FRAMES.write(expression)
    totals = [f"{_FRAMES.total(one)} - {one.bound}" for one in (expression, *expression.others)]
    return f"{totals[0]} >= np.max([{', '.join(totals)}], axis=0)"


def _test_frame(test: Test, bracket: bool) -> str:
    cells, positive = f"numbers({test.column!r})", test.positive
    match test.atom:
        case Above(_, cut):
            text = f"{cells} {'>' if positive else '<='} {cut!r}"
        case IsTrue():
            text = f"{cells} == {float(positive)!r}"
        case OneOf(column, (str(), *_) as values):
            return f"is_in({column!r}, {list(values)!r}, {positive})"
        case OneOf():
            text = f"np.isin({cells}, {list(values_of(test.atom))!r})"
            text = text if positive else f"~{text} & ({cells} == {cells})"
    return f"({text})" if bracket else text


def _choose_frame(cases: Sequence[tuple[str, float]], missing: float) -> str:
    tests, points = ", ".join(test for test, _ in cases), [points for _, points in cases]
    return f"np.select([{tests}], {points!r}, {missing!r})"


_ALL, _NONE = (f"np.full(len(frame), {truth})" for truth in (True, False))
_FRAMES = Language(
    _test_frame,
    _choose_frame,
    {"and": ("&", _ALL), "or": ("|", _NONE), "+": ("+", "np.zeros(len(frame))")},
    most=50,  # Python limits how deep expressions are nested
)


def check_function_name(name: str) -> None:
    """Raise unless a function may have this name; one of a builtin would hide it."""
    plain = isinstance(name, str) and name.isascii() and name.isidentifier()
    if not plain or keyword.iskeyword(name) or hasattr(builtins, name):
        raise RuleError(
            f"a function name must be a plain Python identifier that is not taken, "
            f"got {shorten(name)}; use a name such as predict"
        )
