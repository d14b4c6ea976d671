"""What is fuzzed: everything that reads bytes from somebody else.

A target takes bytes. It may answer, or refuse with an error of `gnri.errors`; anything else that it
raises is a fault of ours.
"""

import asyncio
import atexit
import gzip
import io
import json
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from gnri.data.arrow import read_delimited, read_parquet
from gnri.data.sources import unpack
from gnri.data.table import Table
from gnri.data.target import read_target
from gnri.data.value_counts import count_values
from gnri.rules.documents import from_json, to_json
from gnri.rules.syntax import parse, render


@dataclass(frozen=True)
class Target:
    """A reader, and inputs that it takes, from which others are made."""

    read: Callable[[bytes], object]
    seeds: tuple[bytes, ...]


PIECE = 1 << 16
"""Bytes of a request that come in at one time."""

NAMES = ["odor=foul", "age > 60", "has bruises", "x0"]


def _rule(data: bytes) -> str:
    return read_rule(data.decode("utf-8", "surrogateescape"))


def read_rule(text: str) -> str:
    """A rule text in names, if it looks like one; what is read is written and read back."""
    names = NAMES if '"' in text or "odor" in text else None
    rule = parse(text, names)
    if parse(render(rule, names), names) != rule or parse(str(rule)) != rule:
        raise AssertionError("a rule differs from its own text read back")
    return type(rule).__name__


def _json(data: bytes) -> None:
    from_json(data.decode("utf-8", "surrogateescape"))


def _csv(data: bytes) -> None:
    blocks = unpack(io.BufferedReader(io.BytesIO(data)), "it", max(len(data), 1 << 16))
    _use(read_delimited(b"".join(blocks), "it"))


def _parquet(data: bytes) -> None:
    _use(read_parquet(data, "it"))


def _use(table: Table) -> None:
    """All columns but the last as what they are, and the last as classes."""
    *names, target = table
    table.select(names).decide()
    read_target(count_values(table[target])).encode(table[target])


SHAPES = {"weights": (2, 3), "bias": (2,)}


@cache
def _folder() -> Path:
    memory = Path("/dev/shm")
    return Path(tempfile.mkdtemp(dir=memory if memory.is_dir() else None))


def _checkpoint(data: bytes) -> None:
    """The first byte says what the rest is: the configuration, the weights, or their header.

    Lengths and hashes are made to fit, so that what lies behind those checks is tried as well.
    """
    from gnri.model import checkpoint

    config: bytes | memoryview
    weights: bytes | memoryview
    config, weights = whole_checkpoint()
    which, rest = data[:1], memoryview(data)[1:]
    if which == b"c":
        config = rest
    else:
        weights = rest
        if which == b"h":
            weights = len(rest).to_bytes(8, "little") + rest + bytes(32)
        found = json.loads(bytes(config))
        config = json.dumps({**found, "sha256": sha256(weights).hexdigest()}).encode()
    (_folder() / checkpoint.CONFIG).write_bytes(config)
    (_folder() / checkpoint.WEIGHTS).write_bytes(weights)
    checkpoint.load(_folder(), expected=lambda *_: SHAPES)


def _settings(data: bytes) -> None:
    """A model's settings, as a checkpoint's JSON has them; what loads must answer."""
    from gnri.episode import Episode
    from gnri.induction import induce
    from gnri.model import checkpoint
    from gnri.model.load import load_model

    (_folder() / checkpoint.CONFIG).write_bytes(data)
    weights = checkpoints_of_models()[b'"guided"' in data][1]
    (_folder() / checkpoint.WEIGHTS).write_bytes(weights)
    induce(Episode([[1, 1], [1, -1], [-1, 1]], [1, -1, -1]), load_model(_folder()))


def _parts(data: bytes) -> None:
    """A file read in parts: all columns counted, and the last one as classes."""
    from gnri.data.sources import open_source

    path = _folder() / "part"
    path.write_bytes(data)
    source = open_source(path)
    for partition in source.partitions:
        for batch in partition.batches(source.names):
            *columns, labels = (count_values(one, bounded=True) for one in batch.values())
            for column in columns:
                column.decide()
            read_target(labels)


@cache
def checkpoints_of_models() -> tuple[tuple[bytes, bytes], ...]:
    """The JSON and the weights of a small `gnri` and a small `guided`, all weights alike."""
    from gnri.model.load import expected_shapes

    gnri = {"width": 4, "slots": 2, "layers": 1, "heads": 1, "pairs": 2, "dropout": 0.0}
    guided = {"width": 4, "layers": 1, "heads": 1, "pair_width": 2, "pooled": 2, "anchors": 2}
    return tuple(
        _saved(settings, condition, expected_shapes(settings, condition))
        for condition, settings in (("gnri", gnri), ("guided", guided))
    )


@cache
def whole_checkpoint() -> tuple[bytes, bytes]:
    """A small checkpoint that can be read: its JSON and its weights."""
    return _saved({"width": 2}, "gnri", SHAPES)


def _saved(
    settings: dict[str, Any], condition: str, shapes: Mapping[str, tuple[int, ...]]
) -> tuple[bytes, bytes]:
    import numpy as np

    from gnri.model import checkpoint
    from studies.training.checkpoints import save_checkpoint

    tensors = {name: np.full(shape, 0.01) for name, shape in shapes.items()}
    with tempfile.TemporaryDirectory() as place:
        folder = save_checkpoint(place, settings, condition, tensors, extra={})
        return (
            (folder / checkpoint.CONFIG).read_bytes(),
            (folder / checkpoint.WEIGHTS).read_bytes(),
        )


def _http(data: bytes) -> str:
    """The first line is the address, the rest the body; the server must answer below 500."""
    line = data[: data.find(b"\n") % (len(data) + 1)]
    status, said = _loop().run_until_complete(_asked(line, memoryview(data)[len(line) + 1 :]))
    if status >= 500:
        raise AssertionError(f"the server answered {status}: {said[:60]}")
    return f"{status} {said[:80]}" if status >= 400 else f"{status} {line[:20]!r}"


@cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    atexit.register(loop.close)
    return loop


@cache
def _app() -> Any:
    from gnri.web.app import make_app
    from gnri.web.security import Limits

    # No process is started: long jobs are refused at once, so they are not what is tried here.
    return make_app(frozenset({"here"}), Limits(workers=1, waiting=0, body=1 << 20))


async def _asked(line: bytes, body: memoryview) -> tuple[int, str]:
    method, _, path = line.partition(b" ")
    path, _, query = path.partition(b"?")
    kind = b"text/csv" if b"tables" in path and body[:1] != b"{" else b"application/json"
    scope = {
        "type": "http",
        "method": method.decode("latin-1") or "GET",
        "path": path.decode("latin-1"),
        "raw_path": path,
        "query_string": query,
        "headers": [(b"host", b"here"), (b"content-type", kind)],
        "http_version": "1.1",
        "scheme": "http",
        "root_path": "",
    }
    starts = iter(range(0, max(1, len(body)), PIECE))
    statuses: list[int] = []
    said = bytearray()

    async def receive() -> dict[str, Any]:
        start = next(starts, None)
        if start is None:
            return {"type": "http.disconnect"}
        end = start + PIECE
        return {
            "type": "http.request",
            "body": bytes(body[start:end]),
            "more_body": end < len(body),
        }

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])
        else:
            said.extend(message.get("body", b""))

    # What starlette hands to its own log is raised here as well, so that it is seen.
    await _app()(scope, receive, send)
    # A full workshop is no fault: it has no process here.
    status = 422 if statuses == [503] else statuses[0]
    return status, bytes(said[:200]).decode(errors="replace")


def rule_list_text() -> str:
    """A rule_list document that can be read."""
    from gnri.data.schema import Above, Equals, IsTrue, OneOf, Schema
    from gnri.rules.dnf import SignedDNF
    from gnri.rules.rule_list import RuleList

    atoms = (Above("age", 30.5), Equals("odor", "foul"), OneOf("dose", ("a", "b")), IsTrue("ill"))
    rule = SignedDNF([[(0, True), (1, False)], [(2, True)], [(3, True)]])
    return to_json(RuleList.binary(Schema(atoms, ((1,),)), ("no", "yes"), rule))


def _parquet_seeds() -> tuple[bytes, ...]:
    import pyarrow
    import pyarrow.parquet

    columns = {
        "age": [1.5, None, 3.0, 4.0],
        "code": [2**53 + 1, 2, None, 4],
        "odor": ["foul", "none", None, "foul"],
        "old": [True, False, True, None],
        "class": ["a", "b", "a", "b"],
    }
    found = []
    for compression in ("none", "snappy"):
        out = io.BytesIO()
        pyarrow.parquet.write_table(pyarrow.table(columns), out, compression=compression)
        found.append(out.getvalue())
    return tuple(found)


RULES = (
    b"x0 & ~x1 | x2",
    b"~(x1 | x12 & x3)",
    b"false",
    b"~(true)",
    b'"age > 60" & ~"has bruises" | odor=foul',
    b"2*x0 + x1 + ~x2 + -3*(x1 & ~x3) >= 3",
    b"x0 & x1 + 0 >= -1",
    b"at least 2 of (x0, ~x1, x2 & x3)",
    b'at least 1 of (odor=foul, "age > 60" & ~x0)',
    b'"age > 60" + 2*~odor=foul + ("has bruises" & x0) >= 2',
)
TABLES = (
    b"odor,height,class\nfoul,12.5,bad\nnone,3,good\n,1e3,bad\nfoul,?,good\n",
    b'\xef\xbb\xbf"a b";"c"\r\n"1;2";true\r\n"""";false\r\n',
    b"a\tb\n007\t1\n12\t0\n",
    gzip.compress(b"a,b\n1,x\n2,y\n", mtime=0),
)


def _bodies() -> tuple[bytes, ...]:
    rule_list = json.loads(rule_list_text())
    rows = [{"age": 40, "odor": "foul", "dose": "a", "ill": True}, {"age": None}]
    asked = {
        "predict": {"rule_list": rule_list, "rows": rows},
        "explain": {"rule_list": rule_list, "csv": "age,odor,dose,ill\n40,foul,a,1\n"},
        "export": {"rule_list": rule_list, "format": "sql"},
        "score": {"table": "none", "rules": [None]},
        "edits": {"table": "none", "rule": 0, "clause": 0, "literal": 0},
        "induce": {"csv": "a,b\n1,0\n", "target": "b", "columns": {"a": {"thresholds": [1.5]}}},
        "audit": {"table": "none", "learner": "rule", "seed": 3},
        "playground": {"table": "none", "change": "rows", "seed": 1},
    }
    posts = [f"POST /api/{name}\n{json.dumps(body)}".encode() for name, body in asked.items()]
    return (
        *posts,
        b"POST /api/tables?name=x.csv\na,b\n1,2\n",
        b"DELETE /api/tables/x\n",
        b"GET /\n",
    )


@cache
def target(name: str) -> Target:
    """A target by name."""
    match name:
        case "rule":
            return Target(_rule, RULES)
        case "json":
            return Target(_json, (rule_list_text().encode(),))
        case "checkpoint":
            config, weights = whole_checkpoint()
            header = weights[8 : 8 + int.from_bytes(weights[:8], "little")]
            return Target(_checkpoint, (b"c" + config, b"w" + weights, b"h" + header))
        case "settings":
            return Target(_settings, tuple(config for config, _ in checkpoints_of_models()))
        case "csv":
            return Target(_csv, TABLES)
        case "parquet":
            return Target(_parquet, _parquet_seeds())
        case "parts":
            return Target(_parts, (*TABLES, *_parquet_seeds()))
        case "http":
            return Target(_http, _bodies())
    raise KeyError(name)


TARGETS = ("rule", "json", "checkpoint", "settings", "csv", "parquet", "parts", "http")
