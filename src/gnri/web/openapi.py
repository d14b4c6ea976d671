"""The endpoints described in OpenAPI, for programs that ask instead of people."""

from importlib.metadata import version
from typing import Any

from msgspec.json import schema_components

from gnri.web.schemas import REQUESTS, TABLE_TYPES, ApiRequest, UploadRequest

ABOUT = (
    "Rules from tables, on this machine. Hanging up stops a job. To those who accept "
    "application/x-ndjson it answers with lines of JSON and its progress; the answer then begins "
    "with the status 200 at the first step, and an error after that stands in the last line, with "
    "its own status. What is refused before has its status as ever."
)
TEXT = {"type": "string"}
OBJECT = {"type": "object"}
LINE = {
    "description": "Each line has progress and note; the last one result, or error and status.",
    "anyOf": [{"required": [key]} for key in ("progress", "result", "error")],
}
ANY = {
    "400": "not JSON, or not the address that the server printed",
    "403": "asked by another page",
    "405": "asked with another method; the header `Allow` says which there are",
    "413": "more than the limit in /api/about",
    "500": "a mistake of the server, which is on its terminal",
    "503": "too many jobs at once, or the server is stopping; try again",
}
WITH_BODY = {
    "408": "the request took longer to come in than the limit in /api/about",
    "415": "another content type than those listed",
    "422": "a table, a rule or a setting that cannot be; the message says what to do",
    "504": "longer than the limit in /api/about",
}
WITH_TABLE = {
    "404": "the table is no longer kept; send it again",
    "409": "there is no rule of the table yet, or `learnt` is not what was learnt last",
}
"""Why a request is refused: any, one with a body, one about a table."""


def describe_api() -> dict[str, Any]:
    """Return the document at /api/openapi.json."""
    upload = _operation("upload", UploadRequest)
    upload["requestBody"]["content"] |= {kind: {"schema": TEXT} for kind in TABLE_TYPES}
    upload["parameters"] = [{"name": "name", "in": "query", "schema": TEXT}]
    forget = _operation("forget", summary="Free a table, if it is still kept.")
    forget["responses"]["204"] = {**forget["responses"].pop("200"), "description": "it is gone"}
    forget["parameters"] = [{"name": "table", "in": "path", "required": True, "schema": TEXT}]
    about = _operation("about", summary="Limits, bundled tables and formats.")
    return {
        "openapi": "3.1.0",
        "info": {"title": "gnri", "version": version("gnri"), "description": ABOUT},
        "paths": {
            **{f"/api/{name}": {"post": _operation(name, REQUESTS[name])} for name in REQUESTS},
            "/api/about": {"get": about},
            "/api/openapi.json": {"get": _operation("openapi", summary="This document.")},
            "/api/tables": {"post": upload},
            "/api/tables/{table}": {"delete": forget},
        },
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


def _operation(
    name: str, request: type[ApiRequest] | None = None, summary: str = ""
) -> dict[str, Any]:
    found: dict[str, Any] = {"operationId": name, "summary": summary}
    content: dict[str, Any] = {"application/json": {"schema": OBJECT}}
    refusals = dict(ANY)
    if request is not None:
        refusals |= WITH_BODY | (WITH_TABLE if "table" in request.__struct_fields__ else {})
        content["application/x-ndjson"] = {"schema": LINE}
        body = {"schema": {"$ref": f"#/components/schemas/{request.__name__}"}}
        found["summary"] = (request.__doc__ or "").partition("\n")[0]
        found["requestBody"] = {"required": True, "content": {"application/json": body}}
    error = {"type": "object", "properties": {"error": TEXT}, "required": ["error"]}
    found["responses"] = {"200": {"description": "the answer", "content": content}} | {
        status: {"description": words, "content": {"application/json": {"schema": error}}}
        for status, words in sorted(refusals.items())
    }
    return found
