"""The structure of a table is judged alike whole and in blocks, and Arrow reads what it takes."""

import csv
import io
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gnri.data import structure as module
from gnri.data.arrow import read_delimited
from gnri.data.sources import open_source
from gnri.data.structure import Structure
from gnri.errors import GnriError

PIECES = ["a", "é", '"', '""', ",", "\n", "\r", "\r\n", " ", "\ufeff", "\0", "sep=;\n", ";"]
texts = st.lists(st.sampled_from(PIECES), max_size=16)
some_bytes = st.lists(
    st.sampled_from([*map(str.encode, PIECES), b"\xff", b"\xc3", b"\xed\xa0\x80"]), max_size=16
)


def judged(data: bytes, size: int) -> tuple[object, object]:
    """The names and the rows, or what is wrong with them."""
    try:
        found = Structure([data[i : i + size] for i in range(0, len(data), size)], "it")
        names = found.header
        return names, _rows(b"".join(found.rows()), found.separator)
    except GnriError as error:
        return None, str(error)


def _rows(data: bytes, separator: str) -> list[list[str]]:
    text = io.StringIO(data.decode(), newline="")
    return list(filter(None, csv.reader(text, delimiter=separator, strict=True)))


@given(some_bytes, st.booleans())
@example([b"a", b"\r", b"\n", b"\xff"], False)
@example([b"\xff"], True)
@example([b'""', b"a", b"\xff"], True)
@settings(max_examples=1_000)
def test_blocks_of_any_size_are_judged_alike(parts: list[bytes], rows: bool) -> None:
    data = b"".join([b"a,b\n1,2\n" if rows else b"", *parts])
    expected = judged(data, len(data) + 1)
    assert [judged(data, size) for size in (4, 5, 7)] == [expected] * 3


@pytest.mark.parametrize("size", [4, 1000, 10**6])
@pytest.mark.parametrize("row", ['"x"y,{},1', '{},"x"y', "{}", "1,2,{}", '{},"open\n', '"{}', "{}"])
def test_the_first_cell_that_is_wrong_counts(
    row: str, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = f"a,b\n1,2\n{row.format('x' * 9)}\n1,2\n".encode()
    before = csv.field_size_limit(8)
    try:
        monkeypatch.setattr(module, "LONGEST", 64)
        assert judged(data, size) == judged(data, 7)
        expected = "expected after" if row.startswith('"x"y') else "field larger"
        assert expected in str(judged(data, size)[1])
    finally:
        csv.field_size_limit(before)


@pytest.mark.parametrize("size", [4, 1000])
def test_a_line_has_a_bound(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LONGEST", 16)
    said = judged(b"a,b\n1,2\n" + b"1," * 9 + b"\n", size)[1]
    assert said == ("line 3 of it has more than 16 bytes; check that its lines end, and its quotes")
    assert "line 1 of it has more than 16" in str(judged(b"a" * 17, size)[1])


@given(texts)
@example(["a", ",", "b", "\r", "a", ",", "\r"])
@example(["a", "\n", '""', "\n", "\n", " ", "\n"])
@settings(max_examples=500)
def test_arrow_reads_what_the_csv_module_reads(
    tmp_path_factory: pytest.TempPathFactory, parts: list[str]
) -> None:
    data = "".join(parts).encode()
    path: Path = tmp_path_factory.getbasetemp() / "table.csv"
    path.write_bytes(data)
    try:
        whole = read_delimited(data, str(path))
        expected: object = {name: column.texts() for name, column in whole.items()}
    except GnriError as error:
        expected = str(error)
    assert _in_parts(path) == expected


def _in_parts(path: Path) -> object:
    try:
        source = open_source(path)
        found: dict[str, list[str]] = {name: [] for name in source.names}
        for batch in source.partitions[0].batches(source.names):
            for name, column in batch.items():
                found[name] += column.texts()
    except GnriError as error:
        return str(error)
    return found
