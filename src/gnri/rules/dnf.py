"""The interface of a rule, and rules in disjunctive normal form (DNF): an OR of ANDs of literals.

An atom is a yes-or-no question about a row, by its index, and a literal is an atom or its negation.
On a row an atom is true (+1), false (-1) or, where the cell is missing, unknown (0). Kleene logic
combines these: AND is the minimum, OR the maximum and NOT the negative.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import Any, ClassVar, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from gnri.errors import RuleError, ShapeError
from gnri.rules.row_expression import Rows, all_of, any_of, cover


class Literal(NamedTuple):
    """An atom or its negation.

    >>> ~Literal(3)
    Literal(atom=3, positive=False)
    """

    atom: int
    positive: bool = True

    @property
    def number(self) -> int:
        """The place of the literal among all: 2 i for atom i, 2 i + 1 for its negation."""
        return 2 * self.atom + (not self.positive)

    def __invert__(self) -> "Literal":
        return Literal(self.atom, not self.positive)

    def __str__(self) -> str:
        return f"x{self.atom}" if self.positive else f"~x{self.atom}"


Clause = frozenset[Literal]
"""A conjunction of literals; the empty clause is true."""


def clause(*literals: Literal | tuple[int, bool]) -> Clause:
    """Return a clause of literals, given as `Literal` or as `(atom, positive)`."""
    return frozenset(_literal(item) for item in literals)


class Rule(Protocol):
    """A Boolean function of atoms in three-valued logic, closed under complement; hashable.

    This is what the rest of the library may use, whatever the form of the rule.
    """

    __slots__ = ()

    form: ClassVar[str]
    """The name of the form, as in a JSON document."""

    @property
    def lines(self) -> Sequence[tuple[Clause, int | None]]:
        """The clauses as they are printed, each with its points; None in a form without points."""

    @property
    def atoms(self) -> frozenset[int]:
        """The atoms that the rule reads."""
        return frozenset(literal.atom for line, _ in self.lines for literal in line)

    @property
    def size(self) -> int:
        """The number of literals, which a reader has to check, over all clauses."""
        return sum(len(line) for line, _ in self.lines)

    def __str__(self) -> str:
        from gnri.rules.syntax import render

        return render(self)  # type: ignore[arg-type]

    def evaluate(self, values: NDArray[np.int8]) -> NDArray[np.int8]:
        """Return the truth of the rule on each row: +1, -1, or 0 where unknown."""

    def decide(self, values: NDArray[np.int8]) -> NDArray[np.int8]:
        """Return the truth that predictions use, in which missing cells may count half."""

    def __invert__(self) -> Self: ...

    def map_literals(self, to: Callable[[Literal], Literal]) -> Self:
        """Return the rule with each literal replaced: all that a symmetry needs."""

    def where(self, truth: int) -> Rows:
        """Return the rows on which `decide` is +1 or -1: all that counting needs."""

    def to_dict(self) -> dict[str, Any]:
        """Return the rule as plain lists and flags, for JSON."""


@dataclass(frozen=True, slots=True)
class SignedDNF(Rule):
    """An OR of clauses, read as itself or, when not `positive`, as its complement.

    Equality and hash are by content: order exists only when a rule is printed.

    >>> rule = SignedDNF([[(0, True), (3, False)], [(5, True)]])
    >>> print(rule)
    x5 | x0 & ~x3
    >>> print(~rule)
    ~(x5 | x0 & ~x3)
    """

    form: ClassVar[str] = "dnf"

    clauses: frozenset[Clause]
    positive: bool = True

    def __init__(
        self,
        clauses: Iterable[Iterable[Literal | tuple[int, bool]]] = (),
        positive: bool = True,
    ) -> None:
        object.__setattr__(self, "clauses", frozenset(clause(*items) for items in clauses))
        object.__setattr__(self, "positive", bool(positive))

    def __invert__(self) -> "SignedDNF":
        return SignedDNF(self.clauses, not self.positive)

    @property
    def lines(self) -> list[tuple[Clause, None]]:
        """The clauses as they are printed: short clauses first, then by atom."""
        return [(items, None) for items in sorted(self.clauses, key=clause_key)]

    def evaluate(self, values: NDArray[np.int8]) -> NDArray[np.int8]:
        """Return the truth of the rule on each row of `values`: +1, -1, or 0 where unknown.

        The empty clause is true and the rule without clauses false.
        """
        columns = read_columns({one.atom for items in self.clauses for one in items}, values)
        truth = np.full(len(values), -1, dtype=np.int8)
        for items in self.clauses:
            np.maximum(truth, conjunction(items, columns, len(values)), out=truth)
        return truth if self.positive else -truth

    decide = evaluate

    def map_literals(self, to: Callable[[Literal], Literal]) -> "SignedDNF":
        """Return the rule with each literal replaced."""
        return SignedDNF((map(to, items) for items in self.clauses), self.positive)

    def where(self, truth: int) -> Rows:
        """Return the rows on which the rule is true (+1) or false (-1)."""
        if (truth > 0) == self.positive:
            return any_of(map(cover_of, self.clauses))
        # A clause is false where the negation of one of its literals is true.
        return all_of(any_of(cover_of([~one]) for one in items) for items in self.clauses)

    def to_dict(self) -> dict[str, Any]:
        """Return the rule as plain lists and flags, for JSON."""
        return {"positive": self.positive, "clauses": sorted_clauses(self)}


def cover_of(items: Iterable[Literal]) -> Rows:
    """Return the rows on which all of these literals are true."""
    return cover(one.number for one in items)


def sorted_clauses(rule: SignedDNF) -> list[list[Literal]]:
    """Return clauses and literals as they are printed: short clauses first, then by atom."""
    return [sort_literals(items) for items, _ in rule.lines]


def sort_literals(items: Clause) -> list[Literal]:
    """Return the literals of a clause as they are printed, by atom."""
    return sorted(items, key=attrgetter("number"))


def clause_key(items: Clause) -> tuple[int, list[int]]:
    """Return the place of a clause among others that are printed."""
    return len(items), sorted(one.number for one in items)


def _literal(item: Literal | tuple[int, bool]) -> Literal:
    atom, positive = item
    if isinstance(atom, bool) or not isinstance(atom, int | np.integer) or atom < 0:
        raise RuleError(f"an atom must be an index of 0 or more, got {atom!r}")
    if not isinstance(positive, bool | np.bool_):
        raise RuleError(f"the sign of atom {atom} must be True or False, got {positive!r}")
    return Literal(int(atom), bool(positive))


def coverage(items: Clause, values: NDArray[np.int8]) -> NDArray[np.int8]:
    """Return the truth of a clause by itself, on each row."""
    columns = read_columns({one.atom for one in items}, values)
    return conjunction(items, columns, len(values))


def read_columns(atoms: Set[int], values: NDArray[np.int8]) -> dict[int, NDArray[np.int8]]:
    """Return the columns of the atoms of a rule; raise unless `values` is a table with them."""
    values = np.asarray(values)
    if values.ndim != 2:
        raise ShapeError(f"values must have 2 axes, rows and atoms, got {values.ndim}")
    if atoms and max(atoms) >= values.shape[1]:
        raise RuleError(
            f"the rule reads atom x{max(atoms)}, but the table has {values.shape[1]} "
            "atoms; pass the table the rule was induced from, or one with the same columns"
        )
    # Copied once, so that each literal then reads contiguous memory.
    return {atom: np.ascontiguousarray(values[:, atom], dtype=np.int8) for atom in atoms}


def conjunction(items: Clause, columns: dict[int, NDArray[np.int8]], rows: int) -> NDArray[np.int8]:
    """Return the truth of a clause on each row, from the columns of its atoms."""
    truth = np.ones(rows, dtype=np.int8)
    for atom, positive in items:
        np.minimum(truth, columns[atom] if positive else -columns[atom], out=truth)
    return truth


def multiply_out(
    rule: SignedDNF, most: int, simpler: Callable[[SignedDNF], SignedDNF]
) -> SignedDNF | None:
    """Return a complement by De Morgan's laws, which hold for missing cells too.

    The product is made `simpler` after each clause; there is none if it has more than `most`.

    >>> print(multiply_out(SignedDNF([[(0, True), (1, True)], [(2, True)]], False), 9, absorb))
    ~x0 & ~x2 | ~x1 & ~x2
    """
    if rule.positive:
        return rule
    product = SignedDNF([[]])
    for clause, _ in rule.lines:
        product = simpler(SignedDNF(one | {~item} for one in product.clauses for item in clause))
        if len(product.clauses) > most:
            return None
    return product


def absorb(rule: SignedDNF) -> SignedDNF:
    """Return the rule without the clauses that contain another: a | a & b is a.

    It has the same truth on every row, missing values included, since min(a, b) <= a.
    """
    return SignedDNF(find_minimal(rule.clauses), rule.positive)


def find_minimal(clauses: Set[Clause]) -> set[Clause]:
    """Return the clauses that contain no other one."""
    if frozenset() in clauses:
        return {frozenset()}
    kept: set[Clause] = set()
    # A kept clause is filed under one of its literals; whatever contains it has that literal too.
    filed: defaultdict[Literal, list[Clause]] = defaultdict(list)
    for _, same_size in groupby(sorted(clauses, key=len), key=len):
        fresh = [c for c in same_size if not any(k <= c for item in c for k in filed[item])]
        kept.update(fresh)
        for clause in fresh:
            filed[min(clause, key=lambda literal: len(filed[literal]))].append(clause)
    return kept
