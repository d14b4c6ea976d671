"""Tables of text, and their checksums."""

import pytest

from studies.datasets import Dataset
from studies.datasets.openml import content_checksum

TABLE = Dataset(
    "t", ("n", "c"), (("1.50", "x"), ("", "y"), ("2", "x")), ("p", "q", "p"),
    ("numeric", "categorical"), "here",
)  # fmt: skip


def renamed() -> Dataset:
    rows = (("1.5", "red"), ("", "blue"), ("2.0", "red"))
    return Dataset("u", ("a", "b"), rows, ("no", "yes", "no"), TABLE.kinds, "there")


def test_the_text_of_a_table() -> None:
    assert TABLE.to_csv() == "n,c,class\n1.50,x,p\n,y,q\n2,x,p\n"


def test_content_is_the_same_under_other_names() -> None:
    assert content_checksum(TABLE) == content_checksum(renamed())


@pytest.mark.parametrize("cell", [(0, "1.51"), (0, ""), (1, "y"), (1, "")])
def test_content_differs_where_a_cell_does(cell: tuple[int, str]) -> None:
    place, text = cell
    row = list(TABLE.rows[0])
    row[place] = text
    other = Dataset(
        "t", TABLE.columns, (tuple(row), *TABLE.rows[1:]), TABLE.labels, TABLE.kinds, ""
    )
    assert content_checksum(other) != content_checksum(TABLE)


def test_content_differs_where_a_label_or_the_order_does() -> None:
    flipped = Dataset("t", TABLE.columns, TABLE.rows, ("p", "q", "q"), TABLE.kinds, "")
    turned = Dataset("t", TABLE.columns, TABLE.rows[::-1], TABLE.labels, TABLE.kinds, "")
    assert len({content_checksum(d) for d in (TABLE, flipped, turned)}) == 3
