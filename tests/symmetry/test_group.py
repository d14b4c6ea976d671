"""Symmetries: the schema subgroup, random elements, and what is refused."""

from math import factorial

import numpy as np
import pytest

from gnri.episode import Episode
from gnri.errors import SymmetryError
from gnri.symmetry.group import PARTS, Symmetry
from studies.paper.rule_equality import schema_order

EPISODE = Episode(np.ones((3, 5)), np.ones(3))
BLOCKS = [[0, 1, 2], [3, 4]]


def draw(count: int, **options: object) -> list[Symmetry]:
    rng = np.random.default_rng(7)
    return [Symmetry.random(EPISODE, rng=rng, **options) for _ in range(count)]  # type: ignore[arg-type]


def test_composition_reads_right_to_left() -> None:
    swap = Symmetry(atoms=(1, 0, 2), flips=(False,) * 3, rows=(0,))
    negate = Symmetry(atoms=(0, 1, 2), flips=(True, False, False), rows=(0,))
    assert (swap @ negate).flips == (True, False, False)
    assert (negate @ swap).flips == (False, True, False)


def test_equal_elements_have_one_hash() -> None:
    assert (
        len({Symmetry.identity(atoms=2, rows=3), Symmetry((0, 1), (False, False), (0, 1, 2))}) == 1
    )


@pytest.mark.parametrize(
    ("blocks", "order"),
    [([], 1), ([[4]], 1), (BLOCKS, 12), ([range(9)], factorial(9)), ([[0, 1]] * 3, 8)],
)
def test_schema_order(blocks: list[list[int]], order: int) -> None:
    assert schema_order(blocks) == order


@pytest.mark.parametrize("blocks", [BLOCKS, [[0, 3], [1, 4]], [[2]], []])
def test_schema_generators_generate_the_schema_group(blocks: list[list[int]]) -> None:
    generators = Symmetry.generators(atoms=5, rows=3, blocks=blocks)
    found = {Symmetry.identity(atoms=5, rows=3)}
    while len(more := found | {s @ g for s in generators for g in found}) > len(found):
        found = more
    assert len(found) == schema_order(blocks) * factorial(3) * 2
    assert all(keeps(g, blocks) for g in found)


@pytest.mark.parametrize("blocks", [BLOCKS, [[0, 3], [1, 4]], [[2]], []])
def test_random_with_blocks_stays_in_the_schema_group_and_reaches_all_of_it(
    blocks: list[list[int]],
) -> None:
    drawn = draw(400, blocks=blocks)
    assert all(keeps(g, blocks) for g in drawn)
    assert len({g.atoms for g in drawn}) == schema_order(blocks)


def keeps(g: Symmetry, blocks: list[list[int]]) -> bool:
    """Whether g moves atoms within their block only, and negates none."""
    home = {atom: set(block) for block in blocks for atom in block}
    return not any(g.flips) and all(j in home.get(i, {i}) for i, j in enumerate(g.atoms))


def test_random_reaches_every_element_of_a_small_group() -> None:
    rng = np.random.default_rng(3)
    small = Episode([[1, 1], [1, 1]], [1, 1])
    drawn = {Symmetry.random(small, rng=rng) for _ in range(600)}
    assert drawn == set(Symmetry.everything(atoms=2, rows=2))


def test_random_is_a_function_of_its_generator() -> None:
    assert draw(5) == draw(5)


@pytest.mark.parametrize("part", PARTS)
def test_random_moves_only_the_part_asked_for(part: str) -> None:
    one = Symmetry.identity(atoms=5, rows=3)
    drawn = draw(60, parts=[part])
    assert len({getattr(g, part) for g in drawn}) > 1
    for other in set(PARTS) - {part}:
        assert {getattr(g, other) for g in drawn} == {getattr(one, other)}


def test_random_without_parts_is_the_identity() -> None:
    assert set(draw(5, parts=())) == {Symmetry.identity(atoms=5, rows=3)}


@pytest.mark.parametrize(
    ("atoms", "flips", "rows", "message"),
    [
        ((0, 0), (False, False), (0,), r"atoms must be a permutation of 0..1, got \(0, 0\)"),
        ((1, 2), (False, False), (0,), r"atoms must be a permutation of 0..1, got \(1, 2\)"),
        ((-1, 0), (False, False), (0,), r"atoms must be a permutation of 0..1, got \(-1, 0\)"),
        ((0, 1), (False, False), (1,), r"rows must be a permutation of 0..0, got \(1,\)"),
        ((0, 1), (False,), (0,), r"flips must be True or False for each of 2 atoms, got \(False,"),
    ],
)
def test_refuses_what_is_no_symmetry(
    atoms: tuple[int, ...], flips: tuple[bool, ...], rows: tuple[int, ...], message: str
) -> None:
    with pytest.raises(SymmetryError, match=message):
        Symmetry(atoms, flips, rows)


def test_refuses_to_compose_different_sizes() -> None:
    message = "cannot compose a symmetry of 3 rows x 2 atoms with one of 2 x 3"
    with pytest.raises(SymmetryError, match=message):
        Symmetry.identity(atoms=2, rows=3) @ Symmetry.identity(atoms=3, rows=2)


def test_refuses_an_unknown_part() -> None:
    with pytest.raises(SymmetryError, match=r"parts must be among rows, .* got \['columns'\]"):
        Symmetry.random(EPISODE, rng=np.random.default_rng(0), parts=["columns"])
