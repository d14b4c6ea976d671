"""Tables of text, and their checksums."""

import pytest

from gnri.errors import GnriError
from studies.datasets import Dataset

TABLE = Dataset(
    "t", ("n", "c"), (("1.50", "x"), ("", "y"), ("2", "x")), ("p", "q", "p"),
    ("numeric", "categorical"), "here",
)  # fmt: skip


def renamed() -> Dataset:
    rows = (("1.5", "red"), ("", "blue"), ("2.0", "red"))
    return Dataset("u", ("a", "b"), rows, ("no", "yes", "no"), TABLE.kinds, "there")


def test_the_text_of_a_table() -> None:
    assert TABLE.to_csv() == "n,c,class\n1.50,x,p\n,y,q\n2,x,p\n"
    assert (TABLE.missing, TABLE.class_counts) == (1, {"p": 2, "q": 1})


def test_content_is_the_same_under_other_names() -> None:
    assert TABLE.content_checksum == renamed().content_checksum
    assert TABLE.checksum != renamed().checksum


@pytest.mark.parametrize("cell", [(0, "1.51"), (0, ""), (1, "y"), (1, "")])
def test_content_differs_where_a_cell_does(cell: tuple[int, str]) -> None:
    place, text = cell
    row = list(TABLE.rows[0])
    row[place] = text
    other = Dataset(
        "t", TABLE.columns, (tuple(row), *TABLE.rows[1:]), TABLE.labels, TABLE.kinds, ""
    )
    assert other.content_checksum != TABLE.content_checksum


def test_content_differs_where_a_label_or_the_order_does() -> None:
    flipped = Dataset("t", TABLE.columns, TABLE.rows, ("p", "q", "q"), TABLE.kinds, "")
    turned = Dataset("t", TABLE.columns, TABLE.rows[::-1], TABLE.labels, TABLE.kinds, "")
    assert len({d.content_checksum for d in (TABLE, flipped, turned)}) == 3


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"labels": ("p",)}, "1 labels for 3 rows"),
        ({"kinds": ("numeric",)}, "1 kinds for 2 columns"),
        ({"kinds": ("numeric", "ordinal")}, "column 'c' must be .* got 'ordinal'"),
        ({"rows": (("1", "x"), ("2",), ("3", "x"))}, "2 cells in each row, got 1 in row 1"),
    ],
)
def test_a_table_that_cannot_be_is_refused(parts: dict[str, object], message: str) -> None:
    given = {
        "name": "t", "columns": TABLE.columns, "rows": TABLE.rows, "labels": TABLE.labels,
        "kinds": TABLE.kinds, "origin": "here",
    }  # fmt: skip
    with pytest.raises(GnriError, match=message):
        Dataset(**(given | parts))
