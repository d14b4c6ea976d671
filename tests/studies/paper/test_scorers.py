"""Scorers of the study: those said to be equivariant are, the twin that sees positions is not."""

from functools import cache, partial

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression

from gnri.episode import Episode
from gnri.model.paper_export import canonical_export
from gnri.symmetry.audit import audit
from gnri.symmetry.group import Symmetry
from studies.paper import scorers
from studies.paper.episodes import synthetic_episodes
from studies.study import Context, load_protocol
from tests.search.slow import cube

TWIN = "deepsets + positions"


@cache
def untrained(positions: bool) -> scorers.DeepSets:
    with torch.random.fork_rng([]):
        torch.manual_seed(1)
        return scorers.DeepSets(positions).double().requires_grad_(False)


@pytest.fixture(autouse=True)
def no_training(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scorers, "train_network", untrained)
    scorers.scores_of.cache_clear()
    scorers._chances.cache_clear()


def episodes() -> list[Episode]:
    batch = synthetic_episodes(8, 4, 1)[0].batch
    return [batch.episode(index) for index in range(len(batch))]


def follows(name: str) -> list[bool]:
    rng, found = np.random.default_rng(0), []
    for episode in episodes():
        g = Symmetry.random(episode, rng=rng)
        here, there = (scorers.scores_of(name, scorers.STEP, e) for e in (episode, g(episode)))
        rules = [canonical_export(*pair).rule for pair in ((here, episode), (there, g(episode)))]
        found.append(there == g(here) and rules[1] == g(rules[0]))
    return found


@pytest.mark.parametrize("name", [name for name in scorers.SCORERS if name != TWIN])
def test_scores_and_rules_move_with_the_table(name: str) -> None:
    assert all(follows(name))


def test_the_twin_is_found_out() -> None:
    assert not all(follows(TWIN))


def test_the_four_best_are_preferred_with_their_ties() -> None:
    found = scorers.prefer_best(np.array([3.0, 2, 2, 1, 0.5, 0.2, -1])) > 0
    assert found.tolist() == [True] * 4 + [False] * 3
    tied = scorers.prefer_best(np.array([1.0, 1, 1, 1, 1, 0.5]))
    assert (tied[:5] == 0).all() and tied[5] < 0
    assert scorers.prefer_best(np.array([2.0, -1.0])).tolist()[1] == -np.inf


def test_a_row_for_each_decode() -> None:
    context = Context(protocol=load_protocol(tiny=True))
    rows = scorers.measure({"scorer": "counts", "table": "synthetic 6"}, context)
    assert [row["decode"] for row in rows] == list(scorers.DECODES)
    canonical = rows[0]
    assert (canonical["worst"], canonical["pairs"], canonical["max_dev"]) == (1.0, 52, 0.0)
    assert 0 <= float(canonical["abstained"]) <= 1 and 0 <= float(canonical["fidelity"]) <= 1


def test_noise_of_a_solver_must_be_rounded_before_it_is_rescaled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Columns of a majority are exchangeable: only the noise of the solver tells them apart."""
    values = cube(6)
    counts = (values > 0).sum(1)
    tables = [Episode(values, np.where(counts > least, 1, -1)) for least in range(1, 5)]

    def exact(grid: float) -> bool:
        def score(table: Episode) -> np.ndarray:
            shown = table.labels != 0
            fitted = LogisticRegression().fit(table.values[shown], table.labels[shown])
            weights = np.round(fitted.coef_[0] * grid) / grid
            return scorers.prefer_best(np.stack([weights, -weights], -1).ravel())

        monkeypatch.setitem(scorers.SCORERS, str(grid), score)
        scores = partial(scorers.scores_of, str(grid), scorers.STEP)
        return audit(lambda table: canonical_export(scores(table), table), tables).exact

    assert exact(scorers.STEP)
    assert not exact(2.0**52)
