"""Which symmetries an audit tries: thirteen draws that span G, and their schema-valid kin."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Protocol

import numpy as np

from gnri.episode import Episode
from gnri.symmetry.group import Symmetry


class Transform(Protocol):
    """A way to draw a symmetry that fits an episode."""

    def __call__(self, episode: Episode, *, rng: np.random.Generator) -> Symmetry: ...


def schema_transforms(blocks: Sequence[Sequence[int]]) -> dict[str, Transform]:
    """Draws from H_Sigma: atoms move within their one-hot block, with and without rows and label.

    Every transformed row is then still a valid encoding, and no atom is ever negated.
    """
    return {
        "within blocks 1": _moving("atoms", blocks=blocks),
        "within blocks 2": _moving("atoms", blocks=blocks),
        "within blocks + rows": _moving("atoms", "rows", blocks=blocks),
        "within blocks + label": _moving("atoms", blocks=blocks, swap_label=True),
        "within blocks + rows + label": _moving("atoms", "rows", blocks=blocks, swap_label=True),
    }


def draw(
    transforms: Mapping[str, Transform], episode: Episode, *, rng: np.random.Generator
) -> dict[str, Symmetry]:
    """One symmetry of `episode` for each transform, under the same names.

    >>> from gnri.episode import Episode
    >>> drawn = draw(TRANSFORMS, Episode([[1, -1]], [1]), rng=np.random.default_rng(0))
    >>> drawn["label"]
    Symmetry(atoms=(0, 1), flips=(False, False), rows=(0,), label=True)
    """
    return {name: transform(episode, rng=rng) for name, transform in transforms.items()}


def _moving(
    *parts: str, swap_label: bool = False, blocks: Sequence[Sequence[int]] | None = None
) -> Transform:
    """Draws that move `parts` at random and swap the labels always or never.

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
