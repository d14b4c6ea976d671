"""Files as nobody should write them, made by code: a name, how it ends, and its bytes."""

import datetime
import gzip
import io
from collections.abc import Callable, Iterable
from decimal import Decimal

import pyarrow as pa
from pyarrow import parquet

ROWS = 25
"""An odd number, so that the classes differ in size and no mirror forbids a rule."""


def table(cells: Iterable[str] = "", name: str = "a", end: str = "\n", mark: str = ",") -> str:
    """A column of these cells, over and over, a good one, and the class y, which is that one's."""
    given = list(cells) or ["1", "2", "3"]
    rows = [(given[i % len(given)], str(i % 2), "np"[i % 2]) for i in range(ROWS)]
    return "".join(mark.join(row) + end for row in [(name, "good", "y"), *rows])


def quoted(text: str) -> str:
    doubled = text.replace('"', '""')
    return f'"{doubled}"'


TEXTS: dict[str, str | bytes] = {
    # Quotes
    "quoted newline": table(['"x\ny"', "z"]),
    "quoted separator": table(['"x,y"', "z"]),
    "quoted quote": table(['"x""y"', "z"]),
    "quote inside a cell": table(['x"y"', "z"]),
    "space before a quote": table([' "x"', "z"]),
    "text after a quote": table(['"x"y', "z"]),
    "space after a quote": table(['"x" ', "z"]),
    "open quote": table() + '"x,0,n\n',
    "open quote early": table(['"x', "z"]),
    "open quote before much": 'a,y\n"x,n\n' + "z,p\n" * 50_000,
    "open quote in the header": 'a,"y\n1,2\n',
    "quoted empty cells": table(['""', "z"]),
    "all quoted": "".join(f'"{i % 3}","{"np"[i % 2]}"\n' for i in range(-1, ROWS)).replace(
        '"2","p"', '"a","y"', 1
    ),
    # Line ends
    "carriage returns": table(end="\r"),
    "carriage returns and newlines": table(end="\r\n"),
    "line ends of all kinds": table().replace("\n", "\r", 3).replace("\n", "\r\n", 3),
    "no end of the last line": table().rstrip("\n"),
    "empty lines": "\n\r\n" + table().replace("\n", "\n\n\r\n"),
    "form feeds and line separators": table(["x\f", "z\u2028z", "\v"]),
    "no line end at all": "a,y",
    # Separators
    "semicolons": table(mark=";"),
    "tabs": table(mark="\t"),
    "bars": table(mark="|"),
    "semicolons with returns and decimal commas": table(["1,5", "2,5"], mark=";", end="\r"),
    "separator said": "sep=;\n" + table(mark=";"),
    "separator said behind a mark": "\ufeffsep=^\r\n" + table(mark="^", end="\r\n"),
    "separator said that is not there": "sep=;\n" + table(),
    "two separators in the header": "a;b,y\n1,n\n2,p\n",
    # Encodings
    "byte order mark": "\ufeff" + table(),
    "two byte order marks": "\ufeff\ufeff" + table(),
    "a mark at the start of a row": table(["\ufeffx", "z"]),
    "Latin-1": table(["café", "z"]).encode("latin-1"),
    "a byte in the header": table(name="caf\xe9").encode("latin-1"),
    "a byte late": table().encode() + b"\xff,0,n\n",
    "a fault before a byte": table().encode() + b"1\n\xff,0,n\n",
    "half a character at the end": table().encode() + "é".encode()[:1],
    "surrogates": table().encode() + b"\xed\xa0\x80,0,n\n",
    "UTF-16 with a mark": table().encode("utf-16"),
    "UTF-16 without a mark": table().encode("utf-16-le"),
    "UTF-16 the other way round": table().encode("utf-16-be"),
    "UTF-32": table().encode("utf-32"),
    "UTF-32 without a mark": table().encode("utf-32-le"),
    "NUL alone": b"\0" * 5_000,
    "NUL in cells": table(["x\0", "\0", "z"]),
    "NUL in the header": table(name="a\0b"),
    "characters of four bytes": table(["\U0001d538", "e\u0301", "é"]),
    # Shapes
    "nothing": "",
    "newlines alone": "\n\r\n\n",
    "a mark alone": "\ufeff",
    "header alone": "a,y\n",
    "one row": "a,y\n1,n\n",
    "one column": "y\nn\np\n",
    "a row too short": table() + "1,0\n",
    "a row too long": table() + "1,0,n,2\n",
    "a separator at the end of each row": table().replace("n\n", "n,\n"),
    "spaces alone in a line": table() + "  \n",
    "a quarter of a million commas": "," * 250_000,
    "3,000 columns": "".join(
        ",".join([*(f"c{i}" if row < 0 else str((row >> i % 3) & 1) for i in range(3_000)), label])
        + "\n"
        for row, label in [(-1, "y"), *((row, "np"[row % 2]) for row in range(ROWS))]
    ),
    "a cell of a megabyte": table(["x" * 1_000_000, "z"]),
    "a name of 70,000": table(name="a" * 70_000),
    "a name too long": table(name="a" * 140_000),
    # Names
    "names with spaces": table(name="  a b ").replace("good", " good "),
    "a name twice": table(name="good"),
    "a name twice but for spaces": table(name=" good"),
    "a name twice in quotes": table(name='"good"'),
    "names that differ in case": table(name="Good"),
    "an empty name": table(name=""),
    "a blank name": table(name="   "),
    "a name with a newline": table(name='"a\nb"'),
    "a name with a separator": table(name='"a,b"'),
    "a name of a number": table(name="1"),
    "a name that clears the screen": table(["x", "z"], name="\x1b[2J\x1b]0;hi\x07"),
    "a name that ends a query": table(["x", "z"], name=quoted("a\"'; DROP TABLE t; --")),
    "a name that is markup": table(["x", "z"], name="[red]<script>alert(1)</script>"),
    "a name that turns the text round": table(["x", "z"], name="a\u202eb"),
    "no target": "a,b\n1,2\n2,1\n",
    # Cells
    "leading zeros": table(["007", "010", "123"]),
    "whole numbers beyond 2^53": table([str(2**53 + i) for i in range(4)]),
    "numbers beyond all floats": table(["1e400", "1", "2"]),
    "infinity": table(["inf", "1", "2"]),
    "minus infinity": table(["-Infinity", "1", "2"]),
    "nan": table(["nan", "1", "2"]),
    "minus zero": table(["-0", "0", "1", "0.0"]),
    "hexadecimal and underscores": table(["0x10", "1_000", "2"]),
    "digits of other scripts": table(["١", "٢"]),
    "dates": table([f"2020-01-{day:02d}" for day in range(1, 13)]),
    "missing codes": table(["NA", "?", "", "null", "1", "2"]),
    "missing codes in text": table(["na", "-", ".", "x"]),
    "dashes among numbers": table(["-", "1", "2"]),
    "dashes alone": table(["-"]),
    "all missing": table(["", "NA"]),
    "flags in all writings": table(["TRUE", "false", "True"]),
    "flags and numbers": table(["true", "1", "0"]),
    "cells with spaces": table([" x", "x ", "x", "z"]),
    "cells with spaces of other kinds": table(["\u00a0x", "x\u3000", "x", "z"]),
    "a label missing": table() + "1,0,\n",
    "a label said to be missing": table() + "1,0,NA\n",
    "labels with spaces": table().replace("n\n", " n \n", 3),
    "labels that are numbers": table().replace("n\n", "1.0\n").replace("p\n", "2\n"),
    "labels that are broken numbers": table().replace("n\n", "1.5\n").replace("p\n", "2\n"),
    "labels that are flags": table().replace("n\n", "True\n").replace("p\n", "false\n"),
    "labels all alike": table().replace("p\n", "n\n"),
    "formulas of a spreadsheet": table(["=1+1", "@x", "+x"]),
    "free text": "a,y\n" + "".join(f"note {i},{'np'[i % 2]}\n" for i in range(90)),
}

BYTES: dict[str, bytes] = {
    **{name: text.encode() if isinstance(text, str) else text for name, text in TEXTS.items()},
    "gzip": gzip.compress(table().encode()),
    "gzip twice over": gzip.compress(gzip.compress(table().encode())),
    "gzip in two members": gzip.compress(b"a,y\n1,n\n") + gzip.compress(b"2,p\n" * 9),
    "gzip cut short": gzip.compress(table().encode())[:-9],
    "gzip with a wrong sum": gzip.compress(table().encode())[:-8] + b"\0" * 8,
    "gzip and more": gzip.compress(table().encode()) + b"more",
    "gzip of an open quote": gzip.compress(table(['"x', "z"]).encode()),
    "the start of gzip": b"\x1f\x8b",
    "a workbook": b"PK\x03\x04" + b"\xff" * 40,
    "an old workbook": b"\xd0\xcf\x11\xe0" + b"\xff" * 40,
    "any bytes": bytes(range(256)),
}


def stored(cells: "list[object] | pa.Array", kind: pa.DataType | None = None) -> bytes:
    """The same table in Parquet, the column in this type."""
    given = cells.to_pylist() if isinstance(cells, pa.Array) else cells
    column = pa.array([given[i % len(given)] for i in range(ROWS)], kind)
    return written(pa.table({"a": column, **_others()}))


def written(content: pa.Table) -> bytes:
    file = io.BytesIO()
    parquet.write_table(content, file)
    return file.getvalue()


def _others() -> dict[str, pa.Array]:
    return {
        "good": pa.array([i % 2 == 1 for i in range(ROWS)]),
        "y": pa.array(["np"[i % 2] for i in range(ROWS)]),
    }


def _renamed(names: list[str]) -> bytes:
    return written(pa.table([pa.array([i % 3 for i in range(ROWS)]), *_others().values()], names))


PARQUET: dict[str, Callable[[], bytes]] = {
    "numbers": lambda: stored([1, 2, 3]),
    "small unsigned numbers": lambda: stored([1, 2, 200], pa.uint8()),
    "numbers with gaps": lambda: stored([1, None, 3]),
    "half floats": lambda: stored([1.5, 2.5], pa.float16()),
    "NaN and infinity": lambda: stored([1.0, float("nan"), float("inf")]),
    "NaN": lambda: stored([1.0, float("nan"), 2.0]),
    "decimals": lambda: stored([Decimal("1.50"), None, Decimal("2.25")]),
    "large decimals": lambda: stored([Decimal(10) ** 30, Decimal(1)], pa.decimal128(38, 2)),
    "whole numbers beyond 2^53": lambda: stored([2**53 + i for i in range(4)]),
    "whole numbers beyond 2^53 with gaps": lambda: stored([2**53 + 1, 2**53 + 2, None]),
    "whole numbers beyond 2^63": lambda: stored([2**63 + i for i in range(4)], pa.uint64()),
    "whole numbers below -2^53": lambda: stored([-(2**53) - i for i in range(4)]),
    "2^53 itself": lambda: stored([2**53, 1, 2]),
    "flags": lambda: stored([True, False, True]),
    "flags with gaps": lambda: stored([True, None, False]),
    "text": lambda: stored(["x", None, "z"]),
    "empty text": lambda: stored(["", " ", "x"]),
    "text of numbers": lambda: stored(["1", "2", "007"]),
    "text that would be missing in CSV": lambda: stored(["NA", "?", "x"]),
    "large_string": lambda: stored(["x", "z"], pa.large_string()),
    "string_view": lambda: stored(["x", None, "z"], pa.string_view()),
    "dictionary": lambda: stored(["x", None, "z"], pa.dictionary(pa.int8(), pa.string())),
    "dictionary of numbers": lambda: stored([1, 5, 9], pa.dictionary(pa.int8(), pa.int64())),
    "binary": lambda: stored([b"x", b"z"]),
    "dates": lambda: stored([datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)]),
    "timestamps": lambda: stored([datetime.datetime(2020, 1, day) for day in (1, 2)]),
    "times": lambda: stored([datetime.time(1), datetime.time(2)]),
    "durations": lambda: stored([datetime.timedelta(1), datetime.timedelta(2)]),
    "lists": lambda: stored([[1], [2, 3]]),
    "structs": lambda: stored([{"b": 1}, {"b": 2}]),
    "nothing but nulls": lambda: stored([None]),
    "a name twice": lambda: _renamed(["a", "a", "y"]),
    "an empty name": lambda: _renamed(["", "good", "y"]),
    "names with spaces": lambda: _renamed([" a", "good", "y"]),
    "a name with a newline": lambda: _renamed(["a\nb", "good", "y"]),
    "no rows": lambda: written(
        pa.table({"a": pa.array([], pa.int64()), "y": pa.array([], pa.string())})
    ),
    "no columns": lambda: written(pa.table({})),
    "cut short": lambda: stored([1, 2])[:-9],
    "cut in the middle": lambda: stored([1, 2])[:99],
    "its first bytes": lambda: b"PAR1",
    "text by that name": lambda: table().encode(),
    "in gzip": lambda: gzip.compress(stored([1, 2])),
    "labels with gaps": lambda: written(
        pa.table({**_others(), "y": pa.array(["n", None, *"p" * (ROWS - 2)])})
    ),
    "labels that are floats": lambda: written(
        pa.table({**_others(), "y": pa.array([float(i % 2) for i in range(ROWS)])})
    ),
    "labels that are dates": lambda: written(
        pa.table(
            {**_others(), "y": pa.array([datetime.date(2020, 1, 1 + i % 2) for i in range(ROWS)])}
        )
    ),
    "labels beyond 2^53": lambda: written(
        pa.table({**_others(), "y": pa.array([2**53 + 1 + i % 2 for i in range(ROWS)])})
    ),
    "labels in string_view": lambda: written(
        pa.table({**_others(), "y": _others()["y"].cast(pa.string_view())})
    ),
}


def nasty_files() -> dict[str, Callable[[], bytes]]:
    """What makes each file, by its name; the ending is behind the last dot."""
    found: dict[str, Callable[[], bytes]] = {
        f"{name}.csv": (lambda data=data: data) for name, data in BYTES.items()
    }
    found["gzip.csv.gz"] = lambda: BYTES["gzip"]
    found["no gzip.csv.gz"] = lambda: BYTES["tabs"]
    found["commas.tsv"] = lambda: BYTES["byte order mark"]
    found["tabs.tsv"] = lambda: BYTES["tabs"]
    found["Parquet by its bytes.csv"] = lambda: stored([1, 2, 3])
    return found | {f"{name}.parquet": make for name, make in PARQUET.items()}
