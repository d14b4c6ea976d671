"""A classifier as a Prolog program.

A row is described by facts `value(Row, Column, Value)`; a missing cell has no fact, a Boolean is
the number 1 or 0, and text is an atom. Each rule has a predicate that succeeds where it is true and
one that succeeds where it is false, so that a missing cell makes both fail.
"""

from gnri.data.schema import Above, Scalar, Schema, values_of
from gnri.formats.conditions import spell
from gnri.rules.dnf import Literal, SignedDNF, sorted_clauses
from gnri.rules.rule_list import RuleSet

_HEADER = """\
% Facts value(Row, Column, Value) describe the rows; a missing cell has no fact.
% Booleans are 1 and 0, text is an atom. Ask: prediction(Row, Class).
:- dynamic(value/3).
"""


def to_prolog(ruleset: RuleSet) -> str:
    """The program; ask it `prediction(Row, Class)`.

    >>> from gnri.data.schema import Equals
    >>> foul = SignedDNF([[(0, True)]])
    >>> schema = Schema((Equals("odor", "foul"),))
    >>> program = to_prolog(RuleSet(schema, ("edible", "poisonous"), (foul,), majority=0))
    >>> print("\\n".join(line for line in program.splitlines() if line.startswith("true")))
    true_0(Row) :- value(Row, 'odor', V0), V0 == 'foul'.
    """
    parts = [_HEADER]
    for i, rule in enumerate(ruleset.rules):
        if rule is not None:
            parts.append(f"% {spell(ruleset.owner(i))}")
            parts += _predicates(rule, i, ruleset.schema)
    return "\n".join([*parts, *_prediction(ruleset), ""])


def quote_atom(text: str) -> str:
    """A string as a quoted atom; invisible characters are escaped."""
    return f"'{''.join(map(_escaped, text))}'"


def number(value: float) -> str:
    """A float with the decimal point that Prolog asks for."""
    mantissa, e, exponent = repr(value).partition("e")
    return f"{mantissa if '.' in mantissa else mantissa + '.0'}{e}{exponent}"


def _predicates(rule: SignedDNF, i: int, schema: Schema) -> list[str]:
    """`true_i` has a line for each clause; `false_i` asks that each clause fails somewhere."""
    true, false = (f"true_{i}", f"false_{i}") if rule.positive else (f"false_{i}", f"true_{i}")
    clauses = sorted_clauses(rule)
    holds = [
        ", ".join(_test(literal, True, schema, j) for j, literal in enumerate(items)) or "true"
        for items in clauses
    ]
    lines = [f"{true}({_row(body)}) :- {body}." for body in holds or ["fail"]]
    fails = [f"fails_{i}_{j}(Row)" for j in range(len(clauses))]
    lines.append(f"{false}({'Row' if fails else '_'}) :- {', '.join(fails) or 'true'}.")
    for j, items in enumerate(clauses):
        bodies = [_test(literal, False, schema, 0) for literal in items] or ["fail"]
        lines += [f"fails_{i}_{j}({_row(body)}) :- {body}." for body in bodies]
    return lines


def _row(body: str) -> str:
    return "_" if body in ("true", "fail") else "Row"


def _test(literal: Literal, wanted: bool, schema: Schema, i: int) -> str:
    """Goals that succeed where the literal is true or, if not `wanted`, false."""
    atom = schema.atoms[literal.atom]
    holds = literal.positive == wanted
    if isinstance(atom, Above):
        tests = [f"V{i} {'>' if holds else '=<'} {number(atom.cut)}"]
    else:
        tests = [_equal(f"V{i}", value, holds) for value in values_of(atom)]
    joined = ("; " if holds else ", ").join(tests)
    found = f"({joined})" if len(tests) > 1 else joined
    return f"value(Row, {quote_atom(atom.column)}, V{i}), {found}"


def _equal(variable: str, value: Scalar, holds: bool) -> str:
    if isinstance(value, str):
        return f"{variable} {'==' if holds else chr(92) + '=='} {quote_atom(value)}"
    return f"{variable} {'=:=' if holds else '=' + chr(92) + '='} {number(float(value))}"


def _prediction(ruleset: RuleSet) -> list[str]:
    steps, default = ruleset.decisions
    names = {1: "true", -1: "false"}
    cases = [
        f"{names[truth]}_{i}(Row) -> Class = {_label(ruleset.classes[answer])}"
        for i, truth, answer in steps
    ]
    answer = f"Class = {_label(ruleset.classes[default])}"
    if not cases:
        return [f"prediction(_, Class) :- {answer}."]
    body = "\n    ;   ".join([*cases, answer])
    return [f"prediction(Row, Class) :-\n    (   {body}\n    )."]


def _label(label: Scalar) -> str:
    if isinstance(label, bool):
        return "true" if label else "false"
    if isinstance(label, str):
        return quote_atom(label)
    return str(label) if isinstance(label, int) else number(label)


def _escaped(character: str) -> str:
    if character in "\\'":
        return f"\\{character}"
    return character if character.isprintable() else f"\\x{ord(character):x}\\"
