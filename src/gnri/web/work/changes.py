"""Changes of a table that must not matter, and what its questions are called afterwards."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from gnri.logic.formula import Literal
from gnri.render.words import say_clause
from gnri.schema import Schema
from gnri.symmetry.group import Symmetry

CHANGES: Mapping[str, frozenset[str]] = {
    "rows": frozenset({"rows"}),
    "columns": frozenset({"columns"}),
    "negations": frozenset({"negations"}),
    "labels": frozenset({"labels"}),
    "everything": frozenset({"rows", "columns", "negations", "labels"}),
}
"""The buttons of the page, and what each of them moves."""


@dataclass(frozen=True, slots=True)
class Change:
    """The symmetry, and the name of each question before and after, at its own place."""

    g: Symmetry
    before: tuple[str, ...]
    after: tuple[str, ...]


def draw_change(schema: Schema, rows: int, change: str, *, rng: np.random.Generator) -> Change:
    """A random change of this kind; labels are swapped whenever they may be.

    Columns move whole and get new names. A question that is negated is asked the other way round.
    """
    parts, atoms = CHANGES[change], len(schema.atoms)
    columns = list(dict.fromkeys(atom.column for atom in schema.atoms))
    order = rng.permutation(len(columns)) if "columns" in parts else np.arange(len(columns))
    place = {name: int(order[i]) for i, name in enumerate(columns)}
    flips = rng.random(atoms) < 0.5 if "negations" in parts else np.zeros(atoms, bool)
    g = Symmetry(
        atoms=_moved(schema, place),
        flips=tuple(flips.tolist()),
        rows=tuple((rng.permutation(rows) if "rows" in parts else np.arange(rows)).tolist()),
        label="labels" in parts,
    )
    renamed = _renamed(schema, place) if "columns" in parts else schema
    after = [""] * atoms
    for i, flip in enumerate(g.flips):
        after[g.atoms[i]] = say_clause(renamed, [Literal(i, not flip)])
    before = tuple(say_clause(schema, [Literal(i)]) for i in range(atoms))
    return Change(g, before, tuple(after))


def _moved(schema: Schema, place: Mapping[str, int]) -> tuple[int, ...]:
    """Where each atom goes when the columns stand in their new order."""
    order = sorted(range(len(schema.atoms)), key=lambda i: place[schema.atoms[i].column])
    goes = [0] * len(order)
    for new, old in enumerate(order):
        goes[old] = new
    return tuple(goes)


def _renamed(schema: Schema, place: Mapping[str, int]) -> Schema:
    return Schema(
        tuple(replace(atom, column=f"column {place[atom.column] + 1}") for atom in schema.atoms)
    )
