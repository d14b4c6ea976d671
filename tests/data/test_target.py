"""The class of each row, whichever way its column is read."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnri.data.arrow import from_arrow
from gnri.data.table import text_column
from gnri.data.target import TargetCut, read_target
from gnri.data.value_counts import count_values
from gnri.errors import GnriError
from tests.columns import encode_target

TEXTS = st.lists(st.sampled_from(["1", "1.0", "2", "true", "False", "a", "-", "007"]), min_size=2)


@given(TEXTS, st.integers(1, 4))
def test_classes_of_parts_are_those_of_the_whole(cells: list[str], pieces: int) -> None:
    try:
        whole, codes = encode_target(text_column("y", cells))
    except GnriError:
        return
    parts = [part.tolist() for part in np.array_split(np.array(cells, object), pieces)]
    columns = [from_arrow("y", pa.array(part, pa.string()), text=True) for part in parts if part]
    total = count_values(columns[-1], bounded=True)
    for column in columns[:-1]:
        total = total + count_values(column, bounded=True)
    found = read_target(total)
    assert found.classes.tolist() == whole.classes.tolist() and found.rows == len(cells)
    assert np.concatenate([found.encode(column) for column in columns]).tolist() == codes.tolist()


@pytest.mark.parametrize(
    "cells", [[3, 1, 3], [True, False, True], ["b", "a", "b"], [2.0, 1.0, 2.0]]
)
def test_typed_labels_are_coded(cells: list[object]) -> None:
    target, codes = encode_target(from_arrow("y", pa.array(cells)))
    assert target.classes[codes].tolist() == cells


def test_a_missing_label_is_counted() -> None:
    column = text_column("y", ["1", "-", "0", ""])
    found = read_target(count_values(column))
    assert (found.rows, found.unlabelled) == (2, 2)
    assert found.encode(column).tolist() == [1, -1, 0, -1]
    with pytest.raises(GnriError, match="has none in row 2 below the header \\('-' is read as mis"):
        encode_target(column)


def test_many_numbers_in_text_are_no_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gnri.data.value_counts.MOST_TEXTS", 4)
    column = text_column("y", [str(i) for i in range(2_000)] * 3)
    with pytest.raises(GnriError, match="at most 1000 classes, got 2000"):
        read_target(count_values(column, bounded=True))


NUMBERS = st.lists(st.integers(-4, 4).map(float), min_size=2, max_size=30)


@given(NUMBERS, st.integers(2, 5))
def test_bins_are_cut_at_the_smallest_number_with_enough_rows(
    cells: list[float], bins: int
) -> None:
    ordered, wanted = sorted(cells), set[float]()
    for i in range(1, bins):
        wanted.add(
            next(
                one
                for k, one in enumerate(ordered, 1)
                if bins * sum(other <= one for other in ordered) >= i * len(ordered)
            )
        )
    wanted -= {ordered[-1]}
    counts, cut = count_values(from_arrow("y", pa.array(cells))), TargetCut("y", bins=bins)
    if not wanted:
        with pytest.raises(GnriError, match="both classes of column 'y' need rows, but none is ab"):
            read_target(counts, cut)
        return
    found = read_target(counts, cut)
    assert found.cuts == tuple(sorted(wanted)) and found.rows == len(cells)
    column = text_column("y", [str(one) for one in cells])
    for way in (column, column.decide(), from_arrow("y", pa.array(cells))):
        codes = found.encode(way)
        assert codes.tolist() == [sum(one > cut for cut in found.cuts) for one in cells]


@pytest.mark.parametrize(
    ("given_as", "said"),
    [
        ({"bins": 1}, "bins must be a whole number from 2 up, got 1"),
        ({"bins": 2, "threshold": 3.0}, "give either bins or threshold"),
        ({"threshold": float("nan")}, "threshold must be a finite number"),
        ({"threshold": 9.0}, r"none is above 9; its numbers go from 1 to 9, so give a threshold"),
        ({"threshold": 0.5}, "none is below 0.5"),
    ],
)
def test_a_cut_that_cannot_be_is_refused(given_as: dict[str, float], said: str) -> None:
    with pytest.raises(GnriError, match=said):
        read_target(count_values(text_column("y", ["1", "9", "4", ""])), TargetCut("y", **given_as))


def test_only_numbers_are_cut() -> None:
    with pytest.raises(GnriError, match="column 'y' holds categories; leave them out"):
        read_target(count_values(text_column("y", ["a", "b"])), TargetCut("y", bins=2))


def test_a_target_of_numbers_is_refused_with_the_ways_out() -> None:
    for cells in ([str(i) for i in range(50)], [f"{i}.5" for i in range(50)]):
        with pytest.raises(GnriError, match=r"--bins 2, or above a number with --threshold 24"):
            read_target(count_values(text_column("y", cells)))


def test_no_label_at_all_is_refused() -> None:
    with pytest.raises(GnriError, match="no row has a label: column 'y' is empty"):
        read_target(count_values(text_column("y", ["", "NA"])))
