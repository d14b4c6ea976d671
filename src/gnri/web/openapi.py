"""The endpoints described in OpenAPI, for programs that ask instead of people."""

from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

Schema = dict[str, Any]

ABOUT = (
    "Rules from tables, on this machine. Hanging up stops a long job. To those who accept "
    "application/x-ndjson it answers with lines of JSON and its progress; the answer then begins "
    "with the status 200 before the job is done, so that an error of the job stands in the last "
    "line, with its own status. What can be refused before the job begins has its status as ever."
)

TEXT: Schema = {"type": "string"}
WHOLE: Schema = {"type": "integer", "minimum": 0}
OBJECT: Schema = {"type": "object"}

LITERAL: Schema = {
    "description": "A question of the table by its number, and whether it is to be true.",
    "type": "array",
    "prefixItems": [WHOLE, {"type": "boolean"}],
    "minItems": 2,
    "maxItems": 2,
}
RULE: Schema = {
    "description": "An OR of clauses, each an AND of literals; not positive: its complement.",
    "type": ["object", "null"],
    "properties": {
        "positive": {"type": "boolean"},
        "clauses": {"type": "array", "items": {"type": "array", "items": LITERAL}},
    },
    "required": ["positive", "clauses"],
}
COLUMN: Schema = {
    "type": "object",
    "properties": {
        "kind": {"enum": ["number", "flag", "category", "leave out"]},
        "cuts": {"type": "array", "items": {"type": "number"}, "minItems": 1},
    },
}

LINE: Schema = {
    "description": "Each line: a step, and as the last the result, or the error with its status.",
    "oneOf": [
        {"properties": {"progress": {"type": "number"}, "note": TEXT}, "required": ["progress"]},
        {"properties": {"result": OBJECT}, "required": ["result"]},
        {"properties": {"error": TEXT, "status": WHOLE}, "required": ["error", "status"]},
    ],
}

PARTS: dict[str, Schema] = {
    "table": {**TEXT, "description": "The name that /api/tables answered with."},
    "learnt": {
        **TEXT,
        "description": "As the view of the rules has it; refused if the table was learnt from with "
        "another target or other columns since.",
    },
    "csv": {**TEXT, "description": "A table as text, instead of `table`; it is not kept."},
    "target": {**TEXT, "description": "The column to predict."},
    "columns": {
        "type": "object",
        "description": "By name, what a column is read as, and your own cuts of its numbers.",
        "additionalProperties": COLUMN,
    },
    "rules": {"type": "array", "items": RULE, "description": "As a view has them; may be edited."},
    "rule": {**WHOLE, "description": "Which rule, where there are more than two classes."},
    "clause": WHOLE,
    "literal": WHOLE,
    "row": {**WHOLE, "description": "A row of the table, from 0."},
    "rows": {"type": "array", "items": OBJECT, "description": "Rows as objects, cell by column."},
    "ruleset": {**OBJECT, "description": "A ruleset document, as exported to json."},
    "change": {"enum": ["rows", "columns", "negations", "labels", "everything"]},
    "learner": {"enum": ["rule", "tree", "greedy"], "default": "rule"},
    "seed": {**WHOLE, "maximum": 2**32 - 1},
    "to": {"enum": ["text", "sql", "python", "prolog", "latex", "json", "html"]},
    "dataset": {**TEXT, "description": "A table that comes with the package."},
}

POSTS = {
    "induce": (
        "The rule of a table, with its cards and its coverage.",
        ("target",),
        ("table", "csv", "columns"),
    ),
    "score": ("How rules do, perhaps edited ones.", ("table",), ("rules", "learnt")),
    "edits": (
        "What dropping or flipping one literal would do to the share of rows answered right.",
        ("table", "rule", "clause", "literal"),
        ("rules", "learnt"),
    ),
    "explain": (
        "Why a row of a table, or rows of your own, get their answers.",
        (),
        ("table", "row", "rules", "learnt", "ruleset", "rows", "csv"),
    ),
    "predict": ("The class of rows of your own.", ("ruleset",), ("rows", "csv")),
    "compare": ("The rule and other learners on the same folds.", ("table",), ("learnt",)),
    "playground": (
        "One change of the table that must not matter, and the rule before and after.",
        ("table", "change"),
        ("learner", "rule", "seed", "learnt"),
    ),
    "audit": (
        "Thirteen such changes, and whether the rule followed each of them.",
        (),
        ("table", "csv", "target", "columns", "learner", "seed", "learnt"),
    ),
    "export": ("The rules as a file.", ("to",), ("table", "rules", "learnt", "ruleset")),
}
"""What each endpoint is for, what it needs, and what it may be given."""

PLAYED = ["rule", "tree"]
"""The learners of the playground; an audit has them all."""

EITHER: dict[str, tuple[str, ...]] = {
    "induce": ("table", "csv"),
    "explain": ("table", "rows", "csv"),
    "predict": ("rows", "csv"),
    "audit": ("table", "csv"),
    "export": ("table", "ruleset"),
}
"""Of these parts, one is needed and no other may come with it."""

TOGETHER: dict[str, dict[str, list[str]]] = {
    "explain": {"table": ["row"], "rows": ["ruleset"], "csv": ["ruleset"]},
    "audit": {"csv": ["target"], "columns": ["target"]},
}
"""Parts that need another."""

LONG = ("upload", "induce", "explain", "predict", "compare", "playground", "audit", "export")
"""What answers by lines to those who accept them; of a row of a table, /api/explain does not."""

ANYWHERE = {
    "400": "not JSON, or not the address that the server printed",
    "403": "asked by another page",
    "405": "asked with another method; the header `Allow` says which there are",
    "413": "more than the limit in /api/about",
    "500": "a mistake of the server, which is on its terminal",
    "503": "too many jobs at once, or the server is stopping; try again",
}
OF_A_BODY = {
    "408": "the request took longer to come in than the limit in /api/about",
    "415": "another content type than those listed",
    "422": "a table, a rule or a setting that cannot be; the message says what to do",
}
OF_A_JOB = {"504": "longer than the limit in /api/about"}
OF_A_TABLE = {
    "404": "the table is no longer kept; send it again",
    "409": "there is no rule of the table yet, or `learnt` is not what was learnt last",
}
"""Why a request is refused: any, one with a body, one that takes long, one about a table."""


def description() -> dict[str, Any]:
    """The document at /api/openapi.json."""
    paths: dict[str, Any] = {f"/api/{name}": {"post": _post(name)} for name in POSTS}
    paths["/api/about"] = {"get": _operation("about", "Limits, bundled tables and formats.", {})}
    paths["/api/openapi.json"] = {"get": _operation("openapi", "This document.", {})}
    paths["/api/tables"] = {"post": _upload()}
    paths["/api/tables/{table}"] = {"delete": _forget()}
    return {
        "openapi": "3.1.0",
        "info": {"title": "gnri", "version": version("gnri"), "description": ABOUT},
        "paths": paths,
    }


def _post(name: str) -> dict[str, Any]:
    summary, needed, others = POSTS[name]
    parts = {part: PARTS[part] for part in (*needed, *others)}
    if name == "playground":
        parts["learner"] = {**parts["learner"], "enum": PLAYED}
    schema = {
        "type": "object",
        "properties": parts,
        "required": list(needed),
        "additionalProperties": False,
        "dependentRequired": TOGETHER.get(name, {}),
    }
    if name in EITHER:
        schema["oneOf"] = [{"required": [part]} for part in EITHER[name]]
    refusals = OF_A_BODY | (OF_A_TABLE if "table" in parts else {})
    body = _body({"application/json": schema})
    return {**_operation(name, summary, refusals), "requestBody": body}


def _upload() -> dict[str, Any]:
    bundled = {
        "type": "object",
        "properties": {"dataset": PARTS["dataset"]},
        "required": ["dataset"],
        "additionalProperties": False,
    }
    texts = {"text/csv": TEXT, "text/tab-separated-values": TEXT}
    return {
        **_operation("upload", "Take in a table; the answer says what is in it.", OF_A_BODY),
        "parameters": [{"name": "name", "in": "query", "schema": TEXT}],
        "requestBody": _body({**texts, "application/json": bundled}),
    }


def _forget() -> dict[str, Any]:
    table = {"name": "table", "in": "path", "required": True, "schema": TEXT}
    found = _operation("forget", "Free a table, if it is still kept.", {})
    del found["responses"]["200"]
    found["responses"]["204"] = {"description": "it is gone"}
    return {**found, "parameters": [table]}


def _operation(name: str, summary: str, refusals: Mapping[str, str]) -> dict[str, Any]:
    error = {"type": "object", "properties": {"error": TEXT}, "required": ["error"]}
    content, all_refusals = {"application/json": {"schema": OBJECT}}, {**ANYWHERE, **refusals}
    if name in LONG:
        content["application/x-ndjson"] = {"schema": LINE}
        all_refusals |= OF_A_JOB
    refused = {
        status: {"description": words, "content": {"application/json": {"schema": error}}}
        for status, words in sorted(all_refusals.items())
    }
    found = {"description": "the answer", "content": content}
    return {"operationId": name, "summary": summary, "responses": {"200": found, **refused}}


def _body(contents: dict[str, Schema]) -> dict[str, Any]:
    return {"required": True, "content": {kind: {"schema": s} for kind, s in contents.items()}}
