"""Large requests are answered as small ones are, and their parts are made when asked for."""

import json
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzz.targets import ruleset_text
from gnri.web.json_form import LARGE
from gnri.web.large import PARTS, Large, read_json
from gnri.web.refusal import Refusal
from gnri.web.security import Limits
from tests.web.serving import client, running

RULESET = json.loads(ruleset_text())
ROW = {"age": 40, "odor": "foul", "dose": "a", "ill": True, "ä": "\U0001d538", "more": [{"a": [1]}]}

pieces = st.sampled_from(
    ["a", "é", "\U0001d538", '"', "\\", "\n", "\ud83d", "\ude00", "\x01", "b" * 300, "字" * 100]
)


@given(st.lists(pieces, max_size=60).map("".join), st.sampled_from([1, 40]))
def test_text_in_utf8_is_the_text(text: str, times: int) -> None:
    body = json.dumps({"csv": text * times}).encode()
    assert Large(body).utf8("csv") == json.loads(body)["csv"].encode(errors="replace")
    plain = "".join(one for one in text if not "\ud800" <= one <= "\udfff")
    body = json.dumps({"csv": plain * times}, ensure_ascii=False).encode()
    assert Large(body).utf8("csv") == (plain * times).encode()


@pytest.mark.parametrize("indent", [None, 1])
def test_a_large_request_has_the_parts_of_its_json(indent: int | None) -> None:
    asked = {
        "ruleset": RULESET,
        "rows": [ROW] * 3_000,
        "rules": [None, {"positive": True, "clauses": [[[0, True], [1, False]], []]}],
        "columns": {"a": {"kind": "number", "cuts": [1.5, 2]}},
        "csv": "a,b\n1,2\n",
        "seed": 3,
        "target": "ä",
    }
    body = json.dumps(asked, indent=indent).encode()
    found = read_json(body)
    assert len(body) > LARGE and isinstance(found, Large)
    assert dict(found) == asked and len(found) == len(asked) and "x" not in found


@pytest.mark.parametrize("spaces", [0, LARGE])
@pytest.mark.parametrize(
    "body",
    [
        '{"seed": 1, "seed": 2}',
        '{"rows": [{"a": 1, "a": 2}]}',
        '{"ruleset": {"rules": [], "rules": []}}',
    ],
)
def test_a_key_that_stands_twice_is_refused(body: str, spaces: int) -> None:
    with pytest.raises(Refusal, match="a key stands twice"):
        dict(read_json((body + " " * spaces).encode()))


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"rows": [[]] * 60_000}, "'rows' does not have its form at byte 11"),
        ({"rows": [ROW] * 3_000 + [{"age": [[[[]]]]}]}, "'rows' does not have its form"),
        ({"target": "a" * LARGE}, "'target' must be short"),
        ({f"a{i}": 0 for i in range(20_000)}, f"fewer than {PARTS} parts"),
    ],
)
def test_a_large_request_that_has_not_their_form(asked: dict[str, Any], words: str) -> None:
    with pytest.raises(Refusal, match=words):
        read_json(json.dumps(asked).encode())


def test_many_rows_get_the_answers_of_one(web: httpx.Client) -> None:
    one = {"ruleset": RULESET, "rows": [ROW]}
    table = {
        "ruleset": RULESET,
        "csv": "age,odor,dose,ill,ä\n" + "40,foul,a,1,\U0001d538\n" * 9_000,
    }
    (answer,) = web.post("/api/predict", json=one).json()["predictions"]
    for asked, rows in (({**one, "rows": [ROW] * 3_000}, 3_000), (table, 9_000)):
        body = json.dumps(asked, ensure_ascii=False).encode()
        assert len(body) > LARGE
        headers = {"content-type": "application/json"}
        found = web.post("/api/predict", content=body, headers=headers)
        assert found.json() == {"predictions": [answer] * rows}


@pytest.mark.parametrize("path", ["predict", "explain"])
@pytest.mark.parametrize(
    "rows", [{"csv": "age\n" + "1\n" * 200_001}, {"rows": [{}] * 200_001}], ids=["csv", "rows"]
)
def test_more_rows_than_a_table_may_have(
    web: httpx.Client, path: str, rows: dict[str, Any]
) -> None:
    found = web.post(f"/api/{path}", json={"ruleset": RULESET, **rows})
    assert found.status_code == 422
    assert "at most 200,000 rows can be read here, the table has 200,001" in found.json()["error"]


def test_a_key_that_stands_twice_in_one_of_many_rows(web: httpx.Client) -> None:
    rows = json.dumps([ROW] * 3_000).replace("}]", ', "age": 1}]')
    body = f'{{"ruleset": {json.dumps(RULESET)}, "rows": {rows}}}'
    assert len(body) > LARGE
    found = web.post("/api/predict", content=body, headers={"content-type": "application/json"})
    assert found.status_code == 422 and "stands twice" in found.json()["error"]


def test_what_may_take_long_is_done_by_the_processes_that_can_be_stopped() -> None:
    asked = {"ruleset": RULESET}
    with running(Limits(workers=0, waiting=0)) as address, client(address) as web:
        for path, more in (
            ("predict", {"rows": [ROW]}),
            ("explain", {"rows": [ROW]}),
            ("export", {"to": "text"}),
        ):
            assert web.post(f"/api/{path}", json=asked | more).status_code == 503


def test_a_saved_ruleset_is_explained_by_lines_as_in_one(web: httpx.Client) -> None:
    asked = {"ruleset": RULESET, "rows": [ROW]}
    whole = web.post("/api/explain", json=asked).json()
    lines = web.post("/api/explain", json=asked, headers={"accept": "application/x-ndjson"})
    assert json.loads(lines.text.splitlines()[-1]) == {"result": whole}


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        (b'{"rows": ' + b"[" * 200_000, 422, "'rows' does not have its form"),
        (b"a" * 200_000, 400, "must be JSON"),
        (b'"' + b"a" * 200_000 + b'"', 400, "must be JSON"),
        (b'{"csv": "' + b"a" * 200_000 + b'\xff"}', 400, "must be JSON"),
        (b'{"csv": "' + b"a" * 200_000 + b'"}', 422, "'ruleset' must be an object, got nothing"),
        (b'{"cvs": "a", "csv": "' + b"a" * 200_000 + b'"}', 422, "did you mean 'csv'?"),
    ],
)
def test_what_is_large_and_wrong(web: httpx.Client, body: bytes, status: int, words: str) -> None:
    headers = {"content-type": "application/json"}
    found = web.post("/api/predict", content=body, headers=headers)
    assert found.status_code == status and words in found.json()["error"]
