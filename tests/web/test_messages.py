"""Messages of the server and its processes come out as they went in, and nothing else does."""

import io
from typing import Any

import numpy as np
import pytest
from msgspec import msgpack

from gnri.data.kinds import ColumnKind
from gnri.data.schema import Above, Equals, IsTrue, OneOf, Schema
from gnri.data.table import Table
from gnri.rules.dnf import SignedDNF
from gnri.web.jobs import learn
from gnri.web.security import Limits
from gnri.web.table_view import read_upload
from gnri.web.worker import HEAD, decode_message, encode_message, receive, send

SCHEMA = Schema(
    (Above("age", 30.5), Equals("odor", "foul"), OneOf("dose", ("a", 2, True)), IsTrue("ill")), ()
)


@pytest.mark.parametrize(
    "message",
    [
        ("ready",),
        ("progress", 0.1 + 0.2, 'half "way"\n\u2028'),
        ("done", {"a": [1, None, True, -0.0, 2**63], 3: {"": ()}}),
        ("describe_upload", (b"\x00\xff", "x.csv", Limits(body=1))),
        ("done", (SCHEMA, SignedDNF([[]]), SignedDNF(), None)),
        ("done", {"a": ColumnKind.FLAG}),
    ],
)
def test_a_message_comes_out_as_it_went_in(message: tuple[Any, ...]) -> None:
    pipe = io.BytesIO()
    send(pipe, message)
    send(pipe, ("next",))
    pipe.seek(0)
    assert receive(pipe) == message
    assert receive(pipe) == ("next",)
    assert receive(pipe) is None


@pytest.mark.parametrize("labels", ["yes no", "1 2", "true false", "a b c"])
def test_a_fit_comes_out_with_its_arrays(labels: str) -> None:
    rows = [f"{i % 7},{'xyz'[i % 3]},{label}" for i, label in enumerate(labels.split() * 9)]
    table = read_upload("\n".join(["a,b,class", *rows]).encode(), "small.csv", Limits())
    sent = learn(
        table, "class", {"a": {"thresholds": [2.5]}}, None, {"form": "dnf"}, lambda *_: None
    )
    found = decode_message(encode_message(sent)[HEAD:])
    assert (found.kinds, found.digest) == (sent.kinds, sent.digest)
    assert type(found.kinds["a"]) is ColumnKind
    for name in ("codes", "answers", "values", "classes"):
        one, other = getattr(found.fitted, name), getattr(sent.fitted, name)
        assert one.dtype == other.dtype and one.shape == other.shape and (one == other).all()
        assert one.flags.aligned
    for name in (
        "settings",
        "columns",
        "rule_list",
        "minimized",
        "leaf_counts",
        "statistics",
        "sizes",
        "missing",
    ):
        assert getattr(found.fitted, name) == getattr(sent.fitted, name)


def test_a_table_comes_out_with_its_cells() -> None:
    table = read_upload(b"a,b\n1,x\n?,y\n1,x\n", "small.csv", Limits())
    found = decode_message(encode_message(table)[HEAD:])
    assert isinstance(found, Table)
    assert [one.texts() for one in found.values()] == [["1", "?", "1"], ["x", "y", "x"]]


@pytest.mark.parametrize(
    "thing", [object(), {1, 2}, np.array([{1}], object), np.int64(3), len, Exception("x"), 1j]
)
def test_nothing_else_is_sent(thing: object) -> None:
    with pytest.raises(TypeError, match="a message cannot hold"):
        encode_message(("done", thing))


@pytest.mark.parametrize(
    ("code", "content"),
    [
        (9, []),
        (1, ["subprocess:Popen", []]),
        (1, ["gnri.web.worker:main", []]),
        (1, ["ndarray", ["O", [1], None, 0]]),
        (1, ["ndarray", ["<i8", [2], None, 0]]),
        (4, "date"),
    ],
)
def test_nothing_else_is_built(code: int, content: object) -> None:
    body = msgpack.encode(msgpack.Ext(code, msgpack.encode(content)))
    with pytest.raises((ValueError, TypeError)):
        decode_message(HEAD.to_bytes(HEAD, "little") + b"8 bytes." + body)
