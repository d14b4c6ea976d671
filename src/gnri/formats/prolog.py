"""Write a rule list as a Prolog program.

A row is described by facts `value(Row, Column, Value)`; a missing cell has no fact, a Boolean is
the number 1 or 0, and text is a Prolog atom. Each rule has a predicate that succeeds where it is
true, and another that succeeds where it is false. Where missing cells leave it unknown, both fail.
"""

from collections.abc import Sequence

from gnri.data.schema import Above, IsTrue, OneOf, Scalar
from gnri.formats.conditions import format_value
from gnri.formats.expression import And, Expression, Or, Points, Test, express, express_step
from gnri.formats.text import is_positive
from gnri.rules.rule_list import RuleList

_HEADER = """\
% Facts value(Row, Column, Value) describe the rows; a missing cell has no fact.
% Booleans are 1 and 0, text is an atom. Ask: prediction(Row, Class).
:- dynamic(value/3).
"""
_NAMES = {1: "true", -1: "false"}


def to_prolog(rule_list: RuleList) -> str:
    """Return the program; query it with `prediction(Row, Class)`."""
    parts = [_HEADER]
    for i, step in enumerate(rule_list.steps):
        parts.append(f"% {format_value(rule_list.classes[rule_list.subject(step)])}")
        applies = express_step(rule_list, step)
        if isinstance(applies, Points) and applies.others is not None:
            parts += [_most_points(i, applies, applies.others), *_total(f"class_{i}", applies)]
            continue
        for truth in (1, -1) if is_positive(step.rule) else (-1, 1):
            expression = express(step.rule, rule_list.schema, truth)
            parts += _predicate(f"{_NAMES[truth]}_{i}", expression, f"fails_{i}")
    return "\n".join([*parts, *_prediction(rule_list), ""])


def quote_atom(text: str) -> str:
    """Return a string as a quoted atom; invisible characters are escaped."""
    return f"'{''.join(map(_escape, text))}'"


def write_number(value: float) -> str:
    """Return a float with the decimal point that Prolog asks for."""
    mantissa, e, exponent = repr(value).partition("e")
    return f"{mantissa if '.' in mantissa else mantissa + '.0'}{e}{exponent}"


def _predicate(name: str, expression: Expression | Points, inner: str) -> list[str]:
    """Return a line for each way to hold; an OR within an AND is a predicate of its own."""
    if isinstance(expression, Points):
        sign, bound = ">=" if expression.above else "=<", write_number(float(expression.bound))
        head = f"{name}(Row) :- {name}_total(Row, Total), Total {sign} {bound}."
        return [head, *_total(name, expression)]
    lines, below = [], []
    for way in expression.parts if isinstance(expression, Or) else (expression,):
        goals = []
        for j, part in enumerate(way.parts if isinstance(way, And) else (way,)):
            if isinstance(part, And | Or):
                goals.append(f"{inner}_{j}(Row)")
                below += _predicate(f"{inner}_{j}", part, f"{inner}_{j}")
            else:
                goals.append(_goal(part, f"V{j}"))
        lines.append(f"{name}(Row) :- {', '.join(goals)}." if goals else f"{name}(_) :- true.")
    return [*(lines or [f"{name}(_) :- fail."]), *below]


def _most_points(i: int, own: Points, others: Sequence[Points]) -> str:
    """Return a predicate that succeeds if no later class has more points above its bound."""
    goals = [f"class_{i}_total(Row, T{i})"]
    for j, other in enumerate(others, start=i + 1):
        least = write_number(float(own.bound - other.bound))
        goals.append(f"class_{j}_total(Row, T{j}), T{i} - T{j} >= {least}")
    return f"true_{i}(Row) :- {', '.join(goals)}."


def _total(name: str, points: Points) -> list[str]:
    """Return a predicate for the points of each case, and one that adds them up."""
    lines, goals = [], []
    for j, case in enumerate(points.cases):
        goals.append(f"{name}_points_{j}(Row, P{j})")
        for k, (test, _) in enumerate(case.tests):
            lines += _predicate(f"{name}_case_{j}_{k}", test, f"{name}_case_{j}_{k}")
        ways = [
            f"{name}_case_{j}_{k}(Row) -> P = {write_number(float(given))}"
            for k, (_, given) in enumerate(case.tests)
        ]
        body = " ; ".join([*ways, f"P = {write_number(float(case.missing))}"])
        lines.append(f"{name}_points_{j}(Row, P) :- ( {body} ).")
    total = " + ".join(["0.0", *(f"P{j}" for j in range(len(goals)))])
    return [f"{name}_total(Row, Total) :- {', '.join([*goals, f'Total is {total}'])}.", *lines]


def _goal(test: Test, cell: str) -> str:
    match test:
        case Test(Above(_, cut), above):
            goal = f"{cell} {'>' if above else '=<'} {write_number(cut)}"
        case Test(IsTrue(), positive):
            goal = _equal(cell, True, positive)
        case Test(OneOf(_, values), positive):
            tests = [_equal(cell, value, positive) for value in values]
            joined = ("; " if positive else ", ").join(tests)
            goal = f"({joined})" if len(tests) > 1 else joined
    return f"value(Row, {quote_atom(test.column)}, {cell}), {goal}"


def _equal(variable: str, value: Scalar, holds: bool) -> str:
    if isinstance(value, str):
        return f"{variable} {'==' if holds else chr(92) + '=='} {quote_atom(value)}"
    return f"{variable} {'=:=' if holds else '=' + chr(92) + '='} {write_number(float(value))}"


def _prediction(rule_list: RuleList) -> list[str]:
    cases = [
        f"{_NAMES[step.truth]}_{i}(Row) -> Class = {_label(rule_list.classes[step.answer])}"
        for i, step in enumerate(rule_list.steps)
    ]
    answer = f"Class = {_label(rule_list.classes[rule_list.default])}"
    if not cases:
        return [f"prediction(_, Class) :- {answer}."]
    body = "\n    ;   ".join([*cases, answer])
    return [f"prediction(Row, Class) :-\n    (   {body}\n    )."]


def _label(label: Scalar) -> str:
    if isinstance(label, bool):
        return "true" if label else "false"
    if isinstance(label, str):
        return quote_atom(label)
    return str(label) if isinstance(label, int) else write_number(label)


def _escape(character: str) -> str:
    if character in "\\'":
        return f"\\{character}"
    return character if character.isprintable() else f"\\x{ord(character):x}\\"
