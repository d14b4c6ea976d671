"""Columns of numbers that a few cells make text."""

import pytest

from gnri.data.table import text_column


def near_number_note(cells: list[str]) -> str | None:
    return text_column("age", cells).near_number_note()


NUMBERS = [str(number) for number in range(18)]


@pytest.mark.parametrize(
    ("odd", "said"),
    [
        ("4O", "'4O' in row 19 below the header cannot be read as one; correct it"),
        ("51%", "cannot be read as one (a percentage); write the number alone"),
        ("€ 51", "cannot be read as one (an amount of money); write the number alone"),
        ("51,0", "cannot be read as one (a number with a decimal comma); write it with a point"),
        (
            "1.234,56",
            "cannot be read as one (a number with a decimal comma); write it with a point",
        ),
        ("0,164", "cannot be read as one (a number with a decimal comma); write it with a point"),
        ("1,234", "cannot be read as one (a number with commas for thousands); write it without"),
        ("31.12.2020", "cannot be read as one (a date or a time); replace it by a number"),
    ],
)
def test_the_first_odd_cell_is_named(odd: str, said: str) -> None:
    note = near_number_note([*NUMBERS, odd, "", "-", "-", "-"])
    assert note is not None
    assert note.startswith("is read as text, not as numbers: ")
    assert said in note


def test_one_cell_in_ten_may_be_odd() -> None:
    note = near_number_note([*NUMBERS, "a", "b"])
    assert "'a' in row 19 below the header cannot be read as one, nor can 1 other cell" in str(note)


def test_one_text_among_numbers_is_named_however_often_it_stands() -> None:
    note = str(near_number_note([*NUMBERS, *["k.A."] * 9]))
    assert "use --na-values k.A. (in Python na_values=['k.A.'])" in note


def test_decimal_commas_throughout_are_named() -> None:
    assert "'0,5' in row 1 below" in str(near_number_note(["0,5", "1,5", "2"] * 9))


def test_dates_throughout_are_no_numbers() -> None:
    dates = [f"{day}.12.2020" for day in range(10, 30)]
    assert near_number_note([*dates, "", "-"]) is None
    assert near_number_note([*NUMBERS, *dates]) is not None


@pytest.mark.parametrize(
    "cells",
    [NUMBERS, [*NUMBERS, "a", "b", "c"], ["almond", "foul"], [*NUMBERS, "007"], [*NUMBERS, "None"]],
)
def test_other_columns_are_as_they_were_meant(cells: list[str]) -> None:
    assert near_number_note(cells) is None
