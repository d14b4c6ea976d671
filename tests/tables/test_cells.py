"""What the text of a column means."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnri.errors import GnriError
from gnri.tables.cells import MISSING, Kind, classes, kind_of, parsed


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["1", "2", "3.5", "-1e-3", ".5", "+7."], Kind.NUMBER),
        (["0", "2", "NA", "?", "", "nan", "NaN"], Kind.NUMBER),
        (["inf", "-Infinity", "1"], Kind.NUMBER),
        (["0", "0"], Kind.FLAG),
        (["0", "1", ""], Kind.FLAG),
        (["true", "FALSE", "True"], Kind.FLAG),
        (["true", "1"], Kind.TEXT),
        (["yes", "no"], Kind.TEXT),
        (["1", "2", "three"], Kind.TEXT),
        (["007", "12"], Kind.TEXT),
        (["0.5", "00.5"], Kind.NUMBER),
        (["12345678901234567", "2"], Kind.TEXT),
        (["1_000", "2"], Kind.TEXT),
        (["0x1f", "2"], Kind.TEXT),
        (["１２", "2"], Kind.TEXT),
        (["9007199254740992", "2"], Kind.NUMBER),
        (["9007199254740993", "2"], Kind.TEXT),
        (["none", "None"], Kind.TEXT),
        (["7", "na", "-", "."], Kind.NUMBER),
        (["1", "0", "-"], Kind.FLAG),
        (["+", "-"], Kind.TEXT),
        (["-", "na"], Kind.TEXT),
        (["", "NA"], Kind.NUMBER),
    ],
)
def test_kind(cells: list[str], kind: Kind) -> None:
    assert kind_of(cells) == kind


def test_what_pandas_reads_as_missing_is_missing() -> None:
    from pandas._libs.parsers import STR_NA_VALUES

    assert {*STR_NA_VALUES, "?"} == MISSING
    assert kind_of([*MISSING, "53", "54"]) == Kind.NUMBER
    assert np.isnan(parsed([*MISSING, "na", "-", "."], Kind.NUMBER, "x")).all()


@given(st.lists(st.floats(allow_nan=False), min_size=1))
def test_every_number_that_python_writes_is_read_back(numbers: list[float]) -> None:
    cells = [repr(number) for number in numbers]
    whole = any(number.is_integer() and abs(number) >= 1e15 for number in numbers)
    assert kind_of(cells) in (Kind.NUMBER, Kind.TEXT if whole else Kind.NUMBER)
    assert parsed(cells, Kind.NUMBER, "x").tolist() == numbers


@given(st.lists(st.text(max_size=5)))
def test_text_stays_as_it_is_and_missing_is_none(cells: list[str]) -> None:
    expected = [None if cell in MISSING else cell for cell in cells]
    assert parsed(cells, Kind.TEXT, "x").tolist() == expected


def test_flags_are_booleans_and_missing_ones_none() -> None:
    assert parsed(["0", "1"], Kind.FLAG, "x").dtype == np.bool_
    assert parsed(["true", "?"], Kind.FLAG, "x").tolist() == [True, None]


def test_a_missing_number_is_nan() -> None:
    one, none = parsed(["1", "NA"], Kind.NUMBER, "x").tolist()
    assert one == 1
    assert math.isnan(none)


@pytest.mark.parametrize(("cell", "kind"), [("x", Kind.NUMBER), ("2", Kind.FLAG)])
def test_a_cell_of_another_kind_is_named_with_its_row(cell: str, kind: Kind) -> None:
    with pytest.raises(GnriError, match=f"column 'x' must hold .* got '{cell}' in row 3 below"):
        parsed(["1", "0", cell, cell], kind, "x")


@pytest.mark.parametrize(
    ("cells", "labels"),
    [
        (["b", "a"], ["b", "a"]),
        (["1", "0", "2"], [1, 0, 2]),
        (["1.0", "0"], [1, 0]),
        (["true", "False"], [True, False]),
        (["007", "8"], ["007", "8"]),
        (["1", "b"], ["1", "b"]),
    ],
)
def test_classes(cells: list[str], labels: list[object]) -> None:
    found = classes(cells, "y").tolist()
    assert found == labels
    assert list(map(type, found)) == list(map(type, labels))


@pytest.mark.parametrize("missing", ["", "?", "NA", "None"])
def test_a_row_needs_a_class(missing: str) -> None:
    said = rf" \({missing!r} is read as missing\)".replace("?", r"\?") if missing else ""
    with pytest.raises(GnriError, match=f"none in row 2 below the header{said};"):
        classes(["a", missing], "y")


def test_typed_columns_are_checked_as_well() -> None:
    assert classes(np.array([1.0, 2.0]), "y").tolist() == [1, 2]
    with pytest.raises(GnriError, match="none in row 1"):
        classes(np.array([None, "a"], object), "y")
    with pytest.raises(GnriError, match=r"numbers such as 2\.5"):
        classes(np.array([1.0, 2.5]), "y")
    with pytest.raises(GnriError, match="none in row 2"):
        classes(np.array([1.0, np.nan]), "y")


@pytest.mark.parametrize("label", ["1e300", "-1e19", "inf"])
def test_a_number_too_large_to_be_whole_is_no_class(label: str) -> None:
    with pytest.raises(GnriError, match=r"the target must hold classes.*numbers such as"):
        classes(["1", label], "y")


@pytest.mark.parametrize(("rows", "distinct"), [(40, 20), (41, 21), (100, 50), (100, 51)])
def test_a_target_of_mostly_different_values_is_refused(rows: int, distinct: int) -> None:
    cells = [f"v{i % distinct}" for i in range(rows)]
    if distinct > 20 and 2 * distinct > rows:
        with pytest.raises(GnriError, match=f"{distinct} different values in {rows} rows"):
            classes(cells, "y")
    else:
        assert classes(cells, "y").tolist() == cells
