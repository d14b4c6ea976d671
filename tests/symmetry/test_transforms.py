import numpy as np
import pytest

from gnri.episode import Episode
from gnri.symmetry.transforms import TRANSFORMS
from studies.paper.rule_equality import schema_transforms

EPISODE = Episode(np.ones((9, 8)), np.ones(9))
BLOCKS = [[0, 1, 2], [3, 4, 5, 6]]


def parts_moved(g):
    moved = {
        "rows": g.rows != tuple(range(len(g.rows))),
        "atoms": g.atoms != tuple(range(len(g.atoms))),
        "negations": any(g.flips),
        "label": g.label,
    }
    return {part for part, is_moved in moved.items() if is_moved}


def parts_named(name):
    parts = set(name.rstrip(" 12").split(" + "))
    return {"rows", "atoms", "negations", "label"} if parts == {"everything"} else parts


def drawn(transforms, seed=0):
    rng = np.random.default_rng(seed)
    return {name: transform(EPISODE, rng=rng) for name, transform in transforms.items()}


def test_there_are_thirteen():
    assert len(TRANSFORMS) == 13


@pytest.mark.parametrize("name", TRANSFORMS)
def test_a_transform_moves_what_its_name_says_and_nothing_else(name):
    moved = [parts_moved(drawn(TRANSFORMS, seed)[name]) for seed in range(40)]
    assert set().union(*moved) == parts_named(name)
    assert all(("label" in parts) == ("label" in parts_named(name)) for parts in moved)


def test_repeated_transforms_are_separate_draws():
    symmetries = drawn(TRANSFORMS)
    for part in ("rows", "atoms", "negations", "atoms + negations"):
        assert symmetries[f"{part} 1"] != symmetries[f"{part} 2"]


def test_the_same_generator_state_draws_the_same():
    assert drawn(TRANSFORMS, 7) == drawn(TRANSFORMS, 7)
    assert drawn(TRANSFORMS, 7) != drawn(TRANSFORMS, 8)


def test_schema_transforms_keep_each_block_and_never_negate():
    for seed in range(40):
        for g in drawn(schema_transforms(BLOCKS), seed).values():
            assert not any(g.flips)
            assert [{g.atoms[i] for i in block} for block in BLOCKS] == [set(b) for b in BLOCKS]
            assert g.atoms[7] == 7


def test_schema_transforms_cover_rows_and_label():
    moved = [parts_moved(g) for g in drawn(schema_transforms(BLOCKS)).values()]
    assert moved == [
        {"atoms"},
        {"atoms"},
        {"atoms", "rows"},
        {"atoms", "label"},
        {"atoms", "rows", "label"},
    ]
