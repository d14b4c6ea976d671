"""Text with a separator."""

import csv
import io

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gnri.data import arrow
from gnri.data.arrow import read_delimited
from gnri.data.table import Table, check_names
from gnri.errors import GnriError
from tests.columns import read_labels

# What csv.writer can write and strip() leaves alone; a carriage return alone ends a line.
cell = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=6).map(str.strip)
tables = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.lists(cell, min_size=width, max_size=width), min_size=1, max_size=5)
)


def cells(table: Table) -> dict[str, list[str]]:
    return {name: column.texts() for name, column in table.items()}


@given(tables, st.booleans(), st.sampled_from(["\n", "\r\n"]))
def test_what_was_written_is_read(rows: list[list[str]], mark: bool, ending: str) -> None:
    header = [f"column {i}" for i in range(len(rows[0]))]
    text = io.StringIO()
    csv.writer(text, lineterminator=ending, quoting=csv.QUOTE_ALL).writerows([header, *rows])
    data = text.getvalue().encode("utf-8-sig" if mark else "utf-8")
    found = read_delimited(data, "table.csv", ",")
    assert list(found) == header
    assert [list(row) for row in zip(*cells(found).values(), strict=True)] == rows


@pytest.mark.parametrize(
    "data",
    [
        b"a,b\n1,x\n",
        b"a;b\n1;x\n",
        b"a\tb\n1\tx\n",
        b"a|b\n1|x\n",
        b"sep=;\na;b\n1;x\n",
        b"\xef\xbb\xbfsep=^\r\na^b\r\n1^x\r\n",
        b"a, b\n 1 ,x \n",
        b'"a","b"\n"1","x"\n',
        b"\xef\xbb\xbfa,b\r\n1,x\r\n\r\n",
        b"a,b\n\n1,x",
    ],
)
def test_one_table_in_many_writings(data: bytes) -> None:
    assert cells(read_delimited(data, "table.csv")) == {"a": ["1"], "b": ["x"]}


def test_a_quoted_cell_may_hold_anything() -> None:
    data = b'a,b\n"1,5","say ""hi""\nthere"\n'
    assert cells(read_delimited(data, "table.csv")) == {"a": ["1,5"], "b": ['say "hi"\nthere']}


def test_a_separator_that_is_given_is_not_looked_for() -> None:
    assert cells(read_delimited(b"a,b\tc\n1,2\t3\n", "t.tsv", "\t")) == {
        "a,b": ["1,2"],
        "c": ["3"],
    }


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty"),
        (b"\n\n", "is empty"),
        (b"a,b\n", "has a header and no rows"),
        (b"a,b\n1\n", "must have 2 cells as its header has, got 1 in line 2"),
        (b'a,b\n"1\n2",x\n3\n', "got 1 in line 4"),
        (b'a,b\n"1,x\n', "check its quotes"),
        (b"a,b\n1,\xff\n", "line 2 holds the byte 0xff"),
        (b"\xef\xbb\xbfa,b\n\xff,1\n", "line 2 holds the byte 0xff"),
        (b"a,a\n1,2\n", "got 'a' more than once"),
        (b"a, a\n1,2\n", "got 'a' more than once"),
        (b"a,\n1,2\n", "column 2 has none"),
        (b"sep=;\na;b\n1\n", "got 1 in line 3"),
        (
            b"PK\x03\x04...",
            "is an Excel workbook or a zip archive, not text; save the sheet as CSV",
        ),
    ],
)
def test_a_mistake_is_named(data: bytes, message: str) -> None:
    with pytest.raises(GnriError, match=message):
        read_delimited(data, "table.csv")


@given(st.binary(max_size=60))
def test_any_bytes_are_a_table_or_one_of_our_errors(data: bytes) -> None:
    try:
        found = read_delimited(data, "table.csv")
    except GnriError as error:
        assert len(str(error).splitlines()) == 1
    else:
        assert found.rows >= 1


@pytest.mark.parametrize("block", [1, 2, 3, 5, 7])
def test_where_a_block_ends_does_not_matter(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrow, "BLOCK", block)
    text = "é,b\n" + "\U0001d538,x\n1,ü\n" * 4
    data = text.encode()
    assert cells(read_delimited(data, "it")) == _at_once(data)
    for place in range(len(data)):
        broken = data[:place] + b"\xff" + data[place:]
        line = len(broken[: _first_fault(broken)].split(b"\n"))
        with pytest.raises(GnriError, match=f"line {line} holds the byte 0x"):
            read_delimited(broken, "it")


@given(tables, st.sampled_from(["\n", "\r\n", "\r"]))
def test_two_ways_through_are_as_one(rows: list[list[str]], ending: str) -> None:
    header = [f"column {i}" for i in range(len(rows[0]))]
    text = io.StringIO()
    csv.writer(text, lineterminator=ending).writerows([header, *rows])
    data = text.getvalue().encode()
    if all(map(any, rows)):  # a line of empty cells alone may be no line at all
        found = read_delimited(data, "it", ",")
        wanted = _at_once(data)
        assert list(found) == list(wanted)
        assert list(cells(found).values()) == list(wanted.values())


def test_a_dash_among_numbers_is_an_empty_cell_and_still_written() -> None:
    found = read_delimited(b"n,sign,class\n1,+,2\n-,-,-\n7,+,3\n", "it")
    assert found["n"].decide().texts() == ["1.0", "", "7.0"]
    assert found["sign"].decide().texts() == ["+", "-", "+"]
    assert [column.texts()[1] for column in found.values()] == ["-", "-", "-"]
    with pytest.raises(GnriError, match="column 'class' has none in row 2 below the header"):
        read_labels(found, "class")


@given(st.lists(st.sampled_from(["a", "é", '"', '""', ",", "\n", "\r", "\r\n", " "]), max_size=14))
@example(["a", ",", "b", "\n", '"', "a", '"', "b"])
@example(["a", "\n", '"', "\r\n", "\r\n"])
@example(["a", "\n", "\n", '"', "\r", '"', ",", '"', "\n", '"', "\n"])
@settings(max_examples=1_000)
def test_what_the_csv_module_takes_is_taken_and_nothing_else(parts: list[str]) -> None:
    data = "".join(["a,b\n1,2\n" if len(parts) % 2 else "", *parts]).encode()
    try:
        wanted: object = _by_the_module(data)
    except GnriError as error:
        wanted = str(error)
    try:
        found: object = cells(read_delimited(data, "it", ","))
    except GnriError as error:
        found = str(error)
    assert found == wanted


@pytest.mark.parametrize("cell", ["a", "é", "\U0001d538", '"a', '""""'])
def test_a_cell_may_have_as_many_characters_as_the_csv_module_takes(cell: str) -> None:
    most = csv.field_size_limit()
    quoted = cell.startswith('"')
    once = cell.lstrip('"') or '""'
    for size in (most, most + 1):
        text = f'"{once * size}"' if quoted else once * size
        data = f"a,b\n1,2\n{text},x\n".encode()
        if size > most:
            with pytest.raises(GnriError, match="line 3 of it cannot be read: field larger"):
                read_delimited(data, "it")
        else:
            assert [len(one) for one in read_delimited(data, "it")["a"].texts()] == [1, most]
    with pytest.raises(GnriError, match="line 1 of it cannot be read: field larger"):
        read_delimited(b"a," + b"b" * (most + 1) + b"\n1,2\n", "it")


def test_the_first_name_that_repeats_is_named() -> None:
    names = [f"c{i}" for i in range(2_000)]
    for again in (["c1999", "c7"], ["c3"]):
        data = ",".join([*names, *again]).encode() + b"\n"
        with pytest.raises(GnriError, match=f"got '{again[0]}' more than once"):
            read_delimited(data, "it")


def _by_the_module(data: bytes) -> dict[str, list[str]]:
    """The table as the csv module reads it, or what is wrong with it, in the obvious way."""
    reader = csv.reader(io.StringIO(data.decode(), newline=""), strict=True)
    rows: list[list[str]] = []
    try:
        for cells in filter(None, reader):
            if not rows:
                check_names([cell.strip() for cell in cells], "it")
            elif len(cells) != len(rows[0]):
                raise GnriError(
                    f"every line of it must have {len(rows[0])} cells as its header has, got "
                    f"{len(cells)} in line {reader.line_num}; quote cells that hold the separator"
                )
            rows.append([cell.strip() for cell in cells])
    except csv.Error as error:
        raise GnriError(
            f"line {reader.line_num} of it cannot be read: {error}; check its quotes"
        ) from None
    if len(rows) < 2:
        words = "has a header and no rows; add rows below it"
        raise GnriError(
            f"it {words if rows else 'is empty; it must begin with a line of column names'}"
        )
    return {name: [row[i] for row in rows[1:]] for i, name in enumerate(rows[0])}


def _at_once(data: bytes) -> dict[str, list[str]]:
    """The table read in the obvious way: as one text, into one list of rows."""
    rows = [row for row in csv.reader(io.StringIO(data.decode(), newline="")) if row]
    header, *body = [[cell.strip() for cell in row] for row in rows]
    return {name: [row[i] for row in body] for i, name in enumerate(header)}


def _first_fault(data: bytes) -> int:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return error.start
    raise AssertionError("there is no fault")
