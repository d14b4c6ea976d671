"""What the text of a column means."""

import datetime
import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnri.data.arrow import from_arrow
from gnri.data.kinds import MISSING, ColumnKind, decide_kind
from gnri.data.table import text_column
from gnri.errors import GnriError
from tests.columns import encode_target


def parsed(cells: list[str], kind: ColumnKind) -> list[object]:
    column = text_column("x", cells).cast(kind)
    known = [True] * len(cells) if column.known is None else column.known.tolist()
    values = column.values.tolist()
    if kind == ColumnKind.CATEGORY:
        values = [column.categories[code] for code in values]
    return [value if here else None for value, here in zip(values, known, strict=True)]


def classes(cells: list[str]) -> list[object]:
    target, codes = encode_target(text_column("y", cells))
    return target.classes[codes].tolist()


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["1", "2", "3.5", "-1e-3", ".5", "+7."], ColumnKind.NUMBER),
        (["0", "2", "NA", "?", "", "nan", "NaN"], ColumnKind.NUMBER),
        (["inf", "-Infinity", "1"], ColumnKind.NUMBER),
        (["0", "0"], ColumnKind.FLAG),
        (["0", "1", ""], ColumnKind.FLAG),
        (["true", "FALSE", "True"], ColumnKind.FLAG),
        (["true", "1"], ColumnKind.CATEGORY),
        (["yes", "no"], ColumnKind.CATEGORY),
        (["1", "2", "three"], ColumnKind.CATEGORY),
        (["007", "12"], ColumnKind.CATEGORY),
        (["0.5", "00.5"], ColumnKind.NUMBER),
        (["12345678901234567", "2"], ColumnKind.CATEGORY),
        (["1_000", "2"], ColumnKind.CATEGORY),
        (["0x1f", "2"], ColumnKind.CATEGORY),
        (["１２", "2"], ColumnKind.CATEGORY),
        (["9007199254740992", "2"], ColumnKind.NUMBER),
        (["9007199254740993", "2"], ColumnKind.CATEGORY),
        (["none", "None"], ColumnKind.CATEGORY),
        (["7", "na", "-", "."], ColumnKind.NUMBER),
        (["1", "0", "-"], ColumnKind.FLAG),
        (["+", "-"], ColumnKind.CATEGORY),
        (["-", "na"], ColumnKind.CATEGORY),
        (["", "NA"], ColumnKind.NUMBER),
    ],
)
def test_kind(cells: list[str], kind: ColumnKind) -> None:
    assert decide_kind(cells) == kind


def test_what_pandas_reads_as_missing_is_missing() -> None:
    from pandas._libs.parsers import STR_NA_VALUES

    assert {*STR_NA_VALUES, "?"} == MISSING
    assert decide_kind([*MISSING, "53", "54"]) == ColumnKind.NUMBER
    assert set(parsed([*MISSING, "na", "-", "."], ColumnKind.NUMBER)) == {None}


@given(st.lists(st.floats(allow_nan=False), min_size=1))
def test_every_number_that_python_writes_is_read_back(numbers: list[float]) -> None:
    cells = [repr(number) for number in numbers]
    whole = any(number.is_integer() and abs(number) >= 1e15 for number in numbers)
    if all(number in (0, 1) for number in numbers):
        assert decide_kind(cells) in (ColumnKind.FLAG, ColumnKind.NUMBER)  # not -0.0
        return
    assert decide_kind(cells) in (
        ColumnKind.NUMBER,
        ColumnKind.CATEGORY if whole else ColumnKind.NUMBER,
    )
    assert parsed(cells, ColumnKind.NUMBER) == numbers


@given(st.lists(st.text(max_size=5)))
def test_text_stays_as_it_is_and_missing_is_none(cells: list[str]) -> None:
    expected = [None if cell in MISSING else cell for cell in cells]
    assert parsed(cells, ColumnKind.CATEGORY) == expected


def test_flags_are_booleans_and_missing_ones_none() -> None:
    assert text_column("x", ["0", "1"]).cast(ColumnKind.FLAG).values.dtype == np.bool_
    assert parsed(["true", "?"], ColumnKind.FLAG) == [True, None]


def test_a_missing_number_is_nan() -> None:
    one, none = text_column("x", ["1", "NA"]).cast(ColumnKind.NUMBER).values.tolist()
    assert one == 1
    assert math.isnan(none)


@pytest.mark.parametrize(("cell", "kind"), [("x", ColumnKind.NUMBER), ("2", ColumnKind.FLAG)])
def test_a_cell_of_another_kind_is_named_with_its_row(cell: str, kind: ColumnKind) -> None:
    with pytest.raises(GnriError, match=f"column 'x' must hold .* got '{cell}' in row 3 below"):
        parsed(["1", "0", cell, cell], kind)


@pytest.mark.parametrize(
    ("cells", "labels"),
    [
        (["b", "a"], ["b", "a"]),
        (["+", "-"], ["+", "-"]),
        (["1", "0", "2"], [1, 0, 2]),
        (["1.0", "0"], [1, 0]),
        (["true", "False"], [True, False]),
        (["007", "8"], ["007", "8"]),
        (["1", "b"], ["1", "b"]),
    ],
)
def test_classes(cells: list[str], labels: list[object]) -> None:
    found = classes(cells)
    assert found == labels
    assert list(map(type, found)) == list(map(type, labels))


@pytest.mark.parametrize("missing", ["", "?", "NA", "None"])
def test_a_row_needs_a_class(missing: str) -> None:
    said = rf" \({missing!r} is read as missing\)".replace("?", r"\?") if missing else ""
    with pytest.raises(GnriError, match=f"none in row 2 below the header{said};"):
        classes(["a", missing])


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ([None, "a"], "none in row 1"),
        ([1.0, 2.5], r"numbers such as 2\.5"),
        ([1.0, None], "none in row 2"),
        (["a", "NA"], "none in row 2"),
        ([datetime.date(2020, 1, 1)] * 2, "column 'y' holds dates or times; write them as text"),
    ],
)
def test_typed_columns_are_checked_as_well(cells: list[object], said: str) -> None:
    with pytest.raises(GnriError, match=said):
        encode_target(from_arrow("y", pa.array(cells)))


def test_whole_numbers_of_any_type_are_classes() -> None:
    for cells in ([1.0, 2.0], [1, 2]):
        assert encode_target(from_arrow("y", pa.array(cells)))[0].classes.tolist() == [1, 2]


@pytest.mark.parametrize("label", ["1e300", "-1e19", "inf"])
def test_a_number_too_large_to_be_whole_is_no_class(label: str) -> None:
    with pytest.raises(GnriError, match=r"the target must hold classes.*numbers such as"):
        classes(["1", label])


@pytest.mark.parametrize(("rows", "distinct"), [(40, 20), (41, 21), (100, 50), (100, 51)])
def test_a_target_of_mostly_different_values_is_refused(rows: int, distinct: int) -> None:
    cells = [f"v{i % distinct}" for i in range(rows)]
    if distinct > 20 and 2 * distinct > rows:
        with pytest.raises(GnriError, match=f"{distinct} different values in {rows} rows"):
            classes(cells)
    else:
        assert classes(cells) == cells
