"""A process that does one long job after another, for the server that started it.

Messages come in on standard input and go out on standard output: `("progress", share, note)` while
a job runs, then `("done", result)` or `("refused", status, message)`. A message is its length in 8
bytes, then the length of all cells of its arrays, these cells, and msgpack. One extension type
holds what msgpack lacks: arrays, tuples, frozen sets, and dataclasses, named tuples and enums of
this package. Nothing else is ever built.
"""

import math
import os
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields, is_dataclass
from enum import StrEnum
from functools import partial
from importlib import import_module
from typing import IO, Any

import numpy as np
from msgspec import msgpack

from gnri.processes import exit_with_parent, freeze_imports
from gnri.web.security import refusal_of

HEAD = 8

_EXTENSION = 1
_PLAIN = (type(None), bool, int, float, str, bytes)
_BUILT_IN: dict[str, type[Any]] = {"tuple": tuple, "frozenset": frozenset, "ndarray": np.ndarray}


def main() -> None:
    """Load the model, say that it is ready, and do jobs until the server closes the pipe."""
    # What a library prints must not get between the messages.
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    exit_with_parent()
    with freeze_imports():
        jobs = _load_jobs()
    _limit_memory(int(sys.argv[1]))
    send(out, ("ready",))
    while (job := receive(sys.stdin.buffer)) is not None:
        send(out, _do(jobs, job, out))
        del job  # free the table


def encode_message(message: Any) -> bytes:
    """Return a message with its length before it."""
    cells: list[memoryview] = []
    body = msgpack.encode(_to_plain(message, cells))
    size = sum(map(len, cells))
    sizes = (number.to_bytes(HEAD, "little") for number in (HEAD + size + len(body), size))
    return b"".join((*sizes, *cells, body))


def decode_message(body: bytes | memoryview) -> Any:
    """Return the message of these bytes, without the length."""
    end = HEAD + int.from_bytes(body[:HEAD], "little")
    return _decode(memoryview(body)[end:], memoryview(body)[HEAD:end])


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


def _to_plain(thing: Any, cells: list[memoryview]) -> Any:
    """Return the thing in types that msgpack has; the cells of arrays are added to `cells`."""
    kind = type(thing)
    if kind in _PLAIN:
        return thing
    if kind is list:
        return [_to_plain(item, cells) for item in thing]
    if kind is dict:
        return {_to_plain(key, cells): _to_plain(value, cells) for key, value in thing.items()}
    name = kind.__name__ if kind in _BUILT_IN.values() else f"{kind.__module__}:{kind.__name__}"
    if _type_of(name) is np.ndarray:
        parts = [thing.dtype.str, list(thing.shape)]
        if thing.dtype.kind in "biuf":
            parts += [None, sum(map(len, cells))]
            data = np.ascontiguousarray(thing).reshape(-1).view(np.uint8).data
            cells += [data, memoryview(bytes(-len(data) % 8))]  # every array begins aligned
        else:
            parts.append(thing.tolist())
    elif is_dataclass(kind):
        parts = [getattr(thing, one.name) for one in fields(kind)]
    else:
        parts = [thing.value] if issubclass(kind, StrEnum) else list(thing)
    return msgpack.Ext(_EXTENSION, msgpack.encode([name, _to_plain(parts, cells)]))


def _decode(body: memoryview, cells: memoryview) -> Any:
    return msgpack.decode(body, ext_hook=partial(_build, cells))


def _build(cells: memoryview, code: int, data: memoryview) -> Any:
    """Return the object of an extension."""
    if code != _EXTENSION:
        raise TypeError(f"a message cannot hold the extension {code}")
    name, parts = _decode(data, cells)
    kind = _type_of(name)
    if kind is np.ndarray:
        dtype, shape, items, *start = parts
        if items is not None:
            return np.array(items, np.dtype(dtype)).reshape(shape)
        return np.frombuffer(cells, np.dtype(dtype), math.prod(shape), *start).reshape(shape)
    return kind(parts) if name in _BUILT_IN else kind(*parts)


def _type_of(name: str) -> type[Any]:
    """Return the type of this name; raise if messages may not hold it."""
    module, _, own = name.partition(":")
    ours = getattr(import_module(module), own, None) if module.startswith("gnri.") else None
    found = _BUILT_IN.get(name, ours)
    if not isinstance(found, type) or not (
        name in _BUILT_IN or is_dataclass(found) or issubclass(found, tuple | StrEnum)
    ):
        raise TypeError(f"a message cannot hold {name}")
    return found


def _do(
    jobs: dict[str, Callable[..., Any]], job: tuple[str, tuple[Any, ...]], out: IO[bytes]
) -> tuple[Any, ...]:
    name, arguments = job
    try:
        return "done", jobs[name](*arguments, lambda *step: send(out, ("progress", *step)))
    except Exception as error:
        refusal = refusal_of(error)
        if refusal.status == 500:
            traceback.print_exc(file=sys.stderr)
        return "refused", refusal.status, refusal.message


def _limit_memory(size: int) -> None:
    """Let larger requests for memory raise a `MemoryError`, where the system can."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        most = resource.getrlimit(resource.RLIMIT_DATA)[1]
        resource.setrlimit(resource.RLIMIT_DATA, (size, most))


def _load_jobs() -> dict[str, Callable[..., Any]]:
    """Return the jobs by name; run the model once, so that the first job need not load it."""
    from gnri.episode import Episode
    from gnri.induction import induce
    from gnri.web import editing, jobs, playground, table_view
    from gnri.web.rule_view import TableFit

    induce(Episode([[-1, 1], [1, 1], [-1, -1], [1, -1]] * 3, [-1, 1, -1, -1] * 3))
    known = (
        *(table_view.describe_upload, jobs.learn_and_view, jobs.validate, jobs.compare),
        *(jobs.run_audit, playground.play, jobs.html_report, jobs.answer_rows, jobs.export_rules),
        *(TableFit.view, TableFit.explain_row, jobs.points, jobs.alternatives, jobs.path),
        *(editing.suggest, editing.score_edits, editing.try_thresholds),
    )
    return {job.__name__: job for job in known}


if __name__ == "__main__":
    main()
