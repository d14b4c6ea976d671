"""Clauses of literal classes written out in literals.

On the rows at hand the members of a class are true together. On new rows they may part, and no
symmetric rule can prefer one of them: so a class holds where more than half of its members do.
"""

from collections.abc import Collection, Iterable, Sequence
from itertools import combinations, product
from math import comb, prod

from gnri.rules.dnf import Literal

Class = frozenset[Literal]

ROOM = 24
"""Clauses of a rule, at most, for classes to be written as votes of their members."""


def spelt(clauses: Collection[Sequence[Class]], room: int = ROOM) -> list[frozenset[Literal]]:
    """Each clause, a conjunction of classes, in literals.

    Where the votes of all classes would make more than `room` clauses, every class is written as
    the conjunction of its members instead.

    >>> a, b, c = (Literal(atom, True) for atom in range(3))
    >>> [sorted(clause) for clause in spelt([[frozenset([a])]])] == [[a]]
    True
    >>> votes = spelt([[frozenset([a, b, c])]])
    >>> sorted(map(sorted, votes)) == [[a, b], [a, c], [b, c]]
    True
    """
    if sum(prod(map(_votes, clause)) for clause in clauses) > min(room, ROOM):
        return [frozenset[Literal]().union(*clause) for clause in clauses]
    return [
        frozenset[Literal]().union(*chosen)
        for clause in clauses
        for chosen in product(*map(_majorities, clause))
    ]


def _majorities(members: Class) -> Iterable[tuple[Literal, ...]]:
    return combinations(sorted(members), _majority(members))


def _votes(members: Class) -> int:
    return comb(len(members), _majority(members))


def _majority(members: Class) -> int:
    return len(members) // 2 + 1
