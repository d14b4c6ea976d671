"""What an atom means: a yes-or-no question about one column of the user's table.

A column that is missing in a row leaves its atoms unknown (0). Kinds are few, so that every
exporter can spell each of them out.
"""

from collections.abc import Sequence
from dataclasses import dataclass

Scalar = str | int | float | bool


@dataclass(frozen=True, slots=True)
class Above:
    """`column > cut`, for a numeric column."""

    column: str
    cut: float


@dataclass(frozen=True, slots=True)
class Equals:
    """`column = value`, one of the one-hot atoms of a categorical column."""

    column: str
    value: Scalar


@dataclass(frozen=True, slots=True)
class OneOf:
    """`column in values`: rare categories of one column, grouped."""

    column: str
    values: tuple[Scalar, ...]


@dataclass(frozen=True, slots=True)
class IsTrue:
    """A Boolean column, taken as it is."""

    column: str


Atom = Above | Equals | OneOf | IsTrue


@dataclass(frozen=True, slots=True)
class Schema:
    """The atoms of a table in order, and which of them are the one-hot block of one column."""

    atoms: tuple[Atom, ...]
    blocks: tuple[tuple[int, ...], ...] = ()

    @property
    def names(self) -> list[str]:
        """A printable name for each atom."""
        return [atom_name(atom) for atom in self.atoms]

    def columns_of(self, atoms: Sequence[int]) -> list[str]:
        """The columns that these atoms read, each once, in the order of the schema."""
        wanted = {self.atoms[i].column for i in atoms}
        return list(dict.fromkeys(atom.column for atom in self.atoms if atom.column in wanted))


def values_of(atom: Equals | OneOf | IsTrue) -> tuple[str | float, ...]:
    """The values that make the atom true; a number or a flag is spelt as a float."""
    match atom:
        case Equals(_, value):
            values: tuple[Scalar, ...] = (value,)
        case OneOf(_, several):
            values = several
        case IsTrue():
            values = (True,)
    return tuple(value if isinstance(value, str) else float(value) for value in values)


def atom_name(atom: Atom) -> str:
    """The atom in words, as it stands in a printed rule."""
    match atom:
        case Above(column, cut):
            return f"{column} > {number_name(cut)}"
        case Equals(column, value):
            return f"{column} = {value}"
        case OneOf(column, values):
            return f"{column} in {{{', '.join(map(str, values))}}}"
        case IsTrue(column):
            return column


def number_name(number: float) -> str:
    """The number in few digits, or in as many as it takes to read it back exactly.

    >>> number_name(2.5), number_name(35.0), number_name(1234567.5)
    ('2.5', '35', '1234567.5')
    """
    short = f"{number:g}"
    return short if float(short) == number else repr(float(number))
