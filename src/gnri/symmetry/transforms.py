"""Which symmetries are tried: thirteen draws that span G, those of a schema, whole columns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Protocol

import numpy as np

from gnri.data.schema import Schema
from gnri.episode import Episode
from gnri.formats.conditions import write_clause
from gnri.rules.dnf import Literal
from gnri.symmetry.group import Symmetry


class Transform(Protocol):
    """A way to draw a symmetry that fits an episode."""

    def __call__(self, episode: Episode, *, rng: np.random.Generator) -> Symmetry: ...


def schema_transforms(blocks: Sequence[Sequence[int]]) -> dict[str, Transform]:
    """Return draws from H_Sigma: atoms move within their one-hot block, and rows and labels too.

    Every transformed row is then still a valid encoding, and no atom is ever negated.
    """
    return {
        "within blocks 1": _moving("atoms", blocks=blocks),
        "within blocks 2": _moving("atoms", blocks=blocks),
        "within blocks + rows": _moving("atoms", "rows", blocks=blocks),
        "within blocks + label": _moving("atoms", blocks=blocks, swap_label=True),
        "within blocks + rows + label": _moving("atoms", "rows", blocks=blocks, swap_label=True),
    }


def without_negations(transform: Transform) -> Transform:
    """Return the same draws, but that none of them negates an atom."""

    def draw(episode: Episode, *, rng: np.random.Generator) -> Symmetry:
        return replace(transform(episode, rng=rng), flips=(False,) * episode.atoms)

    return draw


def draw(
    transforms: Mapping[str, Transform], episode: Episode, *, rng: np.random.Generator
) -> dict[str, Symmetry]:
    """Return one symmetry of `episode` for each transform, under the same names.

    >>> from gnri.episode import Episode
    >>> drawn = draw(TRANSFORMS, Episode([[1, -1]], [1]), rng=np.random.default_rng(0))
    >>> drawn["label"]
    Symmetry(atoms=(0, 1), flips=(False, False), rows=(0,), label=True)
    """
    return {name: transform(episode, rng=rng) for name, transform in transforms.items()}


def _moving(
    *parts: str, swap_label: bool = False, blocks: Sequence[Sequence[int]] | None = None
) -> Transform:
    """Return draws that move `parts` at random and swap the labels always or never.

    The swap is not left to chance, for half of its draws would try nothing.
    """

    def transform(episode: Episode, *, rng: np.random.Generator) -> Symmetry:
        drawn = Symmetry.random(episode, rng=rng, parts=parts, blocks=blocks)
        return replace(drawn, label=swap_label)

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
"""S_M, S_N, Z_2^N and B_N twice each, Z_2^y once, and the compositions with the label swap."""


_PARTS = ("rows", "columns", "negations", "labels")
COLUMN_CHANGES: Mapping[str, frozenset[str]] = MappingProxyType(
    {**{part: frozenset({part}) for part in _PARTS}, "everything": frozenset(_PARTS)}
)
"""Changes of a table as people see it, and what each moves: whole columns, not atoms."""


@dataclass(frozen=True, slots=True)
class ColumnChange:
    """The symmetry, and the name of each atom before and after, at its own place."""

    g: Symmetry
    before: tuple[str, ...]
    after: tuple[str, ...]


def draw_column_change(
    schema: Schema, rows: int, change: str, *, rng: np.random.Generator
) -> ColumnChange:
    """Draw a change of this kind; labels are swapped whenever they may be.

    Columns move whole and get new names. An atom that is negated is asked the other way round.
    """
    parts, atoms = COLUMN_CHANGES[change], len(schema.atoms)
    columns = list(dict.fromkeys(atom.column for atom in schema.atoms))
    order = rng.permutation(len(columns)) if "columns" in parts else np.arange(len(columns))
    place = {name: int(order[i]) for i, name in enumerate(columns)}
    flips = rng.random(atoms) < 0.5 if "negations" in parts else np.zeros(atoms, bool)
    moved = sorted(range(atoms), key=lambda i: place[schema.atoms[i].column])
    g = Symmetry(
        atoms=tuple(np.argsort(moved).tolist()),
        flips=tuple(flips.tolist()),
        rows=tuple((rng.permutation(rows) if "rows" in parts else np.arange(rows)).tolist()),
        label="labels" in parts,
    )
    renamed = schema
    if "columns" in parts:
        named = (replace(atom, column=f"column {place[atom.column] + 1}") for atom in schema.atoms)
        renamed = Schema(tuple(named))
    after = [""] * atoms
    for i, flip in enumerate(g.flips):
        after[g.atoms[i]] = write_clause(renamed, [Literal(i, not flip)])
    before = tuple(write_clause(schema, [Literal(i)]) for i in range(atoms))
    return ColumnChange(g, before, tuple(after))
