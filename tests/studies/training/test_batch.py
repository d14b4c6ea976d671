import pytest
import torch

from gnri.episode import Episode
from gnri.errors import ShapeError
from studies.training.batch import Batch
from tests.model.cases import collate


def test_an_episode_alone_comes_back_equal() -> None:
    episode = Episode([[1, -1, 0], [0, 1, 1]], [1, -1])
    assert collate([episode]).episode(0) == episode


def test_swapping_twice_changes_nothing() -> None:
    batch = collate([Episode([[1], [-1], [0]], [1, -1, 0])])
    assert batch.swapped().labels.tolist() == [[-1, 1, 0]]
    assert torch.equal(batch.swapped().swapped().labels, batch.labels)
    assert torch.equal(batch.swapped().values, batch.values)


def test_both_rails_are_the_batch_and_its_swap() -> None:
    batch = collate([Episode([[1], [-1]], [1, -1]), Episode([[1]], [1])])
    both = batch.both_rails()
    assert len(both) == 4
    assert torch.equal(both.labels[:2], batch.labels)
    assert torch.equal(both.labels[2:], batch.swapped().labels)
    assert torch.equal(both.values[:2], both.values[2:])


def test_labels_that_do_not_fit_are_an_error() -> None:
    with pytest.raises(ShapeError, match=r"\(1, 2, 3\) and \(1, 3\)"):
        Batch(torch.zeros(1, 2, 3, dtype=torch.int8), torch.zeros(1, 3, dtype=torch.int8))
