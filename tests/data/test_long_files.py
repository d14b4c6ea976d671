"""Files longer than a cell may be are checked in pieces, wherever these are cut."""

import csv

import pytest

from gnri.data.arrow import read_delimited

ROWS = 3_000


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\r\n\r\n", "\n\n\n"])
@pytest.mark.parametrize("width", range(3, 12))
def test_every_row_is_read_wherever_the_check_is_cut(end: str, width: int) -> None:
    lines = ["a,b", *(f"{i},{'x' * (i % width + 90)}" for i in range(ROWS))]
    data = end.join(lines).encode()
    assert len(data) > 2 * csv.field_size_limit()
    table = read_delimited(data, "long.csv")
    assert table.rows == ROWS
    assert table["a"].texts() == [str(i) for i in range(ROWS)]
