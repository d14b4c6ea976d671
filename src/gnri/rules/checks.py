"""What may stand in an exported classifier: plain values that every format can spell exactly."""

import math
import re
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from gnri.data.schema import Above, Atom, Equals, IsTrue, OneOf, Scalar, Schema
from gnri.errors import RuleError
from gnri.messages import shorten

_SURROGATE = re.compile("[\ud800-\udfff]")
_KINDS: dict[type, str] = {str: "text", bool: "flag", int: "number", float: "number"}
_LARGEST = 2**63 - 1
_LARGEST_CUT = sys.float_info.max


def plain(value: Any) -> Any:
    """A numpy scalar as the Python value it stands for; anything else as it is."""
    return value.item() if isinstance(value, np.generic) else value


def check_schema(schema: Schema) -> Schema:
    """The schema with plain values; a `RuleError` unless every format can spell it."""
    if not isinstance(schema, Schema):
        raise RuleError(f"the schema must be a Schema, got {type(schema).__name__}")
    atoms = tuple(_plain_atom(atom, i) for i, atom in enumerate(schema.atoms))
    column_kinds(atoms)
    places = range(len(atoms))
    if any(type(i) is not int or i not in places for block in schema.blocks for i in block):
        raise RuleError(f"a block of the schema must hold atoms from 0 to {len(atoms) - 1}")
    return Schema(atoms, tuple(tuple(block) for block in schema.blocks))


def check_labels(labels: Sequence[Any]) -> None:
    """Raise unless these are two or more distinct labels of one type."""
    if len(labels) < 2:
        raise RuleError(f"a classifier needs 2 or more classes, got {len(labels)}")
    for label in labels:
        _check_scalar(label, "a class label")
        if type(label) is int and abs(label) > _LARGEST:
            raise RuleError("a whole number as class label must fit in 64 bits, got a larger one")
    if len({type(label) for label in labels}) > 1:
        raise RuleError("class labels must be of one type; make them all text, or all numbers")
    if len(set(labels)) < len(labels):
        raise RuleError(f"class labels must differ, got {shorten(list(labels))}")


def column_kinds(atoms: Iterable[Atom]) -> dict[str, str]:
    """What each column holds, "number", "text" or "flag", as its atoms ask of it."""
    kinds: dict[str, str] = {}
    for atom in atoms:
        kind = _kind(atom)
        if kinds.setdefault(atom.column, kind) != kind:
            raise RuleError(
                f"column {shorten(atom.column)} is asked for a {kinds[atom.column]} and for a "
                f"{kind}; a column must be of one kind, so make it text, or all numbers"
            )
    return kinds


def show(value: Any) -> str:
    """A value in a message; Python refuses to print the largest of whole numbers."""
    if isinstance(value, int) and abs(value) > _LARGEST:
        return "a whole number of more than 64 bits"
    return shorten(value)


def _kind(atom: Atom) -> str:
    match atom:
        case Above():
            return "number"
        case IsTrue():
            return "flag"
        case Equals(_, value):
            return _KINDS[type(value)]
        case OneOf(column, values):
            kinds = {_KINDS[type(value)] for value in values}
            if len(kinds) != 1:
                raise RuleError(
                    f"the values grouped in column {shorten(column)} must be of one kind, "
                    f"got {shorten(list(values))}"
                )
            return kinds.pop()


def _plain_atom(atom: Atom, i: int) -> Atom:
    place = f"atom x{i}"
    match atom:
        case Above(column, cut):
            cut = plain(cut)
            if type(cut) not in (int, float) or not -_LARGEST_CUT <= cut <= _LARGEST_CUT:
                raise RuleError(f"the cut of {place} must be a finite float, got {show(cut)}")
            found: Atom = Above(column, float(cut))
        case Equals(column, value):
            found = Equals(column, _plain_value(value, place))
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
    _check_scalar(value, f"a value of {place}")
    if type(value) is int and (abs(value) > _LARGEST or int(float(value)) != value):
        raise RuleError(
            f"a value of {place} must be exact as a 64-bit float, got a whole number that is not; "
            "make the column text, as identifiers should be"
        )
    return value


def _check_scalar(value: Any, what: str) -> None:
    if type(value) not in _KINDS:
        raise RuleError(
            f"{what} must be text, a number or a Boolean, got {shorten(value)} "
            f"of type {type(value).__name__}"
        )
    if isinstance(value, str) and _SURROGATE.search(value):
        raise RuleError(f"{what} must be valid Unicode, got {shorten(value)}")
    if isinstance(value, float) and not math.isfinite(value):
        raise RuleError(f"{what} must be a finite number, got {value}")
