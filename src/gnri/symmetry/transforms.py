"""Random symmetries: of the whole group, and of whole columns."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Protocol

import numpy as np

from gnri.data.schema import Above, Schema
from gnri.episode import Episode
from gnri.formats.conditions import write_clause
from gnri.rules.dnf import Literal
from gnri.symmetry.group import Symmetry


class Transform(Protocol):
    """A way to draw a symmetry of an episode."""

    def __call__(self, episode: Episode, *, rng: np.random.Generator) -> Symmetry:
        """Return a random symmetry."""


def _moving(*parts: str, swap_label: bool = False) -> Transform:
    """Return a transform that moves `parts` at random, and swaps the labels always or never."""

    def transform(episode: Episode, *, rng: np.random.Generator) -> Symmetry:
        return replace(Symmetry.random(episode, rng=rng, parts=parts), label=swap_label)

    return transform


TRANSFORMS: Mapping[str, Transform] = MappingProxyType(
    {
        "rows 1": _moving("rows"),
        "rows 2": _moving("rows"),
        "atoms 1": _moving("atoms"),
        "atoms 2": _moving("atoms"),
        "negations 1": _moving("flips"),
        "negations 2": _moving("flips"),
        "label": _moving(swap_label=True),
        "atoms + negations 1": _moving("atoms", "flips"),
        "atoms + negations 2": _moving("atoms", "flips"),
        "atoms + label": _moving("atoms", swap_label=True),
        "negations + label": _moving("flips", swap_label=True),
        "atoms + negations + label": _moving("atoms", "flips", swap_label=True),
        "everything": _moving("rows", "atoms", "flips", swap_label=True),
    }
)
"""S_M, S_N, Z_2^N and B_N twice each, Z_2^y once, and compositions with the label swap."""

COLUMN_CHANGES = ("rows", "columns", "negations", "labels", "everything")
"""What a change of a table moves: whole columns, not atoms."""


@dataclass(frozen=True, slots=True)
class ColumnChange:
    """A symmetry, and the names of the atoms before and after it."""

    g: Symmetry
    before: tuple[str, ...]
    after: tuple[str, ...]


def whole_columns(schema: Schema, flips: Sequence[bool]) -> tuple[bool, ...]:
    """Return negations of whole columns: of numbers, and of columns with a single atom."""
    first = {atom.column: i for i, atom in reversed(list(enumerate(schema.atoms)))}
    sizes = Counter(atom.column for atom in schema.atoms)
    return tuple(
        bool(flips[first[atom.column]]) and (isinstance(atom, Above) or sizes[atom.column] == 1)
        for atom in schema.atoms
    )


def draw_column_change(
    schema: Schema, rows: int, change: str, *, rng: np.random.Generator, whole: bool = False
) -> ColumnChange:
    """Return a random change of this kind; it always swaps the labels if it may.

    Columns move whole and get new names; with `whole`, they are negated as a whole, too.
    """
    parts = COLUMN_CHANGES if change == "everything" else (change,)
    atoms, columns = len(schema.atoms), len(schema.columns)
    order = rng.permutation(columns) if "columns" in parts else np.arange(columns)
    place = dict(zip(schema.columns, order.tolist(), strict=True))
    flips = rng.random(atoms) < 0.5 if "negations" in parts else np.zeros(atoms, bool)
    signs = tuple(flips.tolist())
    moved = sorted(range(atoms), key=lambda i: place[schema.atoms[i].column])
    g = Symmetry(
        atoms=tuple(np.argsort(moved).tolist()),
        flips=whole_columns(schema, signs) if whole else signs,
        rows=tuple((rng.permutation(rows) if "rows" in parts else np.arange(rows)).tolist()),
        label="labels" in parts,
    )
    renamed = schema
    if "columns" in parts:
        named = (replace(atom, column=f"column {place[atom.column] + 1}") for atom in schema.atoms)
        renamed = Schema(tuple(named))
    before = tuple(write_clause(schema, [Literal(i)]) for i in range(atoms))
    after = tuple(write_clause(renamed, [Literal(i, not g.flips[i])]) for i in moved)
    return ColumnChange(g, before, after)
