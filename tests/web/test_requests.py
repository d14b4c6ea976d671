"""Requests are read strictly, and refused with a sentence on what is wrong."""

import json
from typing import Any

import httpx
import pytest

from fuzz.targets import rule_list_text
from gnri.web.schemas import PlaygroundRequest, PredictRequest, ScoreRequest, decode_request
from gnri.web.security import Limits, Refusal
from tests.web.serving import client, running

RULESET = json.loads(rule_list_text())
ROW = {"age": 40, "odor": "foul", "dose": "a", "ill": True, "ä": "\U0001d538", "more": [{"a": [1]}]}


@pytest.mark.parametrize(
    "body",
    [
        '{"table": "a", "table": "b"}',
        '{"table": "a", "rules": [{"positive": true, "positive": true, "clauses": []}]}',
    ],
)
def test_a_key_that_stands_twice_is_refused(body: str) -> None:
    with pytest.raises(Refusal, match="same key twice") as refusal:
        decode_request(body.encode(), ScoreRequest)
    assert refusal.value.status == 400


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ("[" * 200_000, 422, "Expected `object`, got `array`; see /api/openapi.json"),
        ('{"rows": ' + "[" * 200_000, 400, "must be valid JSON"),
        ('{"csv": "a', 400, "must be valid JSON"),
        ('{"rule_list": {}, "rows": [NaN]}', 400, "must be valid JSON"),
        ('{"rule_list": {}, "csv": 3}', 422, "Expected `str`, got `int` - at `$.csv`"),
        ('{"csv": "a"}', 422, "missing required field `rule_list`"),
        ('{"cvs": "a"}', 422, "unknown field 'cvs'; did you mean 'csv'?"),
    ],
)
def test_what_is_no_such_request_is_refused(body: str, status: int, words: str) -> None:
    with pytest.raises(Refusal) as refusal:
        decode_request(body.encode(), PredictRequest)
    assert refusal.value.status == status
    assert words in refusal.value.message and "\n" not in refusal.value.message


def test_text_that_is_not_utf8_is_no_json() -> None:
    for body in (b'{"rule_list": {}, "csv": "\xff"}', b'{"rule_list": {"a": "\xff"}, "csv": ""}'):
        with pytest.raises(Refusal, match="must be valid JSON"):
            decode_request(body, PredictRequest)


def test_a_message_stays_short_whatever_came() -> None:
    long = "a" * 10_000
    for body in ({long: 1}, {"table": "a", "change": long}, {"table": "a", "change": {long: 1}}):
        with pytest.raises(Refusal) as refusal:
            decode_request(json.dumps(body).encode(), PlaygroundRequest)
        assert len(refusal.value.message) < 300


def test_many_rows_get_the_answers_of_one(web: httpx.Client) -> None:
    one = {"rule_list": RULESET, "rows": [ROW]}
    table = {
        "rule_list": RULESET,
        "csv": "age,odor,dose,ill,ä\n" + "40,foul,a,1,\U0001d538\n" * 9_000,
    }
    (answer,) = web.post("/api/predict", json=one).json()["predictions"]
    for asked, rows in (({**one, "rows": [ROW] * 3_000}, 3_000), (table, 9_000)):
        body = json.dumps(asked, ensure_ascii=False).encode()
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
    found = web.post(f"/api/{path}", json={"rule_list": RULESET, **rows})
    assert found.status_code == 422
    assert "at most 200,000 rows can be read here, the table has 200,001" in found.json()["error"]


def test_a_key_that_stands_twice_in_one_of_many_rows(web: httpx.Client) -> None:
    rows = json.dumps([ROW] * 3_000).replace("}]", ', "age": 1}]')
    body = f'{{"rule_list": {json.dumps(RULESET)}, "rows": {rows}}}'
    found = web.post("/api/predict", content=body, headers={"content-type": "application/json"})
    assert found.status_code == 400 and "same key twice" in found.json()["error"]


def test_what_may_take_long_is_done_by_the_processes_that_can_be_stopped() -> None:
    asked = {"rule_list": RULESET}
    with running(Limits(workers=0, waiting=0)) as address, client(address) as web:
        for path, more in (
            ("predict", {"rows": [ROW]}),
            ("explain", {"rows": [ROW]}),
            ("export", {"format": "text"}),
        ):
            assert web.post(f"/api/{path}", json=asked | more).status_code == 503


def test_a_saved_ruleset_is_explained_by_lines_as_in_one(web: httpx.Client) -> None:
    asked = {"rule_list": RULESET, "rows": [ROW]}
    whole = web.post("/api/explain", json=asked).json()
    lines = web.post("/api/explain", json=asked, headers={"accept": "application/x-ndjson"})
    assert json.loads(lines.text.splitlines()[-1]) == {"result": whole}
