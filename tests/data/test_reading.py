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
from gnri.data.frames import from_frame
from gnri.data.kinds import ColumnKind
from gnri.data.sources import read_table
from gnri.data.table import Table, text_column
from gnri.errors import GnriError

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
    table = read_table(write(tmp_path / "t.parquet", COLUMNS))
    kinds = {name: str(column.kind) for name, column in table.items()}
    flags = dict.fromkeys(("flag", "maybe"), "flag")
    assert kinds == {**dict.fromkeys(COLUMNS, "number"), **flags, "text": "category"}
    for name, cells in COLUMNS.items():
        gaps = "float" if name in ("gaps", "price") else None
        texts = ["" if cell is None else str(float(cell) if gaps else cell) for cell in cells]
        assert table[name].texts() == (list(map(str.lower, texts)) if name in flags else texts)
        assert table[name].missing == cells.count(None)


def test_large_whole_numbers_are_written_as_they_came(tmp_path: Path) -> None:
    table = read_table(write(tmp_path / "t.parquet", {"id": [2**62 + 1, 7]}))
    assert table["id"].texts() == [str(2**62 + 1), "7"]


def test_numbers_in_text_stay_text_in_parquet(tmp_path: Path) -> None:
    table = read_table(write(tmp_path / "t.parquet", {"code": ["1", "2"]}))
    assert table["code"].kind == ColumnKind.CATEGORY and table["code"].texts() == ["1", "2"]


def test_parquet_is_known_by_its_first_bytes(tmp_path: Path) -> None:
    path = write(tmp_path / "no-ending", {"a": [1, 2]})
    assert list(read_table(path)) == ["a"]
    path.write_bytes(gzip.compress(path.read_bytes()))
    assert list(read_table(path)) == ["a"]


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
    frame = read_table(write(tmp_path / "t.parquet", {"day": days}))
    assert frame["day"].texts()[0] == "2020-01-01"
    with pytest.raises(GnriError, match="'day' holds dates or times"):
        RuleClassifier().fit(frame, ["a", "b", "a", "b"])


def test_the_classifier_reads_a_table_as_it_reads_pandas() -> None:
    import pandas as pd

    rng = np.random.default_rng(0)
    columns = {
        "age": np.where(rng.random(60) < 0.1, np.nan, rng.integers(20, 60, 60)),
        "odor": np.array([rng.choice(["foul", "none", None]) for _ in range(60)], object),
        "ring": rng.random(60) < 0.5,
    }
    labels = np.where((columns["age"] > 40) | columns["ring"], "old", "young")
    table = from_frame(pd.DataFrame(columns))
    ours = RuleClassifier().fit(table, labels)
    theirs = RuleClassifier().fit(pd.DataFrame(columns), labels)
    assert ours.to_json() == theirs.to_json()
    assert ours.feature_names_in_.tolist() == list(columns)
    assert ours.predict(table).tolist() == theirs.predict(pd.DataFrame(columns)).tolist()
    assert ours.rule_list_.predict(columns) == ours.predict(table).tolist()


def test_the_classifier_says_which_column_is_wrong() -> None:
    notes = text_column("note", [f"note {i}" for i in range(80)])
    with pytest.raises(GnriError, match="'note' holds 80 different values"):
        RuleClassifier().fit(Table({"note": notes}), ["a", "b"] * 40)


def test_columns_are_read_as_asked_or_left_out() -> None:
    columns = {"code": text_column("code", ["1", "2"]), "flag": text_column("flag", ["0", "1"])}
    kinds = {"code": ColumnKind.CATEGORY, "flag": ColumnKind.NUMBER, "other": ColumnKind.NUMBER}
    found = Table(columns, "t.csv").cast(kinds)
    assert list(found) == ["code", "flag"]
    assert found["code"].categories == ("1", "2") and found["flag"].values.tolist() == [0.0, 1.0]
