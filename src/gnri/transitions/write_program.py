"""Write a program as a normal logic program, or as Python without packages."""

import re

from gnri.messages import shorten
from gnri.rules.dnf import SignedDNF, sorted_clauses
from gnri.transitions.learn_program import Program

_HEADER = """\
% x(t+1) :- y(t), not z(t).  reads: x is true next if y is true and z is false now.
% One step in clingo: give the state as facts at t = 0 and ask what is true at 1.
#const t = 0.
"""


def to_program(program: Program) -> str:
    """Return a normal logic program, a line for each clause.

    >>> toy = Program(("p", "q"), {"p": SignedDNF([[(1, False)]]), "q": SignedDNF([[]])})
    >>> to_program(toy).splitlines()[3:]
    ['p(t+1) :- not q(t).', 'q(t+1).']
    """
    names = predicate_names(program.variables)
    called = dict(zip(program.variables, names, strict=True))
    lines = [f"% {new} stands for {shorten(old)}" for old, new in called.items() if old != new]
    for name, rule in program.rules.items():
        lines += _clauses(called[name], rule, names)
    return _HEADER + "\n".join(lines) + "\n"


def to_python(program: Program) -> str:
    """Return the source of `step(state)`, which maps names to truth values, now to next.

    >>> toy = Program(("p", "q"), {"p": SignedDNF([[(1, False)]]), "q": SignedDNF()})
    >>> to_python(toy).splitlines()[3:5]
    ["        'p': int(not state['q']),", "        'q': 0,"]
    """
    lines = [
        "def step(state):",
        '    """The next state, 0 and 1, of a state given as a mapping of names to 0 and 1."""',
        "    return {",
    ]
    names = [f"state[{name!r}]" for name in program.variables]
    for name, rule in program.rules.items():
        lines.append(f"        {name!r}: {_expression(rule, names)},")
    return "\n".join([*lines, "    }", ""])


def predicate_names(variables: tuple[str, ...]) -> list[str]:
    """Return names that logic programs take: a small letter, then letters, digits, underscores.

    >>> predicate_names(("CycD", "x-1", "x_1"))
    ['cycD', 'x_1', 'x_1_2']
    """
    taken: list[str] = []
    for variable in variables:
        plain = re.sub(r"[^A-Za-z0-9_]", "_", variable)
        plain = plain[:1].lower() + plain[1:] if plain[:1].isalpha() else f"v{plain}"
        name, copy = plain, 1
        while name in (*taken, "not"):
            copy += 1
            name = f"{plain}_{copy}"
        taken.append(name)
    return taken


def _clauses(head: str, rule: SignedDNF, names: list[str]) -> list[str]:
    if not rule.clauses:
        return [f"% {head}(t+1) never holds."]
    bodies = [", ".join(items) for items in _conditions(rule, [f"{name}(t)" for name in names])]
    return [f"{head}(t+1) :- {body}." if body else f"{head}(t+1)." for body in bodies]


def _expression(rule: SignedDNF, names: list[str]) -> str:
    clauses = [" and ".join(items) for items in _conditions(rule, names)]
    if not all(clauses) or not clauses:
        return "1" if clauses else "0"
    if len(clauses) > 1:
        clauses = [f"({clause})" for clause in clauses]
    return f"int({' or '.join(clauses)})"


def _conditions(rule: SignedDNF, names: list[str]) -> list[list[str]]:
    """Return the literals of each clause, as both languages write them."""
    return [
        [f"{'' if item.positive else 'not '}{names[item.atom]}" for item in clause]
        for clause in sorted_clauses(rule)
    ]
