"""Logic programs of Boolean dynamical systems, learnt from their state transitions.

A row of the table is a transition. Each variable has a column of its value now, and one of its
value next, as in `x, y, x', y'` or `x, y, x_next, y_next`. All cells are 0 or 1. A variable without
a next column is an input: rules may read it, none defines it.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gnri.data.kinds import ColumnKind
from gnri.data.table import Column, Table
from gnri.episode import Episode
from gnri.errors import GnriError, RuleError, closest, shorten
from gnri.induction import induce
from gnri.rules.dnf import Literal, SignedDNF, multiply_out, sorted_clauses
from gnri.rules.simplify import blake, simplify
from gnri.search.limits import Limits, uniform_prices
from gnri.search.refine import refine

NEXT_COLUMN = re.compile(r"(.+)(?:'|_next)", re.DOTALL)  # a column of the next value of a variable
LITERAL_PRICE = 1 / 64  # in errors, where the usual price leaves errors
MAX_SEARCH_CLAUSES = 200  # longer rules are not shortened, as that takes minutes
MAX_COMPLEMENT_CLAUSES = 2_000
_HEADER = """\
% x(t+1) :- y(t), not z(t).  reads: x is true next if y is true and z is false now.
% One step in clingo: give the state as facts at t = 0 and ask what is true at 1.
#const t = 0.
"""


@dataclass(frozen=True, eq=False)
class Transitions:
    """Values now (rows, variables) and next (rows, defined), +1 true and -1 false."""

    variables: tuple[str, ...]
    defined: tuple[str, ...]
    now: NDArray[np.int8]
    next: NDArray[np.int8]


def read_transitions(table: Table) -> Transitions:
    """Return the transitions in a table; each state must have one next state.

    >>> from gnri.data.table import text_column
    >>> columns = {"x": text_column("x", ["0", "1"]), "x'": text_column("x'", ["1", "0"])}
    >>> found = read_transitions(Table(columns, "two.csv"))
    >>> found.now.tolist(), found.next.tolist()
    ([[-1], [1]], [[1], [-1]])
    """
    following = {name: found[1].strip() for name in table if (found := NEXT_COLUMN.fullmatch(name))}
    variables = tuple(name for name in table if name not in following)
    _check_names(table, variables, following)
    now, after = (
        np.stack([_signs(table[name].cast(ColumnKind.FLAG)) for name in names], axis=1)
        for names in (variables, following)
    )
    _check_deterministic(now, after, table.origin)
    return Transitions(variables, tuple(following.values()), now, after)


def _check_names(table: Table, variables: tuple[str, ...], following: dict[str, str]) -> None:
    if not following:
        raise GnriError(
            f"the columns of {table.origin} must be variables and their next values, such as x, y, "
            f"x', y' or x, y, x_next, y_next; got {shorten(list(table))}"
        )
    for name, variable in following.items():
        if variable not in variables:
            near = closest(variable, variables)
            hint = "" if near is None else f"; did you mean {near}'?"
            raise GnriError(
                f"column {shorten(name)} of {table.origin} is the next value of "
                f"{shorten(variable)}, which has no column of its own{hint}"
            )
        if list(following.values()).count(variable) > 1:
            raise GnriError(f"{table.origin} has two columns of the next value of {variable}")


def _signs(column: Column) -> NDArray[np.int8]:
    if column.known is not None and not column.known.all():
        raise GnriError(
            f"states are 0 or 1, but column {shorten(column.name)} holds None in row "
            f"{column.known.argmin() + 1} below the header"
        )
    return np.where(column.values, 1, -1).astype(np.int8)


def _check_deterministic(now: NDArray[np.int8], after: NDArray[np.int8], source: str) -> None:
    first: dict[bytes, int] = {}
    for row, state in enumerate(now):
        earlier = first.setdefault(state.tobytes(), row)
        if (after[earlier] != after[row]).any():
            raise GnriError(
                f"a state must have one next state, but rows {earlier + 1} and {row + 1} below the "
                f"header of {source} start alike and end differently; correct or drop one"
            )


@dataclass(frozen=True, slots=True)
class Program:
    """The rule of each defined variable; all rules are positive, as in logic programs.

    A rule without clauses never holds, one with an empty clause always.
    """

    variables: tuple[str, ...]
    rules: Mapping[str, SignedDNF]

    def step(self, states: NDArray[np.int8]) -> NDArray[np.int8]:
        """Return the next values (rows, defined) of each state (rows, variables), +1 and -1."""
        return np.stack([rule.evaluate(states) for rule in self.rules.values()], axis=1)

    def reproduced(self, transitions: Transitions) -> int:
        """Return the number of transitions that the program reproduces."""
        return int((self.step(transitions.now) == transitions.next).all(axis=1).sum())


def learn(transitions: Transitions) -> Program:
    """Return for each variable the first of these rules that makes no error.

    1. The literals that are always equal to it.
    2. The rule of `induce`.
    3. The prime implicants of the states before it was true, shortened by a search.
    4. All of these prime implicants.
    """
    rules = {
        name: _rule(transitions.now, labels)
        for name, labels in zip(transitions.defined, transitions.next.T, strict=True)
    }
    return Program(transitions.variables, rules)


def _rule(states: NDArray[np.int8], labels: NDArray[np.int8]) -> SignedDNF:
    if (labels == -1).all():
        return SignedDNF()
    if (labels == 1).all():
        return SignedDNF([[]])
    for rule in _candidates(Episode(states, labels)):
        if rule is not None and (rule.evaluate(states) == labels).all():
            return rule
    raise AssertionError("the prime implicants of the states make no error")


def _candidates(episode: Episode) -> Iterator[SignedDNF | None]:
    yield _equal_literals(episode)
    yield _to_positive(induce(episode).rule)
    implicants = _prime_implicants(episode)
    if len(implicants.clauses) <= MAX_SEARCH_CLAUSES:
        limits = Limits(max_clauses=len(implicants.clauses), max_literals=episode.atoms)
        prices = uniform_prices(episode.atoms, LITERAL_PRICE)
        yield _to_positive(refine(episode, prices, starts=[implicants], limits=limits).rule)
    yield implicants


def _prime_implicants(episode: Episode) -> SignedDNF:
    """Return the prime implicants of the states before the variable was true, or those states."""
    before = episode.values[episode.labels == 1]
    states = SignedDNF([Literal(i, bool(x > 0)) for i, x in enumerate(state)] for state in before)
    try:
        return blake(states)
    except RuleError:  # too many prime implicants
        return states


def _equal_literals(episode: Episode) -> SignedDNF:
    """Return the literals that are true exactly where the label is, as one clause."""
    signed = episode.values * episode.labels[:, None]
    same = np.flatnonzero((signed == signed[0]).all(axis=0)).tolist()
    return SignedDNF([[Literal(i, bool(signed[0, i] == 1)) for i in same]])


def _to_positive(rule: SignedDNF | None) -> SignedDNF | None:
    """Return an equivalent positive rule, or None if it has too many clauses."""
    return None if rule is None else multiply_out(rule, MAX_COMPLEMENT_CLAUSES, simplify)


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
        head, bodies = called[name], _conditions(rule, ", ", [f"{one}(t)" for one in names])
        lines += [f"{head}(t+1) :- {body}." if body else f"{head}(t+1)." for body in bodies]
        if not bodies:
            lines.append(f"% {head}(t+1) never holds.")
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


def _expression(rule: SignedDNF, names: list[str]) -> str:
    clauses = _conditions(rule, " and ", names)
    if not all(clauses) or not clauses:
        return "1" if clauses else "0"
    if len(clauses) > 1:
        clauses = [f"({clause})" for clause in clauses]
    return f"int({' or '.join(clauses)})"


def _conditions(rule: SignedDNF, join: str, names: list[str]) -> list[str]:
    """Return each clause, its literals as both languages write them."""
    return [
        join.join(f"{'' if item.positive else 'not '}{names[item.atom]}" for item in clause)
        for clause in sorted_clauses(rule)
    ]
