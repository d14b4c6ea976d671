"""Points are learnt on whole numbers, with every symmetry."""

import numpy as np
import pytest
from hypothesis import given

from gnri.counts.counter import Counter
from gnri.episode import Episode
from gnri.rules.scorecard import Scorecard
from gnri.search.points import PointSettings, learn_scorecards
from gnri.symmetry.group import Symmetry
from tests.strategies import episodes


def points_of(episode: Episode, **options: float) -> Scorecard | None:
    kinds = np.select([episode.labels == 1, episode.labels == -1], [0, 1], -1)
    counter = Counter.from_values(episode.values, kinds, 2)
    chosen = PointSettings(**{"line_price": 0.0, **options})
    return learn_scorecards(counter, episode.atoms, [0], settings=chosen)[0].card


@given(episode=episodes(max_rows=12, max_atoms=6))
def test_small_tables_full_of_ties(episode: Episode) -> None:
    found = points_of(episode)
    for seed in range(2):
        g = Symmetry.random(episode, rng=np.random.default_rng(seed))
        assert points_of(g(episode)) == g(found)


@pytest.mark.parametrize("seed", range(20))
def test_larger_tables(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.choice([-1, 1, 1, 0][: 3 + seed % 2], (60, 9)).astype(np.int8)
    values[:, 7], values[:, 8] = values[:, 0], -values[:, 1]
    labels = np.where(values[:, :4].sum(axis=1) + rng.normal(0, 1, 60) > 0.5, 1, -1)
    episode = Episode(values, labels.astype(np.int8))
    found = points_of(episode)
    assert found is not None
    for _ in range(5):
        g = Symmetry.random(episode, rng=rng)
        assert points_of(g(episode)) == g(found)
