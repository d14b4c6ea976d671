import pytest
import torch
from torch import Tensor

from studies.training import table_columns as columns
from studies.training.table_columns import (
    FACTORS,
    draw_columns,
    draw_known,
    nested,
    normal,
    one_hot,
    with_copies,
)


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def members(blocks: Tensor) -> list[list[int]]:
    """The columns of each block of one table, more than one."""
    found: dict[int, list[int]] = {}
    for place, block in enumerate(blocks.tolist()):
        found.setdefault(block, []).append(place)
    return [places for places in found.values() if len(places) > 1]


@pytest.fixture
def blocks() -> Tensor:
    return columns._blocks(40, 9, seeded(1))


def test_blocks_are_of_neighbours_and_of_many_sizes(blocks: Tensor) -> None:
    assert (blocks[:, 0] == 0).all()
    assert set(blocks.diff(dim=1).unique().tolist()) == {0, 1}
    sizes = {len(block) for table in blocks for block in members(table)}
    assert {2, 3, 4} <= sizes


def test_one_column_of_a_one_hot_block_is_true(blocks: Tensor) -> None:
    scores = normal((40, 30, 9), seeded())
    truth = one_hot(scores, blocks)
    single = torch.ones(40, 9, dtype=torch.bool)
    for table, block in enumerate(blocks):
        for places in members(block):
            single[table, places] = False
            assert (truth[table][:, places].sum(1) == 1).all()
            best = scores[table][:, places].argmax(1)
            assert torch.equal(truth[table][:, places].int().argmax(1), best)
    single = single[:, None].expand_as(truth)
    assert torch.equal(truth[single], scores[single] > 0)


def test_columns_of_a_nested_block_cut_one_score(blocks: Tensor) -> None:
    scores, cuts = normal((40, 30, 9), seeded()), columns._cuts(40, 9, seeded(2))
    truth = nested(scores, blocks, cuts)
    for table, block in enumerate(blocks):
        for places in members(block):
            for lower in places:
                for higher in places:
                    if cuts[table, 0, lower] <= cuts[table, 0, higher]:
                        assert (truth[table, :, higher] <= truth[table, :, lower]).all()
        for place, number in enumerate(block.tolist()):
            head = block.tolist().index(number)
            assert torch.equal(
                truth[table, :, place], scores[table, :, head] > cuts[table, 0, place]
            )


def test_copies_are_of_other_columns_with_few_faults() -> None:
    truth = torch.rand(300, 400, 12, generator=seeded()) < 0.5
    copied = with_copies(truth, seeded(1))
    changed = (copied != truth).any(1)
    assert changed.any(1).double().mean() == pytest.approx(0.2 * 0.83, abs=0.05)
    assert changed[changed.any(1)].double().mean() == pytest.approx(0.15, abs=0.05)
    agreement = []
    for table, place in changed.nonzero().tolist():
        same = copied[table, :, place, None] == truth[table]
        agreement.append(float(same.double().mean(0).max()))
    assert min(agreement) > 0.8
    assert sum(share == 1 for share in agreement) == pytest.approx(len(agreement) / 2, rel=0.3)


def test_cuts_keep_columns_from_being_almost_constant() -> None:
    cuts = columns._cuts(500, 20, seeded())
    share = torch.special.ndtr(cuts.double())
    assert share.min() + 1e-6 >= 0.05
    assert share.max() - 1e-6 <= 0.95
    assert share.mean() == pytest.approx(0.5, abs=0.01)


def test_scores_are_standard_normal_and_often_share_factors() -> None:
    factors = normal((400, 200, FACTORS), seeded())
    scores = columns._scores(factors, 6, seeded(1))
    assert scores.mean() == pytest.approx(0, abs=0.02)
    assert scores.std() == pytest.approx(1, abs=0.02)
    tied = torch.stack([torch.corrcoef(table.T).fill_diagonal_(0).abs().max() for table in scores])
    assert 0.5 < (tied > 0.3).double().mean() < 0.75


def test_every_kind_of_table_is_drawn() -> None:
    truth = draw_columns(300, 1500, 8, generator=seeded()).truth
    left, right = truth[..., :-1], truth[..., 1:]
    implied = ((left <= right).all(1) | (right <= left).all(1)).any(1)
    apart = (~(left & right).any(1)).any(1)
    rates = truth.double().mean(1)
    even = ((rates - 0.5).abs() < 0.05).all(1)
    assert 0.12 < implied.double().mean() < 0.3  # nested, and copies
    assert 0.2 < apart.double().mean() < 0.4  # one-hot
    assert 0.15 < even.double().mean() < 0.3  # fair coins, and cut at the median
    assert truth.double().mean() == pytest.approx(0.47, abs=0.04)


def test_some_columns_of_some_tables_lack_cells() -> None:
    truth = torch.zeros(800, 300, 6, dtype=torch.bool)
    lacking = 1 - draw_known(truth, generator=seeded()).double().mean(1)
    assert (lacking.sum(1) > 0).double().mean() == pytest.approx(0.25, abs=0.05)
    assert lacking.max() < 0.4
    assert lacking[lacking.sum(1) > 0].mean() == pytest.approx(0.3 / 4, abs=0.02)


def test_a_generator_in_the_same_state_draws_the_same() -> None:
    first, again, other = (draw_columns(5, 9, 4, generator=seeded(s)) for s in (3, 3, 4))
    assert torch.equal(first.truth, again.truth)
    assert torch.equal(first.factors, again.factors)
    assert not torch.equal(first.truth, other.truth)


@pytest.mark.parametrize("atoms", [1, 2])
def test_narrow_tables_are_drawn_too(atoms: int) -> None:
    assert draw_columns(20, 5, atoms, generator=seeded()).truth.shape == (20, 5, atoms)
