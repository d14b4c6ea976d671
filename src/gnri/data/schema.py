"""What an atom means: a yes-or-no question about one column of the user's table.

Where a cell is missing, the atoms of its column are unknown (0). There are only four kinds of
atom, so that every export format can write each of them.
"""

import math
import re
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gnri.data.kinds import ColumnKind
from gnri.errors import GnriError, RuleError, shorten

Scalar = str | int | float | bool

LARGEST = 2**63 - 1  # the largest whole number that a rule may hold: 64 bits, signed
_SURROGATE = re.compile("[\ud800-\udfff]")
_KINDS: dict[type, ColumnKind] = {
    str: ColumnKind.CATEGORY,
    bool: ColumnKind.FLAG,
    int: ColumnKind.NUMBER,
    float: ColumnKind.NUMBER,
}


@dataclass(frozen=True, slots=True)
class Above:
    """`column > cut`, for a numeric column.

    Codes are no numbers: where a cell is one of `codes`, the atom is unknown. Rules are learnt with
    such atoms; no finished rule holds one.
    """

    column: str
    cut: float
    codes: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Equals:
    """`column = value`, one of the one-hot atoms of a categorical column.

    If the training rows had only one `other` value, its name is used in words.
    """

    column: str
    value: Scalar
    other: Scalar | None = None


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
    """The atoms of a table in order, and the one-hot atoms of each column as a block."""

    atoms: tuple[Atom, ...]
    blocks: tuple[tuple[int, ...], ...] = ()

    @property
    def names(self) -> list[str]:
        """Return a printable name for each atom."""
        return [atom_name(atom) for atom in self.atoms]

    @property
    def columns(self) -> list[str]:
        """Return the columns that the atoms read, each once, in order."""
        return list(dict.fromkeys(atom.column for atom in self.atoms))

    def columns_of(self, atoms: Sequence[int]) -> list[str]:
        """Return the columns that these atoms read, each once, in the order of the schema."""
        wanted = {self.atoms[i].column for i in atoms}
        return [column for column in self.columns if column in wanted]

    def without(self, columns: Collection[str]) -> "Schema":
        """Return the atoms of all other columns."""
        return make_schema([atom for atom in self.atoms if atom.column not in columns])


def make_schema(atoms: Sequence[Atom]) -> Schema:
    """Return the schema of atoms; two or more atoms of one categorical column form a block."""
    for name, count in Counter(map(atom_name, atoms)).items():
        if count > 1:
            raise GnriError(
                f"each atom needs a name of its own, but two are called {name!r}; rename the "
                "column or the category"
            )
    places: dict[str, list[int]] = {}
    for place, atom in enumerate(atoms):
        if isinstance(atom, Equals | OneOf):
            places.setdefault(atom.column, []).append(place)
    blocks = tuple(tuple(block) for block in places.values() if len(block) > 1)
    return Schema(tuple(atoms), blocks)


def values_of(atom: Equals | OneOf | IsTrue) -> tuple[str | float, ...]:
    """Return the values that make the atom true; a number or a Boolean becomes a float."""
    values = (True,) if isinstance(atom, IsTrue) else _values(atom)
    return tuple(value if isinstance(value, str) else float(value) for value in values)


def _values(atom: Equals | OneOf) -> tuple[Scalar, ...]:
    return (atom.value,) if isinstance(atom, Equals) else atom.values


def atom_name(atom: Atom) -> str:
    """Return the atom in words, as it stands in a printed rule."""
    match atom:
        case Above(column, cut, codes):
            return f"{column} > {number_name(cut)}{' (no code)' if codes else ''}"
        case Equals(column, value):
            return f"{column} = {value}"
        case OneOf(column, values):
            return f"{column} in {{{', '.join(map(str, values))}}}"
        case IsTrue(column):
            return column


def number_name(number: float) -> str:
    """Return the number in few digits, or in as many as it takes to read it back exactly.

    >>> number_name(2.5), number_name(35.0), number_name(1234567.5)
    ('2.5', '35', '1234567.5')
    """
    short = f"{number:g}"
    return short if float(short) == number else repr(float(number))


def column_kinds(atoms: Iterable[Atom]) -> dict[str, ColumnKind]:
    """Return the kind of each column, by its atoms; raise `RuleError` if they need two kinds."""
    kinds: dict[str, ColumnKind] = {}
    for atom in atoms:
        kind = atom_kind(atom)
        if kinds.setdefault(atom.column, kind) != kind:
            raise RuleError(
                f"column {shorten(atom.column)} is used as a {kinds[atom.column]} and as a "
                f"{kind}; a column must be of one kind, so make it text, or all numbers"
            )
    return kinds


def atom_kind(atom: Atom) -> ColumnKind:
    """Return the kind of column that an atom needs."""
    if isinstance(atom, Above):
        return ColumnKind.NUMBER
    if isinstance(atom, IsTrue):
        return ColumnKind.FLAG
    kinds = {_KINDS[type(plain(value))] for value in _values(atom)}
    if len(kinds) != 1:
        raise RuleError(
            f"the values grouped in column {shorten(atom.column)} must be of one kind, "
            f"got {shorten(list(_values(atom)))}"
        )
    return kinds.pop()


def check_schema(schema: Schema) -> Schema:
    """Return the schema with plain values; raise `RuleError` if a format could not write it."""
    if not isinstance(schema, Schema):
        raise RuleError(f"the schema must be a Schema, got {type(schema).__name__}")
    atoms = tuple(_plain_atom(atom, i) for i, atom in enumerate(schema.atoms))
    column_kinds(atoms)
    places = range(len(atoms))
    if any(type(i) is not int or i not in places for block in schema.blocks for i in block):
        raise RuleError(f"a block of the schema must hold atoms from 0 to {len(atoms) - 1}")
    return Schema(atoms, tuple(tuple(block) for block in schema.blocks))


def check_scalar(value: Any, what: str) -> None:
    """Raise unless a value is text, a number or a Boolean that every format can write."""
    if type(value) not in _KINDS:
        raise RuleError(
            f"{what} must be text, a number or a Boolean, got {shorten(value)} "
            f"of type {type(value).__name__}"
        )
    if isinstance(value, str) and _SURROGATE.search(value):
        raise RuleError(f"{what} must be valid Unicode, got {shorten(value)}")
    if isinstance(value, float) and not math.isfinite(value):
        raise RuleError(f"{what} must be a finite number, got {value}")


def plain(value: Any) -> Any:
    """Return a numpy scalar as the Python value it stands for; anything else as it is."""
    return value.item() if isinstance(value, np.generic) else value


def show(value: Any) -> str:
    """Return a value as text for a message; Python cannot print an integer of too many digits."""
    if isinstance(value, int) and abs(value) > LARGEST:
        return "a whole number of more than 64 bits"
    return shorten(value)


def _plain_atom(atom: Atom, i: int) -> Atom:
    place = f"atom x{i}"
    match atom:
        case Above(column, cut, codes):
            cut = plain(cut)
            if type(cut) not in (int, float) or not abs(cut) <= sys.float_info.max:
                raise RuleError(f"the cut of {place} must be a finite float, got {show(cut)}")
            found: Atom = Above(column, float(cut), codes)
        case Equals(column, value, other):
            other = None if other is None else _plain_value(other, place)
            found = Equals(column, _plain_value(value, place), other)
        case OneOf(column, values):
            found = OneOf(column, tuple(_plain_value(value, place) for value in values))
        case IsTrue(column):
            found = atom
        case _:
            raise RuleError(f"{place} must be Above, Equals, OneOf or IsTrue, got {shorten(atom)}")
    if type(column) is not str or _SURROGATE.search(column):
        raise RuleError(f"the column of {place} must be valid text, got {shorten(column)}")
    return found


def _plain_value(value: Any, place: str) -> Scalar:
    value = plain(value)
    check_scalar(value, f"a value of {place}")
    if type(value) is int and (abs(value) > LARGEST or int(float(value)) != value):
        raise RuleError(
            f"a value of {place} must be exact as a 64-bit integer and as a 64-bit float; "
            "make the column text, as identifiers should be"
        )
    return value
