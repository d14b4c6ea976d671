"""The requests of each endpoint: shapes and types are checked while they are decoded."""

import asyncio
import json
import re
from typing import Annotated, Any, ClassVar, TypeVar
from typing import Literal as OneOf

import msgspec
from msgspec import UNSET, Meta, Raw, Struct, UnsetType
from starlette.requests import Request

from gnri import formats
from gnri.data.schema import Above, Schema
from gnri.errors import GnriError, closest, shorten
from gnri.estimator.point_tables import FORMS
from gnri.rules.dnf import Literal, SignedDNF
from gnri.rules.documents import RepeatedKeyError
from gnri.rules.scorecard import AnyRule, Scorecard
from gnri.web.security import Limits, Refusal

FORMATS = {
    **{name: (f"rule{one.suffix}", one.media_type) for name, one in formats.FORMATS.items()},
    "html": ("report.html", "text/html"),
}
"""The file name and the media type of each export format."""

OBJECT = {"type": "object"}
Index = Annotated[int, Meta(ge=0)]
Seed = Annotated[int, Meta(ge=0, le=2**32 - 1)]
Threshold = Annotated[float, Meta(gt=-1e300, lt=1e300)]
TableName = Annotated[str, Meta(description="The name that /api/tables returned.")]
Digest = Annotated[str, Meta(description="The `learnt` of a view; refused if out of date.")]
Csv = Annotated[str, Meta(description="A table as CSV text; it is not stored.")]
Target = Annotated[str, Meta(description="The column to predict.")]
Weight = Annotated[str, Meta(description="A column with the weight of each row; no feature then.")]
ClassWeight = Annotated[float, Meta(gt=0, lt=1e300)]
Form = Annotated[
    str,
    Meta(
        description="Clauses (dnf), points (scorecard), or the better of both (auto).",
        extra_json_schema={"enum": list(FORMS)},
    ),
]
Floors = Annotated[
    dict[str, Annotated[float, Meta(gt=0, le=1)]],
    Meta(description="The least of a class, on rows held out."),
]
RuleListDocument = Annotated[Raw, Meta(description="An export to json.", extra_json_schema=OBJECT)]
Rows = Annotated[
    Raw,
    Meta(
        description="A list of objects, each with a cell for each column.",
        extra_json_schema={"type": "array", "items": OBJECT},
    ),
]
Groups = tuple[tuple[str, ...], ...]
Pairs = tuple[tuple[str, str], ...]


class Column(Struct, forbid_unknown_fields=True):
    """How a column is read, and the thresholds of its numbers."""

    kind: OneOf["number", "flag", "category", "leave out"] | UnsetType = UNSET
    thresholds: Annotated[list[Threshold], Meta(min_length=1)] | UnsetType = UNSET


Cut = tuple[str, Threshold]
Clause = list[tuple[int | Cut, bool]]  # msgspec 0.22 misreads `Index | Cut`


class SentRule(Struct, forbid_unknown_fields=True):
    """An OR of clauses, each an AND of literals, or its complement if not `positive`; or points.

    A literal is [atom, positive]: the number of an atom of the table, or a column and a threshold
    of your own, and the truth it must have. `points` has pairs of a clause and its points, which
    must reach the `threshold`.
    """

    positive: bool = True
    clauses: list[Clause] | UnsetType = UNSET
    points: list[tuple[Clause, int]] | UnsetType = UNSET
    threshold: int = 0

    def __post_init__(self) -> None:
        if (self.clauses is UNSET) == (self.points is UNSET):
            raise ValueError("a rule must have either 'clauses' or 'points'")

    @property
    def lines(self) -> list[Clause]:
        """The clauses, or those of the points."""
        return given(self.clauses) or [line for line, _ in given(self.points) or ()]

    def parts(self, schema: Schema, atoms: int) -> list[list[Literal]]:
        """Return the lines by the atoms of a schema, of which so many have numbers."""
        places: dict[int | Cut, int] = {i: i for i in range(atoms)}
        for i, atom in enumerate(schema.atoms):
            if isinstance(atom, Above):
                places[atom.column, atom.cut] = i
        if any(one not in places for line in self.lines for one, _ in line):
            raise GnriError(f"a literal is [atom, positive], with an atom from 0 to {atoms - 1}")
        return [[Literal(places[one], sign) for one, sign in line] for line in self.lines]

    def to_rule(self, parts: list[list[Literal]]) -> AnyRule:
        """Return the rule of these parts."""
        if isinstance(self.points, UnsetType):
            return SignedDNF(parts, self.positive)
        points = [points for _, points in self.points]
        return Scorecard(zip(parts, points, strict=True), self.threshold)


Rules = Annotated[
    list[SentRule | None], Meta(description="As in a view of the rules; they may be edited.")
]


class ApiRequest(Struct, forbid_unknown_fields=True):
    """A request."""

    either: ClassVar[Groups] = ()  # of each group exactly one must be given
    needs: ClassVar[Pairs] = ()  # the first of each pair requires the second

    def __post_init__(self) -> None:
        given = [name for name in self.__struct_fields__ if getattr(self, name) is not UNSET]
        for group in self.either:
            chosen = [name for name in group if name in given]
            if len(chosen) != 1:
                wanted = " or ".join(map(repr, group))
                got = " and ".join(map(repr, chosen)) or "none of them"
                raise ValueError(f"the request must have exactly one of {wanted}; got {got}")
        for name, other in self.needs:
            if name in given and other not in given:
                raise ValueError(f"a request with {name!r} must have {other!r} as well")


class UploadRequest(ApiRequest):
    """Store a table, and describe its columns."""

    dataset: Annotated[str, Meta(description="The name of a bundled table.")]


class LearnRequest(ApiRequest):
    """Base of requests that may learn rules from a table."""

    either = (("table", "csv"),)

    table: TableName | UnsetType = UNSET
    csv: Csv | UnsetType = UNSET
    columns: dict[str, Column] | UnsetType = UNSET
    form: Form | UnsetType = UNSET


class InduceRequest(LearnRequest, kw_only=True):
    """Learn rules from a table; return them with their statistics and coverage."""

    target: Target
    keep: RuleListDocument | UnsetType = UNSET
    min_precision: Floors | UnsetType = UNSET
    min_recall: Floors | UnsetType = UNSET
    class_weight: OneOf["balanced"] | dict[str, ClassWeight] | UnsetType = UNSET
    weight: Weight | UnsetType = UNSET


class AuditRequest(LearnRequest):
    """Check that the rules follow each of thirteen changes of the table."""

    needs = (("csv", "target"), ("columns", "target"), ("form", "target"))

    target: Target | UnsetType = UNSET
    learnt: Digest | UnsetType = UNSET
    learner: OneOf["rule", "tree", "greedy"] = "rule"
    seed: Seed = 0


class TableRequest(ApiRequest):
    """Base of requests about the rules that were learnt from a table."""

    table: TableName
    learnt: Digest | UnsetType = UNSET


class CompareRequest(TableRequest):
    """Cross-validate the rule learner and other learners on the same folds."""


class ValidateRequest(TableRequest):
    """Cross-validate the rules that were learnt: how often they are right on unseen rows."""


class PointsRequest(TableRequest):
    """Return precision and recall of a class at each operating point, on rows held out."""


class AlternativesRequest(TableRequest):
    """Return rules on other columns that are nearly as good on unseen rows."""


class PathRequest(TableRequest):
    """Return the best rule of each number of conditions, and how often it is right."""


class PlaygroundRequest(TableRequest, kw_only=True):
    """Change the table in a way that must not matter; return the rule before and after."""

    change: OneOf["rows", "columns", "negations", "labels", "everything"]
    learner: OneOf["rule", "tree"] = "rule"
    rule: Index = 0
    seed: Seed = 0


class ScoreRequest(TableRequest):
    """Evaluate rules on the table."""

    rules: Rules | UnsetType = UNSET


class EditsRequest(ScoreRequest, kw_only=True):
    """Return the accuracy after dropping or negating one literal."""

    rule: Index
    clause: Index
    literal: Index


class ThresholdsRequest(EditsRequest):
    """Return the rows wrong at each place of the threshold of one literal, and held out."""


class SuggestRequest(ScoreRequest, kw_only=True):
    """Return the literals to add to a clause, or the new clauses, with most rows right."""

    rule: Index
    clause: Index | UnsetType = UNSET


class RulesRequest(ApiRequest):
    """Base of requests about the rules of a table, or about a saved rule list."""

    either: ClassVar[Groups] = (("table", "rule_list"),)
    needs: ClassVar[Pairs] = (("rules", "table"), ("learnt", "table"))

    table: TableName | UnsetType = UNSET
    rules: Rules | UnsetType = UNSET
    learnt: Digest | UnsetType = UNSET
    rule_list: RuleListDocument | UnsetType = UNSET


class ExportRequest(RulesRequest, kw_only=True):
    """Return the rules as a file."""

    format: Annotated[str, Meta(extra_json_schema={"enum": list(FORMATS)})]


class ExplainRequest(RulesRequest):
    """Explain the prediction for a row of the table, or for rows of your own."""

    either = (*RulesRequest.either, ("row", "rows", "csv"))
    needs = (*RulesRequest.needs, ("row", "table"), ("rows", "rule_list"), ("csv", "rule_list"))

    row: Annotated[int, Meta(ge=0, description="A row of the table, from 0.")] | UnsetType = UNSET
    rows: Rows | UnsetType = UNSET
    csv: Csv | UnsetType = UNSET


class PredictRequest(ApiRequest):
    """Predict the class of rows of your own."""

    either = (("rows", "csv"),)

    rule_list: RuleListDocument
    rows: Rows | UnsetType = UNSET
    csv: Csv | UnsetType = UNSET


REQUESTS: dict[str, type[ApiRequest]] = {
    kind.__name__.removesuffix("Request").lower(): kind
    for kind in (
        *(InduceRequest, ScoreRequest, EditsRequest, ExplainRequest, PredictRequest),
        *(ThresholdsRequest, SuggestRequest, PointsRequest, AlternativesRequest, PathRequest),
        *(ValidateRequest, CompareRequest, PlaygroundRequest, AuditRequest, ExportRequest),
    )
}
"""The JSON request of each POST endpoint, by its path under /api."""

TABLE_TYPES = ("text/csv", "text/tab-separated-values")

AnyRequest = TypeVar("AnyRequest", bound=ApiRequest)
Field = TypeVar("Field")

_UNKNOWN = re.compile(r"Object contains unknown field `(.*?)`(?: - at .*)?", re.DOTALL)


async def read_request(request: Request, kind: type[AnyRequest], limits: Limits) -> AnyRequest:
    """Return the request in the body, of this kind."""
    if content_type(request) != "application/json":
        raise Refusal(415, "send JSON, with the content type application/json")
    body = await read_body(request, limits)
    return await asyncio.to_thread(decode_request, body, kind)


async def read_body(request: Request, limits: Limits) -> bytes:
    """Return the body; raise a `Refusal` if it takes too long."""
    try:
        async with asyncio.timeout(limits.reading):
            return await request.body()
    except TimeoutError:
        raise Refusal(408, "the request took too long to arrive; send it again") from None


def content_type(request: Request) -> str:
    """Return the content type of a request, without its parameters."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def decode_request(body: bytes, kind: type[AnyRequest]) -> AnyRequest:
    """Return the request, of this kind; raise a `Refusal` that says what is wrong with it."""
    try:
        # First, and dropped: the check of the keys takes as much memory again.
        msgspec.json.decode(body, type=kind)
        json.loads(body.decode(), object_pairs_hook=_check_keys)
        return msgspec.json.decode(body, type=kind)
    except RepeatedKeyError:
        raise Refusal(400, "the request has the same key twice in one object") from None
    except msgspec.ValidationError as error:
        raise Refusal(422, _describe_error(str(error), kind)) from None
    except (ValueError, RecursionError):
        raise Refusal(400, "the request must be valid JSON") from None


def given(field: Field | UnsetType) -> Field | None:
    """Return a field of a request, or None if it was not given."""
    return None if isinstance(field, UnsetType) else field


def _check_keys(pairs: list[tuple[str, Any]]) -> None:
    """Raise if a key is repeated; build nothing."""
    if len({name for name, _ in pairs}) < len(pairs):
        raise RepeatedKeyError


def _describe_error(error: str, kind: type[Any]) -> str:
    unknown = _UNKNOWN.fullmatch(error)
    if unknown is None:
        return f"{error[:200]}; see /api/openapi.json"
    names = [*kind.__struct_fields__, *Column.__struct_fields__]
    near = closest(unknown[1], names)
    hint = f"did you mean {near!r}?" if near else f"the known fields are {', '.join(names)}"
    return f"the request has an unknown field {shorten(unknown[1])}; {hint}"
