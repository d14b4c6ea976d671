import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from gnri.episode import Episode
from gnri.errors import ShapeError
from gnri.model.nri.gram_statistics import Batch, collate


@st.composite
def episodes(draw: st.DrawFn) -> Episode:
    rows, atoms = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    return Episode(rng.integers(-1, 2, (rows, atoms)), rng.integers(-1, 2, rows))


@given(st.lists(episodes(), min_size=1, max_size=4))
def test_collate_keeps_each_episode_and_pads_with_zero(given_episodes: list[Episode]) -> None:
    batch = collate(given_episodes)
    for index, episode in enumerate(given_episodes):
        padded = batch.episode(index)
        assert np.array_equal(padded.values[: episode.rows, : episode.atoms], episode.values)
        assert np.array_equal(padded.labels[: episode.rows], episode.labels)
        assert np.count_nonzero(padded.values) == np.count_nonzero(episode.values)
        assert np.count_nonzero(padded.labels) == np.count_nonzero(episode.labels)


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


def test_a_collated_batch_owns_its_memory() -> None:
    episode = Episode([[1, -1]], [1])
    collate([episode]).values.zero_()
    assert episode.values.tolist() == [[1, -1]]


def test_no_episode_is_an_error() -> None:
    with pytest.raises(ShapeError, match="at least one"):
        collate([])


def test_labels_that_do_not_fit_are_an_error() -> None:
    with pytest.raises(ShapeError, match=r"\(1, 2, 3\) and \(1, 3\)"):
        Batch(torch.zeros(1, 2, 3, dtype=torch.int8), torch.zeros(1, 3, dtype=torch.int8))
