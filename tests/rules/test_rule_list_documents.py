"""JSON documents come back equal, and what is not ours is refused."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnri.data.schema import Above, Equals, IsTrue, OneOf, Schema
from gnri.errors import RuleError
from gnri.rules.dnf import SignedDNF
from gnri.rules.documents import load_ruleset, read_ruleset, save_ruleset
from gnri.rules.documents import ruleset_to_json as to_json
from gnri.rules.rule_list import RuleSet
from tests.formats.cases import random_ruleset

SCHEMA = Schema(
    (Above("a", 0.1 + 0.2), Equals("b", "x"), OneOf("b", ("y", "z")), IsTrue("c")), ((1, 2),)
)
RULES = RuleSet(SCHEMA, ("no", "yes"), (SignedDNF([[(0, True), (3, False)]], False),), majority=0)

VERSION_1 = (
    '{"format": "gnri-ruleset", "version": 1, "classes": ["no", "yes"], "majority": 0, '
    '"turns": [], "atoms": [{"kind": "above", "column": "a", "cut": 0.30000000000000004}, '
    '{"kind": "equals", "column": "b", "value": "x"}, '
    '{"kind": "one of", "column": "b", "values": ["y", "z"]}, {"kind": "true", "column": "c"}], '
    '"blocks": [[1, 2]], "rules": [{"format": "gnri-rule", "version": 1, "positive": false, '
    '"clauses": [[[0, true], [3, false]]]}]}'
)


def test_version_1_stays_as_it_is() -> None:
    assert to_json(RULES) == VERSION_1
    assert load_ruleset(VERSION_1) == RULES


@given(st.integers(0, 2**63))
def test_round_trip(seed: int) -> None:
    rules = random_ruleset(np.random.default_rng(seed))
    again = load_ruleset(to_json(rules))
    assert again == rules
    assert repr((again.schema, again.classes)) == repr((rules.schema, rules.classes))
    assert to_json(again) == to_json(rules)


@pytest.mark.parametrize("cut", [5e-324, -0.0, 1.7976931348623157e308, 1 / 3, 2.0**-1022])
def test_floats_come_back_bit_by_bit(cut: float) -> None:
    rules = RuleSet(Schema((Above("a", cut),)), (0, 1), (None,), majority=0)
    assert load_ruleset(to_json(rules)).schema.atoms[0].cut.hex() == cut.hex()


def changed(**changes: object) -> str:
    return json.dumps(json.loads(VERSION_1) | changes)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not a ruleset document in JSON"),
        ("[]", "must be an object"),
        ("{}", "format must be"),
        ('{"format": "gnri-rule"}', "format must be"),
        (changed(version=2), "version 2.*upgrade"),
        (changed(version=True), "whole number from 1"),
        (changed(extra=1), "no key 'extra'"),
        (VERSION_1.replace('"majority": 0, ', ""), '"majority", which is missing'),
        (VERSION_1.replace('"majority": 0', '"majority": 0, "majority": 1'), "twice"),
        (VERSION_1.replace("0.30000000000000004", "NaN"), "NaN is not JSON"),
        (VERSION_1.replace("0.30000000000000004", "1e999"), "finite"),
        (VERSION_1.replace("0.30000000000000004", "9" * 400), "finite"),
        (VERSION_1.replace("0.30000000000000004", "true"), "finite"),
        (VERSION_1.replace('"above"', '"below"'), r"atoms\[0\]"),
        (VERSION_1.replace('"above"', '["above"]'), r"atoms\[0\]"),
        (VERSION_1.replace('"cut"', '"cuts"'), r"atoms\[0\]"),
        (VERSION_1.replace('["y", "z"]', '"yz"'), "values must be a list"),
        (VERSION_1.replace('["y", "z"]', "[[1]]"), "text, a number"),
        (VERSION_1.replace('"column": "a"', '"column": 3'), "valid text"),
        (VERSION_1.replace('"column": "a"', '"column": "\\ud800"'), "valid text"),
        (changed(atoms={}), "atoms must be a list"),
        (changed(blocks=[[9]]), "block"),
        (changed(blocks=[1]), r"blocks\[0\] must be a list, got 1"),
        (changed(blocks=[[True]]), "lists of whole numbers"),
        (changed(majority="no"), "majority"),
        (changed(majority=5), "majority"),
        (changed(turns=[["a"]]), "lists of whole numbers"),
        (changed(turns=[[0]]), "no turns"),
        (changed(classes=["a"]), "2 or more"),
        (changed(classes=[[], []]), "class label"),
        (changed(rules=[7]), r"rules\[0\]"),
        (changed(rules=[None, None]), "need 1 rules"),
        (VERSION_1.replace('"positive": false', '"positive": 0'), r"rules\[0\]: positive"),
        (
            VERSION_1.replace('"positive": false', '"positive": false, "names": ["a","b","c","d"]'),
            "no names",
        ),
        (VERSION_1.replace("[0, true]", "[9, true]"), "atom x9"),
        ("[" * 100_000, "levels|JSON"),
        (changed(classes="PLACE").replace('"PLACE"', "[" * 900 + "]" * 900), "levels|class"),
    ],
)
def test_what_is_not_ours_is_refused(text: str, message: str) -> None:
    with pytest.raises(RuleError, match=message):
        load_ruleset(text)


@given(st.data())
def test_a_damaged_document_is_read_or_refused(data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(VERSION_1)))
    stop = data.draw(st.integers(start, min(len(VERSION_1), start + 8)))
    piece = data.draw(st.sampled_from(["", "0", "-1", "null", "[]", "{}", '"', "]", "true", "1e9"]))
    try:
        found = load_ruleset(VERSION_1[:start] + piece + VERSION_1[stop:])
    except RuleError:
        return
    assert load_ruleset(to_json(found)) == found


def test_bytes_are_refused() -> None:
    with pytest.raises(RuleError, match="must be a string"):
        load_ruleset(b"{}")


def test_saved_and_read_again(tmp_path: Path) -> None:
    path = save_ruleset(RULES, tmp_path / "rule.json")
    save_ruleset(RULES, str(path))
    assert read_ruleset(path) == RULES
    assert [file.name for file in tmp_path.iterdir()] == ["rule.json"]


def test_a_failed_save_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "rule.json"
    path.write_text("precious")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(RuleError, match="No space left"):
        save_ruleset(RULES, path)
    assert path.read_text() == "precious"
    assert [file.name for file in tmp_path.iterdir()] == ["rule.json"]


def test_a_large_file_is_read_and_a_larger_one_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kinds = (Above("a", 0.5), Equals("b", True), OneOf("c", ("x", "y")), IsTrue("d"))
    schema = Schema(tuple(kinds[i % 4] for i in range(10_001)), ((1,),))
    saved = RuleSet(schema, ("no", "yes"), RULES.rules, majority=0)
    path = save_ruleset(saved, tmp_path / "rule.json")
    size = path.stat().st_size
    monkeypatch.setattr("gnri.rules.documents.MAX_BYTES", size)
    assert read_ruleset(save_ruleset(saved, path)) == saved
    monkeypatch.setattr("gnri.rules.documents.MAX_BYTES", size - 1)
    with pytest.raises(RuleError, match=r"rule\.json: .* may have \d+ bytes, this has more"):
        read_ruleset(path)
    with pytest.raises(RuleError, match="leave out the columns that no rule reads"):
        save_ruleset(saved, path)
    assert path.stat().st_size == size


def test_no_more_than_a_document_is_read_of_an_endless_file() -> None:
    with pytest.raises(RuleError, match="this has more"):
        read_ruleset("/dev/zero")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(RuleError, match=r"cannot be read from .*none\.json"):
        read_ruleset(tmp_path / "none.json")
    with pytest.raises(RuleError, match="cannot be read"):
        read_ruleset(tmp_path)
    with pytest.raises(RuleError, match="cannot be written"):
        save_ruleset(RULES, tmp_path / "no folder" / "rule.json")
    bad = tmp_path / "bad.json"
    bad.write_bytes(b"\xff\xfe")
    with pytest.raises(RuleError, match="UTF-8"):
        read_ruleset(bad)
    bad.write_text("{}")
    with pytest.raises(RuleError, match=r"bad\.json: format"):
        read_ruleset(bad)
