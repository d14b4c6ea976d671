"""The OpenAPI document of the endpoints."""

from importlib.metadata import version
from itertools import product
from typing import Any

from msgspec.json import schema_components

from gnri.web.schemas import OBJECT, REQUESTS, TABLE_TYPES, ApiRequest, UploadRequest
from gnri.web.security import LINES

ABOUT = (
    "Learn rules from tables, on this machine. Closing the connection stops a job. A client that "
    "accepts application/x-ndjson gets lines of JSON with the progress. Once the first line is "
    "sent, the HTTP status is 200; a later error is in the last line, with its own status."
)
TEXT = {"type": "string"}
LINE = {
    "description": "A line has progress and note; the last one has result, or error and status.",
    "anyOf": [{"required": [key]} for key in ("progress", "result", "error")],
}
ANY = {
    "400": "not JSON, a repeated key, or not the address that the server printed",
    "403": "the header `Origin` names another site than this server",
    "405": "method not allowed; the header `Allow` lists those that are",
    "413": "larger than the limit in /api/about",
    "500": "an error of the server; its terminal has the details",
    "503": "too many jobs or connections, no worker, or the server is stopping; try again",
}
WITH_BODY = {
    "408": "the request took longer to arrive than the limit in /api/about",
    "415": "another content type than those listed",
    "422": "a table, a rule or a setting is invalid; the message says what to do",
    "504": "the job took longer than the limit in /api/about",
}
WITH_TABLE = {
    "404": "the table is no longer stored; send it again",
    "409": "nothing was learnt from the table yet, or `learnt` is not its last digest",
}
"""Why a request is refused: `ANY` request, one with a JSON body, one about a stored table."""


def describe_api() -> dict[str, Any]:
    """Return the document at /api/openapi.json."""
    upload = _operation("upload", UploadRequest)
    upload["requestBody"]["content"] |= {kind: {"schema": TEXT} for kind in TABLE_TYPES}
    upload["parameters"] = [{"name": "name", "in": "query", "schema": TEXT}]
    forget = _operation("forget", summary="Delete a stored table.")
    forget["responses"]["204"] = {**forget["responses"].pop("200"), "description": "deleted"}
    forget["parameters"] = [{"name": "table", "in": "path", "required": True, "schema": TEXT}]
    about = _operation("about", summary="Return limits, ready workers, bundled tables, formats.")
    return {
        "openapi": "3.1.0",
        "info": {"title": "gnri", "version": version("gnri"), "description": ABOUT},
        "paths": {
            **{f"/api/{name}": {"post": _operation(name, REQUESTS[name])} for name in REQUESTS},
            "/api/about": {"get": about},
            "/api/openapi.json": {"get": _operation("openapi", summary="Return this document.")},
            "/api/tables": {"post": upload},
            "/api/tables/{table}": {"delete": forget},
        },
        "components": {"schemas": _schemas()},
    }


def _schemas() -> dict[str, Any]:
    """Return the schema of each request."""
    kinds: list[type[ApiRequest]] = [*REQUESTS.values(), UploadRequest]
    _, found = schema_components(kinds, ref_template="#/components/schemas/{name}")
    for kind in kinds:
        schema = found[kind.__name__]
        if kind.either:
            schema["oneOf"] = [{"required": list(choice)} for choice in product(*kind.either)]
        if kind.needs:
            schema["dependentRequired"] = {name: [other] for name, other in kind.needs}
    return found


def _operation(
    name: str, request: type[ApiRequest] | None = None, summary: str = ""
) -> dict[str, Any]:
    found: dict[str, Any] = {"operationId": name, "summary": summary}
    content: dict[str, Any] = {"application/json": {"schema": OBJECT}}
    refusals = dict(ANY)
    if request is not None:
        refusals |= WITH_BODY | (WITH_TABLE if "table" in request.__struct_fields__ else {})
        content[LINES] = {"schema": LINE}
        body = {"schema": {"$ref": f"#/components/schemas/{request.__name__}"}}
        found["summary"] = (request.__doc__ or "").partition("\n")[0]
        found["requestBody"] = {"required": True, "content": {"application/json": body}}
    error = {"type": "object", "properties": {"error": TEXT}, "required": ["error"]}
    found["responses"] = {"200": {"description": "the answer", "content": content}} | {
        status: {"description": words, "content": {"application/json": {"schema": error}}}
        for status, words in sorted(refusals.items())
    }
    return found
