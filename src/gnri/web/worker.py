"""A process that does one long job after another, for the server that started it.

Messages come in on standard input and go out on what was standard output: `("progress", share,
note)` while a job runs, then `("done", result)`, `("refused", message)` for bad input, or
`("failed", message)`. The server stops a job by killing the process.

A message is its length in 8 bytes and then msgpack, in which tuples, arrays and our records are
extension types. Only what is listed here is ever built, and nothing that comes in is run.
"""

import os
import sys
import traceback
from collections.abc import Callable
from dataclasses import fields
from enum import IntEnum
from typing import IO, Any

import numpy as np
from msgspec import msgpack

from gnri.data.column import Column
from gnri.data.kinds import ColumnKind
from gnri.data.schema import Above, Equals, IsTrue, OneOf, Schema
from gnri.data.table import Table
from gnri.errors import GnriError
from gnri.processes import kept_for_good, leave_with_parent
from gnri.rules.dnf import SignedDNF, sorted_clauses
from gnri.web.learnt import Learnt, Settings
from gnri.web.security import Limits

FAILED = "the server made a mistake on this table; what it was is on its terminal"
HEAD = 8


class _Code(IntEnum):
    """The extension types of msgpack that a message has."""

    TUPLE = 1
    ARRAY = 2
    RECORD = 5


_RECORDS: dict[str, type[Any]] = {
    kind.__name__: kind
    for kind in (
        *(Above, Equals, IsTrue, OneOf, Schema),
        *(Column, ColumnKind, Limits, Table, Learnt, Settings, SignedDNF),
    )
}


def main() -> None:
    """Get warm, say so, and work until the server hangs up."""
    # Whatever a library prints must not get between the messages.
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    leave_with_parent()
    with kept_for_good():
        jobs = _jobs()
        _warm_up()
    send(out, ("ready",))
    while (job := receive(sys.stdin.buffer)) is not None:
        send(out, _answer(jobs, job, out))
        del job  # the table is not kept until the next one comes


def encode_message(message: Any) -> bytes:
    """Return a message with its length before it.

    >>> data = encode_message(("done", {"rows": 3}, b"abc"))
    >>> decode_message(data[HEAD:])
    ('done', {'rows': 3}, b'abc')
    """
    body = msgpack.encode(_plain(message))
    return len(body).to_bytes(HEAD, "little") + body


def decode_message(body: bytes) -> Any:
    """Return the message, without the length before it."""
    return msgpack.decode(body, ext_hook=_build)


def send(out: IO[bytes], message: tuple[Any, ...]) -> None:
    """Write a message."""
    out.write(encode_message(message))
    out.flush()


def receive(source: IO[bytes]) -> Any:
    """Return the next message, or None at the end."""
    head = source.read(HEAD)
    if len(head) < HEAD:
        return None
    return decode_message(source.read(int.from_bytes(head, "little")))


def _plain(thing: Any) -> Any:
    """Return the thing in types of msgpack."""
    match thing:
        case ColumnKind():
            return _record(thing, [str(thing)])
        case None | bool() | int() | float() | str() | bytes():
            return thing
        case list():
            return [_plain(item) for item in thing]
        case dict():
            return {_plain(key): _plain(value) for key, value in thing.items()}
        case tuple():
            return _extension(_Code.TUPLE, [_plain(item) for item in thing])
        case SignedDNF():
            return _record(thing, [sorted_clauses(thing), thing.positive])
        case np.ndarray() if thing.dtype.kind in "biuf":
            return _extension(_Code.ARRAY, [thing.dtype.str, thing.shape, thing.tobytes()])
        case _ if type(thing) is _RECORDS.get(type(thing).__name__):
            return _record(thing, [_plain(getattr(thing, one.name)) for one in fields(thing)])
    raise TypeError(f"a message cannot hold {type(thing).__name__}")


def _record(thing: Any, values: list[Any]) -> msgpack.Ext:
    return _extension(_Code.RECORD, [type(thing).__name__, values])


def _extension(code: int, content: Any) -> msgpack.Ext:
    return msgpack.Ext(int(code), msgpack.encode(content))


def _build(code: int, data: memoryview) -> Any:
    """Return what an extension stands for."""
    content = msgpack.decode(data, ext_hook=_build)
    match code:
        case _Code.TUPLE:
            return tuple(content)
        case _Code.ARRAY:
            kind, shape, values = content
            return np.frombuffer(values, np.dtype(kind)).reshape(shape)
        case _Code.RECORD:
            return _RECORDS[content[0]](*content[1])
    raise ValueError(f"no message has the extension {code}")


def _answer(
    jobs: dict[str, Callable[..., Any]], job: tuple[str, tuple[Any, ...]], out: IO[bytes]
) -> tuple[Any, ...]:
    name, arguments = job
    try:
        return "done", jobs[name](*arguments, lambda *step: send(out, ("progress", *step)))
    except GnriError as error:
        return "refused", str(error)
    except MemoryError:
        return "refused", "this table takes more memory than there is; try a sample of its rows"
    except Exception:  # the process goes on, and the person who runs the server sees why
        traceback.print_exc(file=sys.stderr)
        return "failed", FAILED


def _jobs() -> dict[str, Callable[..., Any]]:
    from gnri.web import jobs, playground, table_view

    known = (
        *(table_view.describe_file, table_view.describe_bundled, playground.play, jobs.learn),
        *(jobs.compare, jobs.run_audit, jobs.html_report, jobs.answer_rows, jobs.export_ruleset),
    )
    return {job.__name__: job for job in known}


def _warm_up() -> None:
    """Load the model and run it once, so that the first person does not wait for it."""
    from gnri.episode import Episode
    from gnri.induction import induce

    induce(Episode([[-1, 1], [1, 1], [-1, -1], [1, -1]] * 3, [-1, 1, -1, -1] * 3))


if __name__ == "__main__":
    main()
