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
from gnri.web.learnt import Learnt, Settings
from gnri.web.security import Limits
from gnri.web.table_view import read_upload
from gnri.web.worker import HEAD, decode_message, encode_message, receive, send

SCHEMA = Schema(
    (Above("age", 30.5), Equals("odor", "foul"), OneOf("dose", ("a", 2, True)), IsTrue("ill")), ()
)
LEARNT = Learnt(
    settings=Settings(
        "ill", {"age": ColumnKind.NUMBER, "odor": ColumnKind.CATEGORY}, {"age": (0.1, 1 / 3)}
    ),
    schema=SCHEMA,
    classes=("no", "yes"),
    values=np.array([[1, -1, 0, 1]], np.int8),
    codes=np.array([1, 0], np.intp),
    induced=(SignedDNF([[(0, True), (1, False)]], positive=False), None),
    minimized=(None,),
    majority=1,
    turns=((2,), (0, 1)),
    model="guided",
    seconds=0.25,
)


@pytest.mark.parametrize(
    "message",
    [
        ("ready",),
        ("progress", 0.1 + 0.2, 'half "way"\n\u2028'),
        ("done", {"a": [1, None, True, -0.0, 2**63], 3: {"": ()}}),
        ("describe_file", (b"\x00\xff", "x.csv", Limits(body=1))),
        ("done", (SCHEMA, SignedDNF([[]]), SignedDNF(), None)),
        ("done", Settings("t", {"a": ColumnKind.FLAG}, {})),
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


def test_what_was_learnt_comes_out_with_its_arrays() -> None:
    found = decode_message(encode_message(LEARNT)[HEAD:])
    assert isinstance(found, Learnt)
    for name in ("values", "codes"):
        one, other = getattr(found, name), getattr(LEARNT, name)
        assert one.dtype == other.dtype and one.shape == other.shape and (one == other).all()
    for name in ("settings", "schema", "classes", "induced", "minimized", "model", "seconds"):
        assert getattr(found, name) == getattr(LEARNT, name)
    assert type(found.settings.kinds["age"]) is ColumnKind


def test_a_table_comes_out_with_its_cells() -> None:
    table = read_upload(b"a,b\n1,x\n?,y\n1,x\n", "small.csv", Limits())
    found = decode_message(encode_message(table)[HEAD:])
    assert isinstance(found, Table)
    assert [one.texts() for one in found.values()] == [["1", "?", "1"], ["x", "y", "x"]]


@pytest.mark.parametrize(
    "thing", [object(), {1, 2}, np.array(["a"], object), np.int64(3), len, Exception("x"), 1j]
)
def test_nothing_else_is_sent(thing: object) -> None:
    with pytest.raises(TypeError, match="a message cannot hold"):
        encode_message(("done", thing))


@pytest.mark.parametrize(
    ("code", "content"), [(9, []), (5, ["Popen", []]), (2, ["O", [1], b"8 bytes."]), (4, "date")]
)
def test_nothing_else_is_built(code: int, content: object) -> None:
    with pytest.raises((ValueError, KeyError)):
        decode_message(msgpack.encode(msgpack.Ext(code, msgpack.encode(content))))
