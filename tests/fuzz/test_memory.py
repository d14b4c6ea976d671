"""What is refused for its form takes at most so many times its size beside itself."""

import json
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from fuzz.targets import read_rule, rule_list_text, target
from gnri.errors import GnriError
from gnri.rules.documents import from_json, load_rules

SIZE = 500_000
LARGE = 1 << 17
A_LITTLE = 1 << 17
CONSTANT = 4_000_000
"""What a small input may take in any case."""

NAMES = 30_000_000
"""What the names of 140,000 columns may take."""

TIMES = {"rule": 60, "json": 60, "file": 60, "http": 32, "csv": 8}
"""Documents of rules are made into lists before they are refused, and a block of a table is decoded
once; all else takes twice its size."""

WIDE = "\U0001d538".encode()
"""A text that has it takes four bytes for each of its characters."""


def times(unit: bytes) -> bytes:
    """So many of them that they are large."""
    return unit * (SIZE // len(unit))


def names(size: int) -> bytes:
    return b",".join(b"c%d" % i for i in range(size))


RULES = [
    times(b"x0 & "),
    times(b"x0|"),
    b"~(" + b"".join(b"x%d|" % i for i in range(45_000)),
    times(b'"odor=foul" & '),
    times(b"~"),
    b'"' + times(b"a"),
]
UNITS = [
    b"[],",
    b"[" * 90 + b"]" * 90 + b",",
    b"[1],",
    b"{},",
    b'"",',
    b"0,",
    b"[",
    b'{"a":',
    b'{"a":1},',
    b"[[0,true]],",
    b"x",
]
TABLES = [
    times(b","),
    b"a,b\n" + times(b","),
    times(b'"",'),
    b"a,b\n" + times(b'"",'),
    b'a,b\n"' + times(b",") + b'"',
    b"a,b\n" + times(b"ab,"),
    times(b"ab,") + b"ab",
    b"a,b\n" + times(b"a"),
    times(b"a"),
    b"a,b\n" + times(b'"') + b'"',
    b"a,b\n" + times(b'"x\n",'),
    b"a,b\n" + times(b"1,2\n") + b"1\n",
    b"a\n" + times(b"1\n") + b"1,2\n",
    b"a,b\r" + times(b"1,2\r") + b"1\r",
    b"a,b\n" + times(b"1,2\n") + b"1," + b"a" * 200_000 + b"\n",
    b"a,b\n" + times(b"a" * 999 + WIDE + b","),
    b'a,b\n1,"' + times(b"x\n"),
    times(b"\n"),
    times(b" ") + b",b\n1\n",
]
DOCUMENTS = [
    *(b'{"%b": [%b' % (key, times(unit)) for key in (b"format", b"clauses") for unit in UNITS),
    b'{"format": "gnri-ruleset", "version": 1, "rules": [' + times(b'{"clauses": []},') + b"0]}",
    b'{"format": "gnri-ruleset", "version": 1, "atoms": [' + times(b'{"kind": "true"},') + b"0]}",
    b'{"format": "gnri-ruleset", "version": 1, "turns": [' + times(b"[1, 2],") + b"]}",
    b'{"format": "gnri-ruleset", "version": 1, "classes": [' + times(b'"a",') + b'"a"]}',
    b'{"format": "gnri-rules", "version": 2, "steps": [{"rule": {"form": "dnf", "clauses": ['
    + times(b"[[0, true]],")
    + b"[[0, 1]]]}}]}",
    b'{"format": "gnri-rules", "version": 3, "steps": [{"rule": {"form": "dnf", "clauses": ['
    + times(b"[[0, true]],")
    + b"[]]}}]}",
    b'{"format": "' + times(b"a") + b'"}',
    b'{"' + times(b"a") + b'": 1}',
    b"{" + times(b'"a": 1,') + b'"a": 1}',
]
BODIES = [
    *(b'{"%b": [%b' % (key, times(unit)) for key in (b"rows", b"table") for unit in UNITS),
    b'{"rows": [' + times(b'{"a": 1},') + b'{"a": []}]}',
    b'{"rows": [' + times(b'{"a": 1},') + b'{"a": 1}]}',  # and no rule_list
    b'{"rule_list": {}, "rows": [' + times(b"[1],") + b"0]}",
    b'{"rules": [' + times(b"null,") + b"0]}",
    b'{"columns": {' + times(b'"a": {},') + b'"b": 0}}',
    b'{"row": "' + times(b"a") + b'"}',
    b"{" + b",".join(b'"a%d": 1' % i for i in range(30_000)) + b"}",
    times(b"a"),
    times(b"a") * 4,  # more than is taken at all
]
OTHERS = [
    ("checkpoint", b"w" + times(b"\xff")),
    ("checkpoint", b"c" + b'{"format": "' + times(b"a")),
    *(("checkpoint", which + b'{"a": [' + times(b"[],")) for which in (b"c", b"h")),
    *(("checkpoint", which + b'{"a": "' + times(b"a") + WIDE) for which in (b"c", b"h")),
    ("parquet", b"PAR1" + times(b"\xff") + b"PAR1"),
    ("parquet", b"PAR1" + times(b"\x00") + b"\xff\xff\xff\x7fPAR1"),
    ("csv", times(b"\xff")),
    ("http", b"POST /api/tables\n" + times(b"\xff")),
]


def _with_csv(data: bytes, *, ascii_only: bool) -> bytes:
    """A request whose rule_list is fine and whose table is not."""
    body = {"rule_list": json.loads(rule_list_text()), "csv": f"a,b\n{data.decode()}"}
    return b"POST /api/predict\n" + json.dumps(body, ensure_ascii=ascii_only).encode()


SHAPES = [
    *(("rule", data + end) for data in RULES for end in (b"", WIDE)),
    *(("csv", data + end) for data in TABLES for end in (b"", WIDE)),
    *(("json", data + end) for data in DOCUMENTS for end in (b"", WIDE)),
    *(("file", data + WIDE) for data in DOCUMENTS),
    *(("http", b"POST /api/predict\n" + data + end) for data in BODIES for end in (b"", WIDE)),
    ("json", DOCUMENTS[-3][:-2] + WIDE + b'"}'),
    ("http", b'POST /api/predict\n{"row": "' + times(b"a") + WIDE + b'"}'),
    ("http", _with_csv(times(b",") + WIDE, ascii_only=True)),
    ("http", _with_csv(times(b"a") + WIDE, ascii_only=False)),
    ("http", _with_csv(times(b'1,2,"') + WIDE, ascii_only=False)),
    *OTHERS,
]


@pytest.mark.parametrize(
    ("name", "data"),
    SHAPES,
    ids=lambda value: value if isinstance(value, str) else repr(value[:50]),
)
def test_what_is_refused_takes_a_bounded_multiple_of_its_size(
    name: str, data: bytes, tmp_path: Path
) -> None:
    given: object = data
    if name in ("rule", "json"):
        given = data.decode()  # a text that is handed in is wide or not in the hands of the caller
    size = sys.getsizeof(given)
    if name == "file":
        given = tmp_path / "rules.json"
        given.write_bytes(data)
    assert _peak(name, given) <= TIMES.get(name, 2) * size + A_LITTLE


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("http", (b'POST /api/predict\n{"rows": [' + times(b"{},"))[:LARGE]),
        ("http", b'POST /api/score\n{"table": "a", "rules": [0, ' + times(b"[],") + b"0]}"),
        *(("checkpoint", which + (b'{"a": [' + times(b"[],"))[:LARGE]) for which in (b"c", b"h")),
    ],
    ids=lambda value: value if isinstance(value, str) else repr(value[:30]),
)
def test_what_is_small_takes_little(name: str, data: bytes) -> None:
    assert _peak(name, data) <= CONSTANT


@pytest.mark.parametrize("end", [b"\n1,2\n", b",c7\n1,2\n"])
def test_the_names_of_a_wide_header_take_a_bounded_size_each(end: bytes) -> None:
    assert _peak("csv", names(140_000) + end) <= NAMES


def _peak(name: str, given: object) -> int:
    """The most memory that is held at one time until the input is refused."""
    read: dict[str, Callable[..., object]] = {
        "rule": read_rule,
        "json": from_json,
        "file": load_rules,
    }
    reader = read.get(name) or target(name).read
    if name not in read:
        large = [_with_csv(times(b"a"), ascii_only=True)] if name == "http" else []
        for seed in (*target(name).seeds[:2], *large):  # what is loaded once does not count
            reader(seed)
    tracemalloc.start()
    try:
        said = reader(given)
        assert name == "http" and str(said)[0] == "4", f"it was taken: {said}"
    except GnriError:
        pass
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return peak
