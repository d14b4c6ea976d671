"""The endpoints described in OpenAPI, for programs that ask instead of people."""

from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from msgspec.json import schema_components

from gnri.web.schemas import REQUESTS, ApiRequest, UploadRequest

ABOUT = (
    "Rules from tables, on this machine. Hanging up stops a long job. To those who accept "
    "application/x-ndjson it answers with lines of JSON and its progress; the answer then begins "
    "with the status 200 before the job is done, so that an error of the job stands in the last "
    "line, with its own status. What can be refused before the job begins has its status as ever."
)
TEXT = {"type": "string"}
OBJECT = {"type": "object"}
LINE = {
    "description": "Each line: a step, and as the last the result, or the error with its status.",
    "oneOf": [
        {"properties": {"progress": {"type": "number"}, "note": TEXT}, "required": ["progress"]},
        {"properties": {"result": OBJECT}, "required": ["result"]},
        {
            "properties": {"error": TEXT, "status": {"type": "integer"}},
            "required": ["error", "status"],
        },
    ],
}
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


def describe_api() -> dict[str, Any]:
    """Return the document at /api/openapi.json."""
    paths: dict[str, Any] = {
        f"/api/{name}": {"post": _post(name, kind)} for name, kind in REQUESTS.items()
    }
    paths["/api/about"] = {"get": _operation("about", "Limits, bundled tables and formats.", {})}
    paths["/api/openapi.json"] = {"get": _operation("openapi", "This document.", {})}
    paths["/api/tables"] = {"post": _upload()}
    paths["/api/tables/{table}"] = {"delete": _forget()}
    return {
        "openapi": "3.1.0",
        "info": {"title": "gnri", "version": version("gnri"), "description": ABOUT},
        "paths": paths,
        "components": {"schemas": _schemas()},
    }


def _schemas() -> dict[str, Any]:
    """Return the schema of each request, with which of its parts come alone or together."""
    kinds: list[type[ApiRequest]] = [*REQUESTS.values(), UploadRequest]
    _, found = schema_components(kinds, ref_template="#/components/schemas/{name}")
    for kind in kinds:
        schema = found[kind.__name__]
        if kind.either:
            schema["oneOf"] = [{"required": [part]} for part in kind.either]
        if kind.together:
            schema["dependentRequired"] = {one: [*more] for one, more in kind.together.items()}
    return found


def _post(name: str, kind: type[ApiRequest]) -> dict[str, Any]:
    refusals = OF_A_BODY | (OF_A_TABLE if "table" in kind.__struct_fields__ else {})
    found = _operation(name, (kind.__doc__ or "").partition("\n")[0], refusals)
    schema = {"$ref": f"#/components/schemas/{kind.__name__}"}
    content = {"application/json": {"schema": schema}}
    return {**found, "requestBody": {"required": True, "content": content}}


def _upload() -> dict[str, Any]:
    found = _post("upload", UploadRequest)
    for kind in ("text/csv", "text/tab-separated-values"):
        found["requestBody"]["content"][kind] = {"schema": TEXT}
    return {**found, "parameters": [{"name": "name", "in": "query", "schema": TEXT}]}


def _forget() -> dict[str, Any]:
    table = {"name": "table", "in": "path", "required": True, "schema": TEXT}
    found = _operation("forget", "Free a table, if it is still kept.", {})
    del found["responses"]["200"]
    found["responses"]["204"] = {"description": "it is gone"}
    return {**found, "parameters": [table]}


def _operation(name: str, summary: str, refusals: Mapping[str, str]) -> dict[str, Any]:
    error = {"type": "object", "properties": {"error": TEXT}, "required": ["error"]}
    content: dict[str, Any] = {"application/json": {"schema": OBJECT}}
    all_refusals = {**ANYWHERE, **refusals}
    if name in LONG:
        content["application/x-ndjson"] = {"schema": LINE}
        all_refusals |= OF_A_JOB
    refused = {
        status: {"description": words, "content": {"application/json": {"schema": error}}}
        for status, words in sorted(all_refusals.items())
    }
    found = {"description": "the answer", "content": content}
    return {"operationId": name, "summary": summary, "responses": {"200": found, **refused}}
