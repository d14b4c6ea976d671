"""Cells of Arrow columns as truths of atoms."""

import numpy as np
import pyarrow as pa
import pytest

from gnri.data.arrow import from_arrow
from gnri.data.encode import truth
from gnri.data.schema import IsTrue

CELLS = [True, False, None, True, True, None, False] * 40


@pytest.mark.parametrize("missing", [True, False])
@pytest.mark.parametrize("encoded", [True, False])
@pytest.mark.parametrize(
    ("first", "end"), [(0, 280), (0, 1), (3, 64), (5, 17), (8, 280), (279, 280)]
)
def test_booleans_from_anywhere_in_a_column(
    first: int, end: int, encoded: bool, missing: bool
) -> None:
    """A slice shares the bits of the whole column, and begins within an octet."""
    cells = CELLS if missing else [bool(cell) for cell in CELLS]
    column = pa.array(cells, pa.bool_())
    if encoded:
        column = column.dictionary_encode()
    positive, known = truth([IsTrue("x")], from_arrow("x", column[first:end]))
    assert positive.dtype == np.bool_
    assert positive[0].tolist() == [cell is True for cell in cells[first:end]]
    there = [cell is not None for cell in cells[first:end]]
    assert all(there) if known is None else known.tolist() == there
