"""Columns of Python objects and raw cells, against a slow reading of one cell at a time."""

from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnri.data.frames import from_frame, object_column, read_cells
from gnri.data.kinds import ColumnKind, is_missing
from gnri.data.table import Column
from gnri.errors import EncodingError, GnriError

NUMBERS = st.sampled_from([0, 1, -0.0, 2.5, True, Decimal("1.5"), np.int64(3), np.float32(0.5)])
FLAGS = st.sampled_from([True, False, np.bool_(True)])
TEXTS = st.sampled_from(["a", "b", "", "NA", "1", np.str_("a")])
MISSING = st.sampled_from([None, float("nan"), pd.NA, pd.NaT, np.float64("nan")])
OTHERS = st.sampled_from([[1], b"x", 1j])
CELLS = st.sampled_from([NUMBERS, FLAGS, TEXTS, NUMBERS | FLAGS, NUMBERS | TEXTS, TEXTS | OTHERS])
COLUMNS = CELLS.flatmap(lambda some: st.lists(some | MISSING, min_size=1, max_size=12))


def cells_of(column: Column) -> list[Any]:
    """Each cell, None where it is missing."""
    known = [True] * len(column) if column.known is None else column.known.tolist()
    values = column.values.tolist()
    if column.kind == ColumnKind.CATEGORY:
        values = [column.categories[code] for code in values]
    return [value if here else None for value, here in zip(values, known, strict=True)]


def slow_kind(cells: list[Any]) -> ColumnKind | None:
    known = [cell for cell in cells if not is_missing(cell)]
    if all(isinstance(cell, bool | np.bool_) for cell in known):
        return ColumnKind.FLAG
    if all(isinstance(cell, Real | Decimal) for cell in known):
        return ColumnKind.NUMBER
    return ColumnKind.CATEGORY if all(isinstance(cell, str) for cell in known) else None


@given(COLUMNS)
def test_objects_are_what_all_of_them_are(cells: list[Any]) -> None:
    column = object_column("x", cells)
    assert column.kind == slow_kind(cells)
    if column.kind is None:
        with pytest.raises(GnriError, match="not one kind throughout"):
            column.cast(ColumnKind.NUMBER)
        return
    assert cells_of(column) == [None if is_missing(cell) else cell for cell in cells]
    assert column.missing == sum(map(is_missing, cells))


def may_be(cell: Any, kind: ColumnKind) -> bool:
    """The slow, obvious judgement of one raw cell."""
    match kind:
        case ColumnKind.NUMBER:
            return isinstance(cell, Real) and not isinstance(cell, bool)
        case ColumnKind.FLAG:
            return isinstance(cell, Real | np.bool_) and cell in (0, 1)
        case ColumnKind.CATEGORY:
            return isinstance(cell, str)


@given(COLUMNS, st.sampled_from(list(ColumnKind)))
def test_raw_cells_are_read_strictly_and_the_first_wrong_one_is_named(
    cells: list[Any], kind: ColumnKind
) -> None:
    wrong = [row for row, cell in enumerate(cells) if not (is_missing(cell) or may_be(cell, kind))]
    if wrong:
        with pytest.raises(EncodingError, match=f"of type .* at row {wrong[0]};"):
            read_cells("x", cells, kind)
    else:
        found = cells_of(read_cells("x", cells, kind))
        assert found == [None if is_missing(cell) else cell for cell in cells]


def test_dates_of_numpy_are_no_numbers() -> None:
    days = np.array(["2020-01-01", "2020-01-02"], "datetime64[ns]")
    with pytest.raises(EncodingError, match="must hold numbers"):
        read_cells("day", days, ColumnKind.NUMBER)


def test_categories_that_are_numbers_stay_categories() -> None:
    table = from_frame(pd.DataFrame({"size": pd.Categorical([3, 1, None, 3])}))
    assert table["size"].kind == ColumnKind.CATEGORY
    assert cells_of(table["size"]) == [3, 1, None, 3]


def test_columns_that_are_not_asked_for_are_not_read() -> None:
    frame = pd.DataFrame({"a": [1, 2], "odd": [[1], [2]]})
    assert list(from_frame(frame, only={"a"})) == ["a"]
    assert from_frame(frame, ["b", "c"], only=set()).rows == 2
