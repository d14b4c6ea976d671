"""Write a rule list as the source of a Python function that predicts the rows of a pandas frame.

A missing cell is NaN, of which NumPy finds every comparison false.
"""

from gnri.data.kinds import ColumnKind
from gnri.data.schema import column_kinds
from gnri.formats.conditions import format_value
from gnri.formats.expression import (
    And,
    Case,
    Compare,
    Expression,
    Flag,
    Member,
    MostPoints,
    Or,
    Points,
    express_step,
)
from gnri.formats.python_source import check_function_name
from gnri.rules.rule_list import RuleList

_START = '''\
    """Return the class of each row of a pandas frame; None, NaN and NA are missing cells."""
    import numpy as np

    def numbers(name):
        return frame[name].to_numpy(float, na_value=np.nan)

    def is_in(name, values, wanted):
        found = frame[name].isin(values) == wanted
        return (found & frame[name].notna()).to_numpy(bool)
'''


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
    lines = [f"def {name}(frame):", _START]
    default = repr(rule_list.classes[rule_list.default])
    if not rule_list.steps:
        return "\n".join([*lines, f"    return np.full(len(frame), {default})", ""])
    kinds = column_kinds(rule_list.schema.atoms)
    lines.append("    steps = [")
    for step in rule_list.steps:
        condition = _step_condition(express_step(rule_list, step), kinds)
        label = rule_list.classes[step.answer]
        comment = format_value(rule_list.classes[rule_list.subject(step)])
        lines.append(f"        ({condition}, {label!r}),  # {comment}")
    return "\n".join([*lines, "    ]", f"    return np.select(*zip(*steps), {default})", ""])


def _step_condition(
    expression: Expression | Points | MostPoints, kinds: dict[str, ColumnKind]
) -> str:
    match expression:
        case Points(_, bound, above):
            return f"{_total(expression, kinds)} {'>=' if above else '<='} {bound}"
        case MostPoints(own, others):
            totals = [f"{_total(one, kinds)} - {one.bound}" for one in (own, *others)]
            return f"{totals[0]} >= np.max([{', '.join(totals)}], axis=0)"
    return _condition(expression, kinds)


def _condition(expression: Expression, kinds: dict[str, ColumnKind]) -> str:
    match expression:
        case And(()) | Or(()):
            return f"np.full(len(frame), {isinstance(expression, And)})"
        case And((part,)) | Or((part,)):
            return _condition(part, kinds)
        case And(parts) | Or(parts):
            word = "and" if isinstance(expression, And) else "or"
            tests = ", ".join(_condition(part, kinds) for part in parts)
            return f"np.logical_{word}.reduce([{tests}])"
        case Compare(column, cut, above):
            return f"numbers({column!r}) {'>' if above else '<='} {cut!r}"
        case Flag(column, positive):
            return f"numbers({column!r}) == {float(positive)!r}"
        case Member(column, values, positive) if kinds[column] is ColumnKind.CATEGORY:
            return f"is_in({column!r}, {list(values)!r}, {positive})"
        case Member(column, values, positive):
            cells, numbers = f"numbers({column!r})", list(map(float, values))
            if positive:
                return f"np.isin({cells}, {numbers!r})"
            return f"~np.isin({cells}, {numbers!r}) & ({cells} == {cells})"


def _total(points: Points, kinds: dict[str, ColumnKind]) -> str:
    return " + ".join(["np.zeros(len(frame))", *(_points(case, kinds) for case in points.cases)])


def _points(case: Case, kinds: dict[str, ColumnKind]) -> str:
    tests = ", ".join(_condition(test, kinds) for test, _ in case.tests)
    return f"np.select([{tests}], {[points for _, points in case.tests]!r}, {case.missing!r})"
