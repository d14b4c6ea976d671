from collections import Counter

import pytest
import torch
from torch import Tensor

from gnri.model.load import GUIDED
from studies.training.guided_tasks import Episodes, Size, draw, draw_size, noise_share
from studies.training.hidden_targets import draw_target, holds
from studies.training.recipe import GuidedPrior, GuidedRecipe, GuidedTrain
from studies.training.supervision import Stream, both_rails, count
from studies.training.table_columns import draw_columns

RECIPE = GuidedRecipe("test", GUIDED)
SMALL = GuidedRecipe(
    "small",
    GUIDED,
    prior=GuidedPrior((3, 6), 8, 0.1, (5, 20), 30, 0.1, reference_rows=32),
    train=GuidedTrain(batch_size=(4, 4), pool=3),
)


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


MANY = Size(30, 20, 6)


def drawn(size: Size = MANY, prior: GuidedPrior = SMALL.prior) -> Episodes:
    return draw(prior, size, generator=seeded(1))


def equal(first: Episodes, second: Episodes) -> bool:
    return all(torch.equal(a, b) for a, b in zip(first, second, strict=True))


def test_sizes_are_log_uniform_with_a_longer_tail() -> None:
    sizes = [draw_size(RECIPE, generator=seeded(seed)) for seed in range(4000)]
    atoms, rows = (torch.tensor([size[axis] for size in sizes]) for axis in (2, 1))
    assert (atoms.min(), atoms.max() > 300) == (5, True)
    assert (rows.min(), rows.max() > 4500) == (8, True)
    assert (atoms > 128).double().mean() == pytest.approx(0.1 * 0.22, abs=0.01)
    assert (rows > 1000).double().mean() == pytest.approx(0.13 * 0.25, abs=0.01)
    assert atoms.double().median() == pytest.approx((5 * 128) ** 0.5, rel=0.1)
    assert rows.double().median() == pytest.approx((8 * 1000) ** 0.5, rel=0.1)


def test_a_batch_is_as_large_as_memory_allows() -> None:
    for seed in range(300):
        episodes, rows, atoms = draw_size(RECIPE, generator=seeded(seed))
        pairs, cells = 2 * atoms * min(64, 2 * atoms), 2 * atoms * max(rows, 256)

        def fits(size: int, pairs: int = pairs, cells: int = cells) -> bool:
            return size <= 512 and size * pairs <= 12_000_000 and size * cells <= 150_000_000

        assert 8 <= episodes <= 512
        assert fits(episodes) or episodes == 8
        assert not fits(episodes + 1)


def test_a_step_is_a_function_of_seed_and_step_alone() -> None:
    stream = Stream(SMALL, 7, "cpu")
    batches = [stream.batch(step) for step in range(8)]
    torch.rand(5)  # the global generator plays no part
    for step in (7, 0, 4, 5):
        assert equal(Stream(SMALL, 7, "cpu").batch(step), batches[step])
    assert not equal(Stream(SMALL, 8, "cpu").batch(0), batches[0])


def test_steps_of_a_pool_have_one_size_and_different_episodes() -> None:
    stream = Stream(SMALL, 7, "cpu")
    batches = [stream.batch(step) for step in range(12)]
    shapes = [batch.cells.shape for batch in batches]
    assert [len(set(shapes[i : i + 3])) for i in (0, 3, 6, 9)] == [1, 1, 1, 1]
    assert len(set(shapes)) > 2
    assert len({batch.cells.numpy().tobytes() for batch in batches}) == 12


def test_a_literal_is_true_its_negation_is_or_the_cell_is_missing() -> None:
    positive, negative = drawn(Size(400, 20, 6)).cells.unflatten(2, (6, 2)).unbind(-1)
    assert not (positive & negative).any()
    missing = ~(positive | negative)
    assert 0.15 < missing.any(1).any(1).double().mean() < 0.3


def test_labels_are_flipped_in_some_tables_at_rates_up_to_the_given_one() -> None:
    size, clean = Size(500, 300, 5), GuidedPrior(label_noise=0.0)
    flipped = drawn(size, GuidedPrior()).labels ^ drawn(size, clean).labels
    rates = flipped.double().mean(1)
    assert (rates > 0).double().mean() == pytest.approx(0.4, abs=0.06)
    assert rates.max() < 0.4
    assert rates[rates > 0].mean() == pytest.approx(0.15, abs=0.03)


def test_the_noise_is_the_share_of_rows_that_the_rule_gets_wrong() -> None:
    columns = draw_columns(60, 40, 5, generator=seeded())
    target = draw_target(columns, generator=seeded(1))
    labels = target.labels ^ (torch.rand(60, 40, generator=seeded(2)) < 0.1)
    found = noise_share(target, columns.truth, labels)
    for table in range(60):
        for rail in (0, 1):
            said = target.labels[table] ^ bool(rail)
            if target.explicit[table, rail]:
                said = holds(target.clauses[:, rail], columns.truth)[table].any(0)
            wrong = sum(said[row] != labels[table, row] ^ bool(rail) for row in range(40))
            assert float(found[table, rail]) == pytest.approx(wrong / 40)


def test_rails_are_the_episodes_twice_with_swapped_labels() -> None:
    episodes = drawn()
    rails = both_rails(episodes)
    for rail in (0, 1):
        half = slice(30 * rail, 30 * rail + 30)
        assert torch.equal(rails.cells[half].bool(), episodes.cells)
        assert torch.equal(rails.target[half].bool(), episodes.labels ^ bool(rail))
        assert torch.equal(rails.clauses[half], episodes.clauses[:, rail])
        assert torch.equal(rails.explicit[half], episodes.explicit[:, rail])
        assert torch.equal(rails.used[half], episodes.used[:, rail])
        assert torch.equal(rails.noise[half], episodes.noise[:, rail])


def slow_counts(cells: Tensor, wanted: Tensor, literals: tuple[int, ...]) -> list[int]:
    """Rows of the target, and others, on which all the literals are true."""
    true = [all(row[literal] for literal in literals) for row in cells]
    seen = Counter(bool(want) for want, holds in zip(wanted, true, strict=True) if holds)
    return [seen[True], seen[False]]


def test_counts_are_those_of_a_loop_over_rows() -> None:
    episodes = drawn(Size(4, 13, 5))
    counts = count(episodes, 6)
    assert counts.pairs.shape == (8, 10, 6, 2)
    for rail in range(8):
        cells, wanted = episodes.cells[rail % 4], episodes.labels[rail % 4] ^ (rail >= 4)
        assert counts.sizes[rail].tolist() == slow_counts(cells, wanted, ())
        for literal in range(10):
            assert counts.literals[rail, literal].tolist() == slow_counts(cells, wanted, (literal,))
            for place, anchor in enumerate(counts.anchors[rail].tolist()):
                found = counts.pairs[rail, literal, place].tolist()
                assert found == slow_counts(cells, wanted, (literal, anchor))


def test_anchors_tell_most_by_themselves_and_are_shared_by_the_rails() -> None:
    counts = count(drawn(), 4)
    (target, rest), (all_target, all_rest) = counts.literals.unbind(-1), counts.sizes.unbind(-1)
    telling = (target * all_rest[:, None] - rest * all_target[:, None]).abs()
    for rail in range(60):
        best = telling[rail].sort(descending=True).values[:4]
        assert torch.equal(telling[rail, counts.anchors[rail]], best)
    assert torch.equal(counts.anchors[:30], counts.anchors[30:])
    assert count(drawn(Size(3, 9, 2)), 64).anchors.shape == (6, 4)
