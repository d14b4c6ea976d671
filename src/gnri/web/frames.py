"""Messages between the server and its processes: JSON, with the bytes of arrays behind it.

    8 bytes   the length of all that follows
    8 bytes   the length of the JSON
    JSON      {"message": ..., "sizes": [...]}
    bytes     of each array and byte string, one after the other

What JSON has no word for is an object with one key that says what it is. Only the kinds that are
listed here are ever built, and nothing that comes in is run.
"""

import json
from dataclasses import fields
from typing import IO, Any

import numpy as np

from gnri.data.column import Column
from gnri.data.kinds import ColumnKind
from gnri.data.schema import Above, Equals, IsTrue, OneOf, Schema
from gnri.data.table import Table
from gnri.rules.dnf import SignedDNF, sorted_clauses
from gnri.web.security import Limits
from gnri.web.work.learnt import Learnt, Settings

HEAD = 8
_RECORDS = {
    kind.__name__: kind
    for kind in (
        *(Above, Equals, IsTrue, OneOf, Schema),
        *(Limits, Column, Table, Learnt, Settings),
    )
}
_NUMBERS = "biuf"


def packed(message: Any) -> bytes:
    """A message as a frame.

    >>> frame = packed(("done", {"rows": 3}, b"abc"))
    >>> unpacked(frame[HEAD:])
    ('done', {'rows': 3}, b'abc')
    """
    parts: list[bytes] = []
    tree = _plain(message, parts)
    text = json.dumps({"message": tree, "sizes": [len(part) for part in parts]}).encode()
    body = b"".join([len(text).to_bytes(HEAD, "little"), text, *parts])
    return len(body).to_bytes(HEAD, "little") + body


def unpacked(body: bytes) -> Any:
    """The message of a frame, without the length before it."""
    start = HEAD + int.from_bytes(body[:HEAD], "little")
    found = json.loads(body[HEAD:start])
    parts = []
    for size in found["sizes"]:
        parts.append(body[start : start + size])
        start += size
    return _built(found["message"], parts)


def send(out: IO[bytes], message: tuple[Any, ...]) -> None:
    """Write a frame."""
    out.write(packed(message))
    out.flush()


def receive(source: IO[bytes]) -> Any:
    """The next message, or None at the end."""
    head = source.read(HEAD)
    if len(head) < HEAD:
        return None
    return unpacked(source.read(int.from_bytes(head, "little")))


def _plain(thing: Any, parts: list[bytes]) -> Any:
    """The thing in words of JSON; bytes are put with the parts."""
    match thing:
        case ColumnKind():
            return {"kind": str(thing)}
        case None | bool() | int() | float() | str():
            return thing
        case list():
            return [_plain(item, parts) for item in thing]
        case tuple():
            return {"tuple": [_plain(item, parts) for item in thing]}
        case dict():
            return {"dict": [[_plain(k, parts), _plain(v, parts)] for k, v in thing.items()]}
        case SignedDNF():
            return {"rule": [thing.positive, sorted_clauses(thing)]}
        case bytes():
            parts.append(thing)
            return {"bytes": len(parts) - 1}
        case np.ndarray() if thing.dtype.kind in _NUMBERS:
            parts.append(np.ascontiguousarray(thing).tobytes())
            return {"array": [len(parts) - 1, thing.dtype.str, list(thing.shape)]}
        case _ if type(thing) is _RECORDS.get(type(thing).__name__):
            values = [_plain(getattr(thing, one.name), parts) for one in fields(thing)]
            return {"record": [type(thing).__name__, values]}
    raise TypeError(f"a message cannot hold {type(thing).__name__}")


def _built(tree: Any, parts: list[bytes]) -> Any:
    """The thing that a tree of JSON stands for."""
    if isinstance(tree, list):
        return [_built(item, parts) for item in tree]
    if not isinstance(tree, dict):
        return tree
    ((word, found),) = tree.items()
    match word:
        case "kind":
            return ColumnKind(found)
        case "tuple":
            return tuple(_built(item, parts) for item in found)
        case "dict":
            return {_built(key, parts): _built(value, parts) for key, value in found}
        case "rule":
            return SignedDNF(found[1], found[0])
        case "bytes":
            return parts[found]
        case "array":
            place, kind, shape = found
            return np.frombuffer(parts[place], np.dtype(kind)).reshape(shape)
        case "record":
            name, values = found
            return _RECORDS[name](*(_built(value, parts) for value in values))
    raise ValueError(f"no message has the word {word!r}")
