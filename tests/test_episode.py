"""An episode is what it says or it does not come to be."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from gnri.episode import Episode
from gnri.errors import EncodingError, GnriError, ShapeError

VALUES = [[1, -1, 0], [-1, 1, 1]]
LABELS = [1, -1]


def test_holds_the_table_as_read_only_int8() -> None:
    episode = Episode(VALUES, LABELS)
    assert (episode.rows, episode.atoms) == (2, 3)
    for array in (episode.values, episode.labels):
        assert array.dtype == np.int8
        assert not array.flags.writeable
    assert episode.values.tolist() == VALUES
    assert episode.labels.tolist() == LABELS


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.float32, np.float64])
def test_takes_any_number_type(dtype: type) -> None:
    assert Episode(np.array(VALUES, dtype), np.array(LABELS, dtype)) == Episode(VALUES, LABELS)


@pytest.mark.parametrize(
    ("values", "labels", "error", "message"),
    [
        ([1, -1], [1, -1], ShapeError, "values must have 2 axes, rows and atoms, got 1"),
        ([[[1]]], [1], ShapeError, "values must have 2 axes, rows and atoms, got 3"),
        (np.zeros((0, 3)), [], ShapeError, r"at least one row and one atom, got shape \(0, 3\)"),
        (
            np.zeros((2, 0)),
            LABELS,
            ShapeError,
            r"at least one row and one atom, got shape \(2, 0\)",
        ),
        ([[1, -1], [1]], LABELS, ShapeError, "values must be a rectangular array"),
        (VALUES, [1], ShapeError, r"one entry for each of the 2 rows, got shape \(1,\)"),
        (VALUES, [1, -1, 1], ShapeError, r"one entry for each of the 2 rows, got shape \(3,\)"),
        (VALUES, [[1], [-1]], ShapeError, r"one entry for each of the 2 rows, got shape \(2, 1\)"),
        (VALUES, 1, ShapeError, r"one entry for each of the 2 rows, got shape \(\)"),
        ([[1, -1], [1, 2]], LABELS, EncodingError, "values .* got 2 at row 1, atom 1; encode"),
        ([[1, 0.5]], [1], EncodingError, "values .* got 0.5 at row 0, atom 1; encode"),
        ([[1, np.nan]], [1], EncodingError, "values .* got nan at row 0, atom 1; encode"),
        ([[1, np.inf]], [1], EncodingError, "values .* got inf at row 0, atom 1; encode"),
        (VALUES, [1, 3], EncodingError, "labels .* got 3 at row 1; encode"),
        (VALUES, [1, np.nan], EncodingError, "labels .* got nan at row 1; encode"),
        ([["yes", "no"]], [1], EncodingError, "values must be numbers .* got <U3; encode"),
        (VALUES, ["a", "b"], EncodingError, "labels must be numbers .* got <U1; encode"),
        ([[True, False]], [1], EncodingError, "values must be numbers .* got bool; encode"),
        ([[1, None]], [1], EncodingError, "values must be numbers .* got object; encode"),
    ],
)
def test_refuses(values: object, labels: object, error: type[GnriError], message: str) -> None:
    with pytest.raises(error, match=message):
        Episode(values, labels)  # type: ignore[arg-type]


def test_cannot_be_changed() -> None:
    episode = Episode(VALUES, LABELS)
    with pytest.raises(ValueError, match="read-only"):
        episode.values[0, 0] = 0
    with pytest.raises(ValueError, match="read-only"):
        episode.labels[0] = 0
    with pytest.raises(FrozenInstanceError):
        episode.values = np.zeros((1, 1), np.int8)  # type: ignore[misc]


def test_keeps_a_copy() -> None:
    values, labels = np.array(VALUES, np.int8), np.array(LABELS, np.int8)
    episode = Episode(values, labels)
    values[:], labels[:] = 0, 0
    assert episode == Episode(VALUES, LABELS)


def test_equality_and_hash_are_by_content() -> None:
    episode = Episode(VALUES, LABELS)
    assert episode == Episode(np.array(VALUES), np.array(LABELS))
    assert hash(episode) == hash(Episode(np.array(VALUES), np.array(LABELS)))
    others = [
        Episode(VALUES, [-1, -1]),
        Episode([[1, -1, 1], [-1, 1, 1]], LABELS),
        Episode([[1, -1], [0, -1]], LABELS),
        Episode(VALUES[::-1], LABELS),
    ]
    assert len({episode, *others}) == 5
    assert episode != VALUES


def test_repr_counts_the_classes() -> None:
    assert repr(Episode([[1], [1], [1], [1]], [1, 0, -1, 1])) == (
        "Episode(rows=4, atoms=1, positive=2, negative=1)"
    )
