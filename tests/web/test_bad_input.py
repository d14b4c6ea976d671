"""What is wrong is refused, with a sentence on what to do, and the server lives on."""

import asyncio
import io
import random
import socket
import zipfile
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from gnri.web.security import Limits
from tests.web.serving import COLUMNS, client, running, table_text, upload

SCRIPT = "<script>alert(1)</script>"


def zipped() -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("table.csv", table_text())
    return data.getvalue()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (zipped(), "a zip archive or a spreadsheet"),
        (b"\x1f\x8b\x08rest", "a gzip archive"),
        (b"PAR1rest", "a Parquet file"),
        (b"a,b\n1,\x00\n", "zero bytes, as UTF-16 and binary files have"),
        ("a,b\n1,2\n".encode("utf-16"), "zero bytes"),
        ("a,b\n1,2\n".encode("utf-16-be"), "zero bytes"),
        (b"\0" * 100, "zero bytes"),
        (b"a,b\n1,\xff\n", "must be UTF-8"),
        (b"", "is empty"),
        (b"\n\n", "is empty"),
        (b"a,b\n", "no rows"),
        (b"a,a\n1,2\n", "different names"),
        (b"a,\n1,2\n", "needs a name"),
        (b"a,b\n1,2,3\n", "must have 2 cells"),
        (b'a,b\n"1,2\n', "cannot be read"),
        (b",".join(b"c%d" % i for i in range(1001)) + b"\n", "at most 1,000 columns"),
        (
            b"a,b\n" + b"1,2\n" * 200_001,
            "at most 200,000 rows can be read here, pets.csv has 200,001;",
        ),
        (b'"a",b\n' + b"1,2\n" * 200_001, "pets.csv has 200,001"),
    ],
)
def test_a_file_that_is_no_table(web: httpx.Client, data: bytes, words: str) -> None:
    response = web.post(
        "/api/tables?name=pets.csv", content=data, headers={"content-type": "text/csv"}
    )
    assert response.status_code == 422
    assert words in response.json()["error"]


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({}, "missing required field `target`"),
        ({"target": 3}, "Expected `str`, got `int` - at `$.target`"),
        ({"target": "nothing"}, "has no column"),
        ({"target": "id"}, "holds 120 different values"),
        ({"target": "ill", "columns": {"x": {}}}, "has no column"),
        ({"target": "ill", "columns": {"age": 3}}, "Expected `object`, got `int`"),
        ({"target": "ill", "columns": {"age": {"kind": "prime"}}}, "Invalid enum value 'prime'"),
        ({"target": "ill", "columns": {"age": {"kinds": "text"}}}, "did you mean 'kind'"),
        ({"target": "ill", "columns": {"age": {"thresholds": []}}}, "length >= 1"),
        ({"target": "ill", "columns": {"age": {"thresholds": [True]}}}, "Expected `float`"),
        (
            {
                "target": "ill",
                "columns": {"a": {"thresholds": [1] * 600}, "b": {"thresholds": [1] * 401}},
            },
            "at most 1,000 thresholds can be given in all, got 1,001",
        ),
        (
            {"target": "ill", "columns": {"dose": {"thresholds": [1]}, **COLUMNS}},
            "only columns of numbers",
        ),
        ({"target": "ill", "columns": {"dose": {"kind": "number"}, **COLUMNS}}, "must hold number"),
        ({"target": "ill", "columns": {"id": {"kind": "category"}}}, "like free text or an ident"),
        ({"target": "ill", "tabel": 1}, "did you mean 'table'?"),
    ],
)
def test_a_rule_that_cannot_be_asked_for(web: httpx.Client, asked: Any, words: str) -> None:
    response = web.post("/api/induce", json={"csv": table_text(), **asked})
    assert response.status_code == 422
    assert words in response.json()["error"]


@pytest.mark.parametrize(
    ("path", "asked", "words"),
    [
        ("induce", {"table": "x", "csv": "a", "target": "b"}, "got 'table' and 'csv'"),
        ("induce", {"target": "b"}, "exactly one of 'table' or 'csv'; got none"),
        ("audit", {"table": "x", "csv": "a", "target": "b"}, "got 'table' and 'csv'"),
        ("audit", {"csv": table_text()}, "with 'csv' must have 'target' as well"),
        ("predict", {"rule_list": {}, "rows": [], "csv": "a"}, "got 'rows' and 'csv'"),
        ("explain", {"rule_list": {}}, "'row' or 'rows' or 'csv'; got none"),
        ("explain", {"rule_list": {}, "table": "x", "row": 0}, "got 'table' and 'rule_list'"),
    ],
)
def test_what_comes_twice_or_not_at_all(
    web: httpx.Client, path: str, asked: dict[str, Any], words: str
) -> None:
    response = web.post(f"/api/{path}", json=asked)
    assert response.status_code == 422
    assert words in response.json()["error"]


def test_columns_are_not_passed_over_in_an_audit(web: httpx.Client, table: str) -> None:
    response = web.post("/api/audit", json={"table": table, "columns": COLUMNS})
    assert response.status_code == 422
    assert "must have 'target' as well" in response.json()["error"]


def literal_at(*place: Any) -> dict[str, Any]:
    return {"rule": place[0], "clause": place[1], "literal": place[2]}


@pytest.mark.parametrize(
    ("path", "asked"),
    [
        ("score", {"rules": []}),
        ("score", {"rules": 3}),
        ("score", {"rules": [3]}),
        ("score", {"rules": [{"clauses": [], "positive": 1}]}),
        ("score", {"rules": [{"clauses": [3], "positive": True}]}),
        ("score", {"rules": [{"clauses": [[[0, 1]]], "positive": True}]}),
        ("score", {"rules": [{"clauses": [[[10**9, True]]], "positive": True}]}),
        ("score", {"rules": [{"clauses": [[[-1, True]]], "positive": True}]}),
        ("score", {"rules": [{"clauses": [[[0, True]]] * 241, "positive": True}]}),
        ("edits", {"rules": [{"clauses": [[[0, True]] * 5_001], "positive": True}]}),
        ("explain", {"rules": [{"clauses": [[[0, True]]] * 20_000, "positive": True}], "row": 0}),
        ("explain", {"row": -1}),
        ("explain", {"row": 120}),
        ("explain", {"row": True}),
        ("edits", literal_at(0, 0, 99)),
        ("edits", literal_at(7, 0, 0)),
        ("edits", literal_at(0, -1, 0)),
        ("playground", {"change": "colours"}),
        ("playground", {"change": "rows", "rule": 9}),
        ("playground", {"change": "rows", "seed": -1}),
        ("playground", {"change": "rows", "learner": "forest"}),
        ("audit", {"learner": "forest"}),
        ("export", {"format": "word"}),
        ("export", {}),
    ],
)
def test_a_question_that_makes_no_sense(
    web: httpx.Client, table: str, path: str, asked: dict[str, Any]
) -> None:
    response = web.post(f"/api/{path}", json={"table": table, **asked})
    assert response.status_code == 422
    assert response.json()["error"]


@pytest.mark.parametrize("body", [{"rule_list": {}}, {"rule_list": {"format": "gnri-ruleset"}}, {}])
def test_a_ruleset_that_is_none(web: httpx.Client, body: dict[str, Any]) -> None:
    for path in ("predict", "explain", "export"):
        assert web.post(f"/api/{path}", json={**body, "format": "text"}).status_code == 422


def test_there_is_no_rule_before_one_is_asked_for(web: httpx.Client) -> None:
    name = upload(web, table_text()).json()["table"]
    assert web.post("/api/compare", json={"table": name}).status_code == 409


def test_markup_in_names_and_cells_stays_text(web: httpx.Client) -> None:
    text = f'"{SCRIPT}","class"\n' + f'"{SCRIPT}",x\n"<b>",y\n"<i>",y\n' * 6
    name = upload(web, text, SCRIPT).json()["table"]
    view = web.post("/api/induce", json={"table": name, "target": "class"}).json()
    assert SCRIPT in view["rules"][0]["clauses"][0]["text"]
    report = web.post("/api/export", json={"table": name, "format": "html"}).json()["content"]
    assert "<script" not in report and "&lt;script" in report


def test_every_job_waits_for_a_worker_and_none_is_done_beside_them() -> None:
    with running(Limits(workers=1, waiting=0)) as address, client(address) as web:
        while upload(web, table_text(9)).status_code == 503:
            pass  # the worker starts
        name = web.post("/api/tables", json={"dataset": "digits"}).json()["table"]
        web.post("/api/induce", json={"table": name, "target": "class"})
        asked, lines = {"table": name}, {"accept": "application/x-ndjson"}
        requests: dict[str, dict[str, Any]] = {
            "score": {},
            "edits": literal_at(0, 0, 0),
            "explain": {"row": 0},
            "export": {"format": "text"},
        }
        with web.stream("POST", "/api/compare", json=asked, headers=lines) as running_job:
            assert "progress" in next(running_job.iter_lines())
            for path, more in requests.items():
                assert web.post(f"/api/{path}", json={**asked, **more}).status_code == 503
            assert web.get("/api/about").json()["ready"] == 1
        answers = (web.post("/api/score", json=asked).status_code for _ in iter(int, 1))
        assert next(one for one in answers if one != 503) == 200  # nobody waits for the job


def test_many_at_once_are_served_or_refused() -> None:
    with running(Limits(workers=1, waiting=5)) as address:
        codes = asyncio.run(_at_once(address, 50))
        assert set(codes) <= {200, 503}
        assert codes.count(200) >= 6
        with client(address) as web:
            assert web.get("/api/about").status_code == 200


async def _at_once(address: str, count: int) -> list[int]:
    body = {"csv": table_text(40), "target": "ill", "columns": COLUMNS}
    limits = httpx.Limits(max_connections=count)
    async with httpx.AsyncClient(base_url=address, timeout=60, limits=limits) as web:
        await web.post("/api/induce", json=body)  # the worker is warm now
        sent = await asyncio.gather(*(web.post("/api/induce", json=body) for _ in range(count)))
    return [response.status_code for response in sent]


def test_the_server_lives_on_after_a_thousand_malformed_requests(
    web: httpx.Client, address: str
) -> None:
    chance = random.Random(0)
    paths = ["induce", "score", "edits", "explain", "predict", "audit", "export", "tables", "x"]
    for _ in range(900):
        body = _garbage(chance)
        headers = {"content-type": chance.choice(["application/json", "text/plain", "", "x"])}
        path = f"/api/{chance.choice(paths)}"
        assert 400 <= web.post(path, content=body, headers=headers).status_code < 500
    for _ in range(100):
        _raw(address, chance.randbytes(chance.randrange(1, 300)))
    assert web.get("/api/about").status_code == 200


def _garbage(chance: random.Random) -> bytes:
    return chance.choice(
        [
            chance.randbytes(chance.randrange(200)),
            b"[" * chance.randrange(1, 100_000),
            b'{"table": ' * chance.randrange(1, 5_000),
            b'{"table": NaN}',
            b'{"table": 1e999, "target": []}',
            b'{"table": "\\ud800", "rules": null}',
            b"[]",
            b"null",
            b'{"rules": {"a": ' + b"9" * 5_000 + b"}}",
        ]
    )


def _raw(address: str, data: bytes) -> None:
    place = urlsplit(address)
    with socket.create_connection((place.hostname, place.port)) as sent:
        sent.sendall(data)
