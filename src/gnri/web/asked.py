"""What a request says, checked word by word before anything is done."""

import asyncio
import codecs
import io
import json
from collections.abc import Awaitable, Mapping
from typing import Any, TypeVar

from starlette.requests import Request

from gnri.data.kinds import ColumnKind
from gnri.messages import closest
from gnri.web.large import Large, read_json
from gnri.web.refusal import Refusal
from gnri.web.security import Limits
from gnri.web.work.learnt import Settings

Came = TypeVar("Came")

NAMES = {
    str: "text",
    int: "a whole number",
    dict: "an object",
    list: "a list",
    bool: "true or false",
}


async def body_of(request: Request, limits: Limits) -> bytes:
    """The body, if it comes in time."""
    return await _in_time(request.body(), limits)


async def json_of(request: Request, limits: Limits) -> Mapping[str, Any]:
    """The JSON object in the body."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Refusal(415, "send JSON, with the content type application/json")
    try:
        body = await _in_time(_utf8_of(request), limits)
        return await asyncio.to_thread(read_json, body)
    except (ValueError, RecursionError):
        raise Refusal(400, "the request must be JSON, and this is not") from None


async def _utf8_of(request: Request) -> bytes:
    """The body; a `ValueError` if it is not UTF-8. Its text, perhaps many times as large, is not
    kept.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    body = io.BytesIO()
    async for piece in request.stream():
        decoder.decode(piece)
        body.write(piece)
    decoder.decode(b"", final=True)
    return body.getvalue()


async def _in_time(reading: Awaitable[Came], limits: Limits) -> Came:
    try:
        async with asyncio.timeout(limits.reading):
            return await reading
    except TimeoutError:
        raise Refusal(408, "the request took too long to come in; send it again") from None


def only(asked: Mapping[str, Any], *names: str) -> None:
    """Refuse a request with anything else in it."""
    for name in asked:
        if name not in names:
            near = closest(name, list(names))
            hint = f"did you mean {near!r}?" if near else f"it may have {', '.join(names)}"
            raise Refusal(422, f"the request has an unknown part {name[:40]!r}; {hint}")


def part(asked: Mapping[str, Any], name: str, kind: type, default: Any = None) -> Any:
    """A part of the request of this type; one without a default has to be there."""
    value = asked.get(name, default)
    # A JSON true is a number to Python, but not to people.
    if type(value) is not kind:
        got = "nothing" if name not in asked else f"{json.dumps(value)[:60]}"
        raise Refusal(422, f"{name!r} must be {NAMES[kind]}, got {got}")
    return value


def one_of(asked: Mapping[str, Any], *names: str) -> str:
    """The name of the one of these parts that the request has."""
    found = [name for name in names if name in asked]
    if len(found) != 1:
        said = " or ".join(map(repr, names))
        got = " and ".join(map(repr, found)) or "none of them"
        raise Refusal(422, f"the request must have {said}, one of them alone; got {got}")
    return found[0]


def csv_in(asked: Mapping[str, Any]) -> bytes:
    """The table that came along as text."""
    if isinstance(asked, Large):
        return asked.utf8("csv")
    text: str = part(asked, "csv", str)
    return text.encode(errors="replace")


def settings_of(asked: Mapping[str, Any], kinds: Mapping[str, ColumnKind]) -> Settings:
    """The target, and what the columns are read as: as they are, or as the person says.

    `kinds` are those of the table. "columns" may say, by name, {"kind": "number", "flag",
    "category" or "leave out", "cuts": [...]}.
    """
    target, wanted = part(asked, "target", str), part(asked, "columns", dict, {})
    found = {name: kind for name, kind in kinds.items() if name != target}
    cuts: dict[str, tuple[float, ...]] = {}
    for name, column in wanted.items():
        if name == target:
            continue
        if name not in kinds:
            raise Refusal(422, f"the table has no column {name[:60]!r}")
        if not isinstance(column, dict):
            raise Refusal(422, "each of 'columns' must be an object with 'kind' or 'cuts'")
        only(column, "kind", "cuts")
        _read_kind(found, name, column)
        if "cuts" in column:
            cuts[name] = _cuts(column)
    return Settings(target, found, {name: cuts[name] for name in cuts if name in found})


def _read_kind(found: dict[str, ColumnKind], name: str, column: Mapping[str, Any]) -> None:
    kind = column.get("kind", str(found[name]))
    if kind == "leave out":
        del found[name]
    elif kind in list(ColumnKind):
        found[name] = ColumnKind(kind)
    else:
        raise Refusal(
            422, f"a kind is {', '.join(ColumnKind)} or 'leave out', got {str(kind)[:40]!r}"
        )


def _cuts(column: Mapping[str, Any]) -> tuple[float, ...]:
    cuts = part(column, "cuts", list)
    if not cuts or not all(type(cut) in (int, float) and abs(cut) < 1e300 for cut in cuts):
        raise Refusal(422, "'cuts' must be numbers, at least one")
    return tuple(float(cut) for cut in cuts)
