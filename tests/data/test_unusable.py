"""Columns that are left out, and the ones that only look as if they should be."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnri.classifier import RuleClassifier
from gnri.data.discretize import find_unusable, make_settings
from gnri.data.frames import from_frame
from gnri.data.kinds import ColumnKind, ColumnsError
from gnri.data.schema import atom_name
from gnri.data.table import text_column
from gnri.data.value_counts import ValueCounts, count_values
from gnri.estimator.settings import FitSettings

OTHER = count_values(text_column("other", ["a", "b"] * 20)).decide()


def counted(name: str, cells: list[Any]) -> ValueCounts:
    return count_values(text_column(name, list(map(str, cells)))).decide()


def left_out(name: str, cells: list[Any], use: tuple[str, ...] = ()) -> str | None:
    """Why a column is left out beside another one."""
    found = find_unusable([OTHER, counted(name, cells)], make_settings("auto", 2), use)
    assert set(found) <= {name}
    return found[name].said if found else None


SHUFFLED = np.random.default_rng(0).permutation(40)


@pytest.mark.parametrize(
    ("name", "cells", "said"),
    [
        ("", list("ab") * 20, "is the index"),
        ("Unnamed: 0", list("ab") * 20, "is the index"),
        ("__index_level_0__", list(range(7)) * 2, "is the index"),
        ("n", list(SHUFFLED), "numbers the rows, from 0 to 39"),
        ("n", list(SHUFFLED - 5000), "numbers the rows, from -5000 to -4961"),
        ("n", list(SHUFFLED + 1e6), "numbers the rows, from 1000000 to 1000039"),
        ("customer_id", [7, 3, 12], "another whole number in every row"),
        ("row number", list(SHUFFLED * 3), "another whole number in every row"),
        ("joined", ["2020-01-31", "2021-12-01 08:30", ""] * 9, "holds dates or times"),
        ("notes", [f"note {i}" for i in range(90)], "90 different values in 90 rows"),
    ],
)
def test_what_says_nothing_about_other_rows_is_left_out(
    name: str, cells: list[Any], said: str
) -> None:
    assert said in (left_out(name, cells) or "")


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("n", list(range(19))),  # few rows may be a sequence by chance
        ("n", [*range(39), 41]),
        ("n", [*range(39), 38]),
        ("n", [*range(39), ""]),
        ("n", [i + 0.5 for i in range(40)]),
        ("year", list(range(1980, 2020))),
        ("customer_id", [7, 3, 7]),
        ("customer_id", [7.5, 3, 12]),
        ("number", [7, 3, 12]),  # for few rows only `id` and its kin are sure
        ("no_of_rooms", list(SHUFFLED * 3)),
        ("Unnamed: 3", list("ab") * 20),
        ("joined", ["2020-01-31", "unknown"] * 9),
        ("version", ["1.2.20", "1.3.20"] * 9),
    ],
)
def test_what_may_matter_is_used(name: str, cells: list[Any]) -> None:
    assert left_out(name, cells) is None


def test_a_column_that_is_asked_for_is_used() -> None:
    assert left_out("customer_id", [7, 3, 12], use=("customer_id",)) is None
    assert left_out("", list("ab"), use=("",)) == left_out("", list("ab"))


def test_sequences_alone_are_used_and_nothing_else_is_not() -> None:
    settings = make_settings("auto", 2)
    sequence, notes = counted("n", list(range(40))), counted("notes", [f"x{i}" for i in range(60)])
    assert find_unusable([sequence, counted("id", [3, 1, 2])], settings) == {}
    assert find_unusable([sequence, counted("constant", ["x"] * 40)], settings) == {}
    with pytest.raises(ColumnsError, match=r"'n' numbers the rows, .* and 'notes' holds 60"):
        find_unusable([sequence, notes], settings)


@given(st.lists(st.integers(-50, 50), min_size=20, max_size=30), st.integers(1, 4))
def test_numbers_are_judged_alike_in_parts(numbers: list[int], pieces: int) -> None:
    """Against the plain definition, in one piece and in counts that are added up."""
    plain = len(set(numbers)) == len(numbers) == max(numbers) - min(numbers) + 1
    parts = [
        count_values(text_column("n", list(map(str, some))))
        for some in (numbers[i::pieces] for i in range(pieces))
        if some
    ]
    total = sum(parts[1:], start=parts[0]).decide()
    assert (len(find_unusable([OTHER, total], make_settings("auto", 2))) == 1) == plain
    assert (left_out("n", numbers) is not None) == plain


def test_a_long_sequence_is_known_in_buckets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gnri.data.value_counts.MOST_BUCKETS", 16)
    for cells, expected in ((range(5_000), 1), ([*range(4_999), 6_000], 0)):
        column = from_frame(pd.DataFrame({"n": list(cells)}))["n"]
        counts = count_values(column, bounded=True)
        assert counts.numbers.shift > 0
        assert len(find_unusable([OTHER, counts], make_settings("auto", 2))) == expected


ZERO_ONE: dict[str, Any] = {
    "text": text_column("x", ["0", "1", "1", ""]),
    "text with points": text_column("x", ["0.0", "1.0", "1", ""]),
    "Booleans": pd.Series([False, True, True, None], dtype="boolean"),
    "objects": pd.Series([False, True, True, None], dtype=object),
}


@pytest.mark.parametrize("kind", ZERO_ONE)
def test_booleans_are_the_same_however_they_come(kind: str) -> None:
    given_as = ZERO_ONE[kind]
    column = given_as if "text" in kind else from_frame(pd.DataFrame({"x": given_as}))["x"]
    for counts in (count_values(column).decide(), count_values(column.decide())):
        assert counts.kind == ColumnKind.FLAG and counts.missing == 1
        assert counts.values == {False: 1, True: 2}
        (atom,) = FitSettings().learn_atoms([counts]).atoms
        assert atom_name(atom) == "x"


def test_numbers_that_happen_to_be_zero_or_one_stay_numbers() -> None:
    """They may be counts, and a rule must answer where a count is larger."""
    frame = pd.DataFrame({"visits": [0, 1, 1] * 8, "age": [30.0, 40.0, 50.0] * 8})
    found = RuleClassifier().fit(frame[["visits"]], ["no", "yes", "yes"] * 8)
    assert found.predict(pd.DataFrame({"visits": [0, 5]})).tolist() == ["no", "yes"]
