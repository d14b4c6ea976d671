"""The symmetry group G = S_M x (S_N |x Z_2^N) x Z_2^y of a rule-induction task.

Atom `i` goes to `atoms[i]` and row `r` to `rows[r]`; `flips` is indexed by the source atom;
`(g @ h)(x) == g(h(x))`.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, permutations, product, starmap
from typing import TypeVar

import numpy as np

from gnri.episode import Episode
from gnri.errors import SymmetryError

Thing = TypeVar("Thing")
PARTS = ("rows", "atoms", "flips", "label")


@dataclass(frozen=True, slots=True)
class Symmetry:
    """Reorder the rows, reorder and negate the atoms, swap the labels.

    >>> g = Symmetry(atoms=(1, 0), flips=(True, False), rows=(0,))
    >>> g @ ~g == Symmetry.identity(atoms=2, rows=1)
    True
    """

    atoms: tuple[int, ...]
    flips: tuple[bool, ...]
    rows: tuple[int, ...]
    label: bool = False

    def __post_init__(self) -> None:
        for name in ("atoms", "rows"):
            object.__setattr__(self, name, _permutation(getattr(self, name), name))
        atoms, flips = len(self.atoms), self.flips
        if len(flips) != atoms or not all(isinstance(flip, bool | np.bool_) for flip in flips):
            raise SymmetryError(
                f"flips must be True or False for each of {atoms} atoms, "
                f"got {str(tuple(flips))[:60]}"
            )
        object.__setattr__(self, "flips", tuple(map(bool, flips)))
        object.__setattr__(self, "label", bool(self.label))

    def __call__(self, thing: Thing) -> Thing:
        """Return the image of an episode, a rule, scores or any type with a registered action."""
        from gnri.symmetry.action import act

        moved: Thing = act(thing, self)
        return moved

    def __matmul__(self, other: "Symmetry") -> "Symmetry":
        """Return the symmetry that applies `other`, then `self`."""
        if (len(self.atoms), len(self.rows)) != (len(other.atoms), len(other.rows)):
            raise SymmetryError(
                f"cannot compose a symmetry of {len(self.rows)} rows x {len(self.atoms)} atoms "
                f"with one of {len(other.rows)} x {len(other.atoms)}"
            )
        pairs = zip(other.flips, other.atoms, strict=True)
        return Symmetry(
            atoms=tuple(self.atoms[j] for j in other.atoms),
            flips=tuple(flip ^ self.flips[j] for flip, j in pairs),
            rows=tuple(self.rows[r] for r in other.rows),
            label=self.label ^ other.label,
        )

    def __invert__(self) -> "Symmetry":
        atoms, rows = np.argsort(self.atoms), np.argsort(self.rows)
        flips = tuple(self.flips[atom] for atom in atoms)
        return Symmetry(tuple(atoms.tolist()), flips, tuple(rows.tolist()), self.label)

    @classmethod
    def identity(cls, *, atoms: int, rows: int) -> "Symmetry":
        """Return the symmetry that moves nothing."""
        return cls(tuple(range(atoms)), (False,) * atoms, tuple(range(rows)))

    @classmethod
    def random(
        cls,
        episode: Episode,
        *,
        rng: np.random.Generator,
        parts: Iterable[str] = PARTS,
        blocks: Sequence[Sequence[int]] | None = None,
    ) -> "Symmetry":
        """Return a uniform element of the subgroup that moves only `parts`.

        With `blocks`, atoms move within their one-hot block and are not negated (H_Sigma).
        """
        moved = frozenset(parts)
        if not moved <= set(PARTS):
            raise SymmetryError(f"parts must be among {', '.join(PARTS)}, got {sorted(moved)}")
        atoms = np.arange(episode.atoms)
        if "atoms" in moved:
            for block in _movable(blocks, episode.atoms):
                atoms[block] = rng.permutation(block)
        flips = np.zeros(episode.atoms, bool)
        if "flips" in moved and blocks is None:
            flips = rng.random(episode.atoms) < 0.5
        rows = rng.permutation(episode.rows) if "rows" in moved else np.arange(episode.rows)
        label = "label" in moved and bool(rng.random() < 0.5)
        return cls(tuple(atoms.tolist()), tuple(flips.tolist()), tuple(rows.tolist()), label)

    @classmethod
    def generators(
        cls, *, atoms: int, rows: int, blocks: Sequence[Sequence[int]] | None = None
    ) -> "list[Symmetry]":
        """Return generators of G: neighbouring swaps, one negation, the label swap.

        With `blocks`, these generate S_M x H_Sigma x Z_2^y.
        """
        one = cls.identity(atoms=atoms, rows=rows)
        swaps = [pair for block in _movable(blocks, atoms) for pair in pairwise(block)]
        found = [replace(one, atoms=_swap(atoms, i, j)) for i, j in swaps]
        found += [replace(one, rows=_swap(rows, r, r + 1)) for r in range(rows - 1)]
        if blocks is None:
            found.append(replace(one, flips=(True,) + (False,) * (atoms - 1)))
        found.append(replace(one, label=True))
        return found

    @classmethod
    def everything(cls, *, atoms: int, rows: int) -> "Iterator[Symmetry]":
        """Yield every element of G; there are atoms! * 2^atoms * rows! * 2 of them."""
        flips = product((False, True), repeat=atoms)
        orders = permutations(range(atoms)), flips, permutations(range(rows))
        return starmap(cls, product(*orders, (False, True)))


def _swap(size: int, i: int, j: int) -> tuple[int, ...]:
    order = list(range(size))
    order[i], order[j] = order[j], order[i]
    return tuple(order)


def _permutation(order: Sequence[int], name: str) -> tuple[int, ...]:
    if set(map(type, order)) <= {int} and sorted(order) == list(range(len(order))):
        return tuple(order)  # fast, as audits make thousands
    array = np.asarray(order)
    if array.ndim != 1 or not np.array_equal(np.sort(array), np.arange(len(array))):
        raise SymmetryError(
            f"{name} must be a permutation of 0..{max(len(array) - 1, 0)}, "
            f"got {str(tuple(order))[:60]}"
        )
    return tuple(array.astype(int).tolist())


def _movable(blocks: Sequence[Sequence[int]] | None, atoms: int) -> list[list[int]]:
    """Return the sets within which atoms may move: the blocks, or all atoms."""
    if blocks is None:
        return [list(range(atoms))]
    flat = [atom for block in blocks for atom in block]
    if len(set(flat)) != len(flat) or not set(flat) <= set(range(atoms)):
        raise SymmetryError(
            f"blocks must be disjoint sets of the {atoms} atoms, got {str(list(blocks))[:60]}"
        )
    return [list(block) for block in blocks]
