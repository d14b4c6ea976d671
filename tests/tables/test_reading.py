"""Tables out of files, and into the classifier."""

import datetime
import gzip
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from gnri import RuleClassifier
from gnri.errors import GnriError
from gnri.tables import Frame, Table, read_table

COLUMNS = {
    "whole": [1, 2, 3, 4],
    "gaps": [1, None, 3, 4],
    "real": [0.5, 1.5, None, 2.5],
    "flag": [True, False, True, False],
    "maybe": [True, None, True, False],
    "text": ["a", None, "b", "a"],
    "price": [Decimal("1.50"), None, Decimal("2.25"), Decimal("3.00")],
}


def write(path: Path, columns: dict[str, list[object]]) -> Path:
    parquet.write_table(pa.table(columns), path)
    return path


def test_parquet_keeps_its_types(tmp_path: Path) -> None:
    cells = read_table(write(tmp_path / "t.parquet", COLUMNS)).features(list(COLUMNS)).cells
    kinds = {name: column.dtype.kind for name, column in cells.items()}
    assert kinds == {
        "whole": "i",
        "gaps": "f",
        "real": "f",
        "flag": "b",
        "maybe": "O",
        "text": "O",
        "price": "f",
    }
    for name, column in cells.items():
        found = [None if cell != cell else cell for cell in column.tolist()]
        assert found == COLUMNS[name]


def test_numbers_in_text_stay_text_in_parquet(tmp_path: Path) -> None:
    table = read_table(write(tmp_path / "t.parquet", {"code": ["1", "2"]}))
    assert table.features(["code"]).cells["code"].tolist() == ["1", "2"]


def test_parquet_is_known_by_its_first_bytes(tmp_path: Path) -> None:
    path = write(tmp_path / "no-ending", {"a": [1, 2]})
    assert list(read_table(path).columns) == ["a"]
    path.write_bytes(gzip.compress(path.read_bytes()))
    assert list(read_table(path).columns) == ["a"]


def test_a_name_that_promises_parquet_must_keep_it(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(GnriError, match="not a whole Parquet file"):
        read_table(path)


def test_parquet_without_rows_or_with_a_name_twice(tmp_path: Path) -> None:
    with pytest.raises(GnriError, match="no rows or no columns"):
        read_table(write(tmp_path / "empty.parquet", {"a": []}))
    twice = pa.table([pa.array([1]), pa.array([2])], names=["a", "a"])
    parquet.write_table(twice, tmp_path / "twice.parquet")
    with pytest.raises(GnriError, match="got 'a' more than once"):
        read_table(tmp_path / "twice.parquet")


def test_dates_are_refused_by_name(tmp_path: Path) -> None:
    days = [datetime.date(2020, 1, day) for day in (1, 2, 3, 4)]
    frame = read_table(write(tmp_path / "t.parquet", {"day": days})).features(["day"])
    with pytest.raises(GnriError, match="'day' holds dates or times"):
        RuleClassifier().fit(frame, ["a", "b", "a", "b"])


def test_the_classifier_reads_a_frame_as_it_reads_pandas() -> None:
    import pandas as pd

    rng = np.random.default_rng(0)
    columns = {
        "age": np.where(rng.random(60) < 0.1, np.nan, rng.integers(20, 60, 60)),
        "odor": np.array([rng.choice(["foul", "none", None]) for _ in range(60)], object),
        "ring": rng.random(60) < 0.5,
    }
    labels = np.where((columns["age"] > 40) | columns["ring"], "old", "young")
    ours = RuleClassifier().fit(Frame(columns), labels)
    theirs = RuleClassifier().fit(pd.DataFrame(columns), labels)
    assert ours.to_json() == theirs.to_json()
    assert ours.feature_names_in_.tolist() == list(columns)
    assert ours.predict(Frame(columns)).tolist() == theirs.predict(pd.DataFrame(columns)).tolist()
    assert ours.ruleset_.predict(columns) == ours.predict(Frame(columns)).tolist()


def test_the_classifier_says_which_column_is_wrong() -> None:
    table = Table("t.csv", {"note": [f"note {i}" for i in range(80)]})
    with pytest.raises(GnriError, match="'note' holds 80 different values"):
        RuleClassifier().fit(table.features(["note"]), ["a", "b"] * 40)


def test_columns_are_read_as_asked_or_left_out() -> None:
    from gnri.tables.cells import Kind

    table = Table("t.csv", {"code": ["1", "2"], "flag": ["0", "1"]})
    asked = {"code": Kind.TEXT, "flag": Kind.NUMBER, "other": Kind.TEXT}
    cells = table.read_as(asked).cells
    assert {name: column.tolist() for name, column in cells.items()} == {
        "code": ["1", "2"],
        "flag": [0.0, 1.0],
    }
