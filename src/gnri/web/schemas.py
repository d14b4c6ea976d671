"""What each endpoint takes: its shape and types are checked while a request is decoded."""

import asyncio
import json
import re
from typing import Annotated, Any, ClassVar, Literal, TypeVar

import msgspec
from msgspec import UNSET, Meta, Raw, Struct, UnsetType
from starlette.requests import Request

from gnri import formats
from gnri.messages import closest, shorten
from gnri.rules.documents import RepeatedKeyError
from gnri.web.security import Limits, Refusal

FORMATS = {
    **{name: (f"rule{one.suffix}", one.media_type) for name, one in formats.FORMATS.items()},
    "html": ("report.html", "text/html"),
}
"""The name and the media type of the file of rules in each form."""

Place = Annotated[int, Meta(ge=0)]
Cut = Annotated[float, Meta(gt=-1e300, lt=1e300)]
Seed = Annotated[int, Meta(ge=0, le=2**32 - 1)]
TableName = Annotated[str, Meta(description="The name that /api/tables answered with.")]
Digest = Annotated[
    str,
    Meta(
        description="As the view of the rules has it; refused if the table was learnt from with "
        "another target or other columns since."
    ),
]
Csv = Annotated[str, Meta(description="A table as text; it is not kept.")]
Target = Annotated[str, Meta(description="The column to predict.")]
RuleListDocument = Annotated[
    Raw,
    Meta(description="A rule_list, as exported to json.", extra_json_schema={"type": "object"}),
]
Rows = Annotated[
    Raw,
    Meta(
        description="Rows as objects, cell by column.",
        extra_json_schema={"type": "array", "items": {"type": "object"}},
    ),
]
Format = Annotated[str, Meta(extra_json_schema={"enum": list(FORMATS)})]


class Column(Struct, forbid_unknown_fields=True):
    """What a column is read as, and your own cuts of its numbers."""

    kind: Literal["number", "flag", "category", "leave out"] | UnsetType = UNSET
    cuts: Annotated[list[Cut], Meta(min_length=1)] | UnsetType = UNSET


class SentRule(Struct, forbid_unknown_fields=True):
    """An OR of clauses, each an AND of literals; not positive: its complement.

    A literal is a question of the table by its number, and whether it is to be true.
    """

    positive: bool
    clauses: list[list[tuple[Place, bool]]]


Rules = Annotated[
    list[SentRule | None], Meta(description="As a view has them; they may be edited.")
]


class ApiRequest(Struct, forbid_unknown_fields=True):
    """A request. Of `either` one part has to come, alone; parts `together` need each other."""

    either: ClassVar[tuple[str, ...]] = ()
    together: ClassVar[dict[str, tuple[str, ...]]] = {}

    def __post_init__(self) -> None:
        came = [name for name in self.__struct_fields__ if getattr(self, name) is not UNSET]
        either = [name for name in self.either if name in came]
        if self.either and len(either) != 1:
            wanted = " or ".join(map(repr, self.either))
            got = " and ".join(map(repr, either)) or "none of them"
            raise ValueError(f"the request must have {wanted}, one of them alone; got {got}")
        for name, others in self.together.items():
            for other in others:
                if name in came and other not in came:
                    raise ValueError(f"a request with {name!r} must have {other!r} as well")


class UploadRequest(ApiRequest):
    """Take in a table; the answer says what is in it."""

    dataset: Annotated[str, Meta(description="A table that comes with the package.")]


class InduceRequest(ApiRequest):
    """The rule of a table, with its cards and its coverage."""

    either = ("table", "csv")

    target: Target
    table: TableName | UnsetType = UNSET
    csv: Csv | UnsetType = UNSET
    columns: dict[str, Column] | UnsetType = UNSET


class TableRequest(ApiRequest):
    """A request about what was learnt from a table."""

    table: TableName
    learnt: Digest | UnsetType = UNSET


class ScoreRequest(TableRequest):
    """How rules do, perhaps edited ones."""

    rules: Rules | UnsetType = UNSET


class EditsRequest(ScoreRequest, kw_only=True):
    """What dropping or flipping one literal would do to the share of rows answered right."""

    rule: Place
    clause: Place
    literal: Place


class PredictRequest(ApiRequest):
    """The class of rows of your own."""

    either = ("rows", "csv")

    rule_list: RuleListDocument
    rows: Rows | UnsetType = UNSET
    csv: Csv | UnsetType = UNSET


class ExplainRequest(ApiRequest):
    """Why a row of a table, or rows of your own, get their answers."""

    either = ("table", "rows", "csv")
    together: ClassVar[dict[str, tuple[str, ...]]] = {
        **{"table": ("row",), "row": ("table",), "rules": ("table",), "learnt": ("table",)},
        **{"rows": ("rule_list",), "csv": ("rule_list",)},
    }

    table: TableName | UnsetType = UNSET
    row: Annotated[int, Meta(ge=0, description="A row of the table, from 0.")] | UnsetType = UNSET
    rules: Rules | UnsetType = UNSET
    learnt: Digest | UnsetType = UNSET
    rule_list: RuleListDocument | UnsetType = UNSET
    rows: Rows | UnsetType = UNSET
    csv: Csv | UnsetType = UNSET

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.table is not UNSET and self.rule_list is not UNSET:
            raise ValueError("'rule_list' answers 'rows' or 'csv', not a 'table'; leave one out")


class CompareRequest(TableRequest):
    """The rule and other learners on the same folds."""


class PlaygroundRequest(TableRequest, kw_only=True):
    """One change of the table that must not matter, and the rule before and after."""

    change: Literal["rows", "columns", "negations", "labels", "everything"]
    learner: Literal["rule", "tree"] = "rule"
    rule: Place = 0
    seed: Seed = 0


class AuditRequest(ApiRequest):
    """Thirteen such changes, and whether the rule followed each of them."""

    either = ("table", "csv")
    together: ClassVar[dict[str, tuple[str, ...]]] = {"csv": ("target",), "columns": ("target",)}

    table: TableName | UnsetType = UNSET
    csv: Csv | UnsetType = UNSET
    target: Target | UnsetType = UNSET
    columns: dict[str, Column] | UnsetType = UNSET
    learnt: Digest | UnsetType = UNSET
    learner: Literal["rule", "tree", "greedy"] = "rule"
    seed: Seed = 0


class ExportRequest(ApiRequest):
    """The rules as a file."""

    either = ("table", "rule_list")
    together: ClassVar[dict[str, tuple[str, ...]]] = {"rules": ("table",), "learnt": ("table",)}

    to: Format
    table: TableName | UnsetType = UNSET
    rules: Rules | UnsetType = UNSET
    learnt: Digest | UnsetType = UNSET
    rule_list: RuleListDocument | UnsetType = UNSET


REQUESTS: dict[str, type[ApiRequest]] = {
    kind.__name__.removesuffix("Request").lower(): kind
    for kind in (
        *(InduceRequest, ScoreRequest, EditsRequest, ExplainRequest, PredictRequest),
        *(CompareRequest, PlaygroundRequest, AuditRequest, ExportRequest),
    )
}
"""What is posted to each address under /api, in JSON."""

TABLE_TYPES = ("text/csv", "text/tab-separated-values")

AnyRequest = TypeVar("AnyRequest", bound=ApiRequest)
Part = TypeVar("Part")

_UNKNOWN = re.compile(r"Object contains unknown field `(.*?)`(?: - at .*)?", re.DOTALL)


async def read_request(request: Request, kind: type[AnyRequest], limits: Limits) -> AnyRequest:
    """Return the request in the body; raise a `Refusal` unless it is one of this kind."""
    if content_type(request) != "application/json":
        raise Refusal(415, "send JSON, with the content type application/json")
    body = await read_body(request, limits)
    return await asyncio.to_thread(decode_request, body, kind)


async def read_body(request: Request, limits: Limits) -> bytes:
    """Return the body, if it comes in time."""
    try:
        async with asyncio.timeout(limits.reading):
            return await request.body()
    except TimeoutError:
        raise Refusal(408, "the request took too long to come in; send it again") from None


def content_type(request: Request) -> str:
    """Return the content type of a request, without its parameters."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def decode_request(body: bytes, kind: type[AnyRequest]) -> AnyRequest:
    """Return the request; of one with a wrong shape nothing is made but what stands before."""
    try:
        msgspec.json.decode(body, type=kind)  # not kept, as the next step takes as much again
        json.loads(body.decode(), object_pairs_hook=_check_keys)
        return msgspec.json.decode(body, type=kind)
    except RepeatedKeyError:
        words = "a key stands twice in one object of the request; leave one of them out"
        raise Refusal(400, words) from None
    except msgspec.ValidationError as error:
        raise Refusal(422, _say(str(error), kind)) from None
    except (ValueError, RecursionError):
        raise Refusal(400, "the request must be JSON, and this is not") from None


def given(part: Part | UnsetType) -> Part | None:
    """Return a part of a request, or None where it did not come."""
    return None if isinstance(part, UnsetType) else part


def _check_keys(pairs: list[tuple[str, Any]]) -> None:
    """Raise if a key of an object stands twice; nothing is made of the object."""
    if len({name for name, _ in pairs}) < len(pairs):
        raise RepeatedKeyError


def _say(error: str, kind: type[Any]) -> str:
    unknown = _UNKNOWN.fullmatch(error)
    if unknown is None:
        return f"{error[:200]}; /api/openapi.json says what a request has"
    names = [*kind.__struct_fields__, *Column.__struct_fields__]
    near = closest(unknown[1], names)
    hint = f"did you mean {near!r}?" if near else f"it may have {', '.join(names)}"
    return f"the request has an unknown part {shorten(unknown[1])}; {hint}"
