"""Files that are missing, broken or unlike each other are named in one line."""

from pathlib import Path

import pandas as pd
import pytest

from gnri.data import arrow as module
from gnri.data.sources import open_source
from gnri.errors import GnriError


def write(folder: Path, name: str, **columns: list) -> Path:
    path = folder / name
    frame = pd.DataFrame(columns)
    frame.to_parquet(path) if path.suffix == ".parquet" else frame.to_csv(path, index=False)
    return path


def rows(given: object) -> list[tuple[str, ...]]:
    source = open_source(given)
    return [
        row
        for partition in source.partitions
        for batch in partition.batches(source.names)
        for row in zip(*(column.texts() for column in batch.values()), strict=True)
    ]


def test_a_path_a_pattern_a_folder_and_a_list_are_the_same(tmp_path: Path) -> None:
    one = write(tmp_path, "a-1.parquet", x=[1, 2], y=["p", "q"])
    two = write(tmp_path, "a-2.parquet", x=[3], y=["r"])
    (tmp_path / "_SUCCESS").touch()
    expected = [("1", "p"), ("2", "q"), ("3", "r")]
    assert rows(str(tmp_path / "a-*.parquet")) == rows(tmp_path) == rows([one, two]) == expected
    assert rows(one) == expected[:2]


def test_large_files_are_cut_between_row_groups(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.parquet"
    pd.DataFrame({"x": range(10)}).to_parquet(path, row_group_size=2)
    monkeypatch.setattr(module, "ROWS_OF_A_PARTITION", 4)
    assert [part.batches.args[1] for part in open_source(path).partitions] == [[0, 1], [2, 3], [4]]
    assert rows(path) == [(str(i),) for i in range(10)]


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_text_is_read_as_it_stands(tmp_path: Path, mark: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f'a{mark}b\n007{mark}"x{mark}y"\n\n1.50{mark}\n')
    assert rows(path) == [("007", f"x{mark}y"), ("1.50", "")]


def test_a_first_line_may_say_the_separator(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("sep=^\na^b,c\n1^x\n")
    assert rows(path) == [("1", "x")]
    assert open_source(path).names == ["a", "b,c"]


def test_a_workbook_is_called_so(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    path.write_bytes(b"PK\x03\x04\x14")
    with pytest.raises(GnriError, match=r"a\.xlsx is not a whole Excel workbook"):
        open_source(path)
    with pytest.raises(GnriError, match=r"a\.csv is an Excel workbook or a zip archive, not text"):
        open_source(path.rename(tmp_path / "a.csv"))


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(GnriError, match=r"^no file is called nowhere-\*\.parquet; "):
        open_source("nowhere-*.parquet")


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    whole = write(tmp_path, "a-1.parquet", x=[1, 2])
    (tmp_path / "a-2.parquet").write_bytes(whole.read_bytes()[:-9])
    with pytest.raises(GnriError, match=r"a-2\.parquet is not a whole Parquet file") as caught:
        open_source(tmp_path)
    assert "\n" not in str(caught.value)


def test_a_file_broken_in_the_middle_is_named_when_it_is_read(tmp_path: Path) -> None:
    path = write(tmp_path, "a.parquet", x=[f"text {i}" for i in range(5000)])
    data = bytearray(path.read_bytes())
    data[20:3000] = b"\xff" * 2980
    path.write_bytes(bytes(data))
    with pytest.raises(GnriError, match=r"a\.parquet is not a whole Parquet file"):
        rows(path)


def test_a_ragged_text_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a,b\n1,2\n3\n")
    with pytest.raises(GnriError, match=r"a\.csv must have 2 cells .* got 1 in line 3"):
        rows(path)


def test_parts_that_differ_are_told(tmp_path: Path) -> None:
    write(tmp_path, "a-1.parquet", x=[1, 2], y=[1, 2])
    write(tmp_path, "a-2.parquet", x=[1, 2], y=["1", "2"])
    with pytest.raises(GnriError, match="all parts must have the same columns, but 'y' is"):
        open_source(tmp_path)
