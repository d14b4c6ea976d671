"""Scores are probabilities of the right shape, kept on a grid."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest
import torch

from gnri import Episode, Scores, canonical_export
from gnri.errors import EncodingError, GnriError, ShapeError
from gnri.scores import GRID

RNG = np.random.default_rng(5)
LITERALS = RNG.random((2, 3, 4, 2))
GATES = RNG.random((2, 3))


def test_sizes() -> None:
    scores = Scores(LITERALS, GATES)
    assert (scores.slots, scores.atoms) == (3, 4)


def test_is_read_only() -> None:
    scores = Scores(LITERALS, GATES)
    for array in (scores.literals, scores.gates):
        assert array.dtype == np.float64
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
    with pytest.raises(FrozenInstanceError):
        scores.gates = GATES  # type: ignore[misc]


@pytest.mark.parametrize("special", [0.0, 0.5, 1.0])
def test_the_decision_values_lie_on_the_grid(special: float) -> None:
    scores = Scores(np.full((2, 1, 1, 2), special), np.full((2, 1), special))
    assert np.all(scores.literals == special)
    assert np.all(scores.gates == special)


def test_snapping_moves_a_score_by_half_a_step_at_most() -> None:
    scores = Scores(LITERALS, GATES)
    assert np.abs(scores.literals - LITERALS).max() <= 0.5 / GRID
    assert Scores(scores.literals, scores.gates) == scores


def test_noise_far_below_the_grid_does_not_split_a_tie() -> None:
    on_grid = Scores(LITERALS, GATES)
    noise = RNG.uniform(-1e-14, 1e-14, LITERALS.shape)
    assert Scores(np.clip(on_grid.literals + noise, 0, 1), on_grid.gates) == on_grid


@pytest.mark.parametrize(
    ("literals", "gates", "error", "message"),
    [
        (np.zeros((3, 1, 1, 2)), np.zeros((3, 1)), ShapeError, r"\(2, slots, atoms, 2\), got \(3,"),
        (
            np.zeros((2, 1, 4)),
            np.zeros((2, 1)),
            ShapeError,
            r"\(2, slots, atoms, 2\), got \(2, 1, 4",
        ),
        (np.zeros((2, 1, 4, 3)), np.zeros((2, 1)), ShapeError, r"\(2, slots, atoms, 2\), got"),
        (np.zeros((2, 1, 0, 2)), np.zeros((2, 1)), ShapeError, r"\(2, slots, atoms, 2\), got"),
        (LITERALS, np.zeros((2, 4)), ShapeError, r"gates must be \(2, 3\) to fit, got \(2, 4\)"),
        (LITERALS + 1, GATES, EncodingError, r"literal scores must lie in \[0, 1\], got 1"),
        (LITERALS, -1 - GATES, EncodingError, r"gates must lie in \[0, 1\], got -1"),
        (np.log(LITERALS), GATES, EncodingError, "put logits through a sigmoid"),
        (LITERALS.astype(str), GATES, EncodingError, "rectangular array of numbers"),
        (LITERALS + 0j, GATES, EncodingError, "rectangular array of numbers"),
        (None, GATES, EncodingError, "rectangular array of numbers"),
        (LITERALS, [[1], [1, 0]], EncodingError, "gates must be a rectangular array of numbers"),
        (LITERALS, 1.0, ShapeError, r"gates must be \(2, 3\) to fit, got \(\)"),
        (LITERALS * np.nan, GATES, EncodingError, r"literal scores must lie in \[0, 1\], got nan"),
    ],
)
def test_refuses(
    literals: np.ndarray, gates: np.ndarray, error: type[GnriError], message: str
) -> None:
    with pytest.raises(error, match=message) as caught:
        Scores(literals, gates)
    assert "\n" not in str(caught.value)


EPISODE = Episode([[1, -1, 1, 0], [-1, 1, 1, 1]], [1, -1])


@pytest.mark.parametrize("kind", [np.float32, np.float64, bool, int, list, torch.tensor])
def test_any_two_arrays_of_numbers_can_be_exported(kind) -> None:
    """Probabilities of zero and one are whole in every kind of number."""
    literals, gates = np.zeros((2, 1, 4, 2)), np.ones((2, 1))
    literals[0, 0, 0, 0] = 1
    convert = np.ndarray.tolist if kind is list else kind if kind is torch.tensor else None
    arrays = [x.astype(kind) if convert is None else convert(x) for x in (literals, gates)]
    assert str(canonical_export(Scores(*arrays), EPISODE).rule) == "x0"


@pytest.mark.parametrize(
    ("scores", "episode", "message"),
    [
        ((LITERALS, GATES), EPISODE, "takes Scores and an Episode, got tuple"),
        (Scores(LITERALS, GATES), EPISODE.values, "takes Scores and an Episode, got ndarray"),
        (Scores(LITERALS[:, :, :2], GATES), EPISODE, "scores of 2 atoms for an episode of 4"),
    ],
)
def test_the_export_says_what_it_cannot_take(scores, episode, message: str) -> None:
    with pytest.raises(GnriError, match=message):
        canonical_export(scores, episode)


def test_equality_and_hash_are_by_content() -> None:
    scores = Scores(LITERALS, GATES)
    assert scores == Scores(LITERALS.tolist(), GATES.tolist())
    assert hash(scores) == hash(Scores(LITERALS.tolist(), GATES.tolist()))
    others = [Scores(LITERALS[::-1], GATES), Scores(LITERALS, GATES[::-1])]
    assert len({scores, *others}) == 3
    assert scores != LITERALS.tolist()
