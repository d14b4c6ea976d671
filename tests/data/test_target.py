"""The class of each row, whichever way its column is read."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnri.data.arrow import from_arrow
from gnri.data.table import text_column
from gnri.data.target import encode_target, read_target
from gnri.data.value_counts import count_values
from gnri.errors import GnriError

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


def test_a_missing_label_is_counted_where_no_row_is_at_hand() -> None:
    counts = count_values(text_column("y", ["1", "-", "0", ""]))
    with pytest.raises(GnriError, match="column 'y' has none in 2 rows"):
        read_target(counts)


def test_many_numbers_in_text_are_no_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gnri.data.value_counts.MOST_TEXTS", 4)
    column = text_column("y", [str(i) for i in range(2_000)] * 3)
    with pytest.raises(GnriError, match="at most 1000 classes, got 2000"):
        read_target(count_values(column, bounded=True))
