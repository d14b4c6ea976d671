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
from gnri.rules.documents import from_json, load_rules, save_rules, to_json
from gnri.rules.rule_list import RuleList, Step
from tests.formats.cases import random_rule_list

SCHEMA = Schema(
    (Above("a", 0.1 + 0.2), Equals("b", "x"), OneOf("b", ("y", "z")), IsTrue("c")), ((1, 2),)
)
RULES = RuleList.binary(SCHEMA, ("no", "yes"), SignedDNF([[(0, True), (3, False)]], False))

VERSION_1 = (
    '{"format": "gnri-ruleset", "version": 1, "classes": ["no", "yes"], "majority": 0, '
    '"turns": [], "atoms": [{"kind": "above", "column": "a", "cut": 0.30000000000000004}, '
    '{"kind": "equals", "column": "b", "value": "x"}, '
    '{"kind": "one of", "column": "b", "values": ["y", "z"]}, {"kind": "true", "column": "c"}], '
    '"blocks": [[1, 2]], "rules": [{"format": "gnri-rule", "version": 1, "positive": false, '
    '"clauses": [[[0, true], [3, false]]]}]}'
)


VERSION_2 = (
    '{"format": "gnri-rules", "version": 2, "classes": ["no", "yes"], "default": 0, '
    '"steps": [{"rule": {"form": "dnf", "positive": false, "clauses": [[[0, true], [3, false]]]}, '
    '"answer": 1, "truth": true}], '
    '"atoms": [{"kind": "above", "column": "a", "cut": 0.30000000000000004}, '
    '{"kind": "equals", "column": "b", "value": "x"}, '
    '{"kind": "one of", "column": "b", "values": ["y", "z"]}, {"kind": "true", "column": "c"}], '
    '"blocks": [[1, 2]]}'
)


def test_version_2_stays_as_it_is() -> None:
    assert to_json(RULES) == VERSION_2
    assert from_json(VERSION_2) == RULES


def test_version_1_is_read() -> None:
    assert from_json(VERSION_1) == RULES
    other = VERSION_1.replace('"majority": 0', '"majority": 1')
    assert from_json(other) == RuleList.binary(SCHEMA, ("no", "yes"), RULES.rules[0], 1)
    none = json.loads(VERSION_1) | {"rules": [None]}
    assert from_json(json.dumps(none)) == RuleList(SCHEMA, ("no", "yes"), (), 0)


def test_classes_in_turn_of_version_1_are_read_in_their_order() -> None:
    rule = json.loads(VERSION_1)["rules"][0]
    three = {"classes": ["a", "b", "c"], "rules": [rule, None, rule], "majority": 1}
    text = old(**three, turns=[[2], [0]])
    steps = (Step(RULES.rules[0], 2), Step(RULES.rules[0], 0))
    assert from_json(text) == RuleList(SCHEMA, ("a", "b", "c"), steps, 1)
    for turns in ([[2]], [[2], [0, 2]], [[2], [0], [3]]):
        with pytest.raises(RuleError, match="turns must name each class"):
            from_json(old(**three, turns=turns))


@given(st.integers(0, 2**63))
def test_round_trip(seed: int) -> None:
    rules = random_rule_list(np.random.default_rng(seed))
    again = from_json(to_json(rules))
    assert again == rules
    assert repr((again.schema, again.classes)) == repr((rules.schema, rules.classes))
    assert to_json(again) == to_json(rules)


@pytest.mark.parametrize("cut", [5e-324, -0.0, 1.7976931348623157e308, 1 / 3, 2.0**-1022])
def test_floats_come_back_bit_by_bit(cut: float) -> None:
    rules = RuleList.binary(Schema((Above("a", cut),)), (0, 1), None)
    assert from_json(to_json(rules)).schema.atoms[0].cut.hex() == cut.hex()


def changed(**changes: object) -> str:
    return json.dumps(json.loads(VERSION_2) | changes)


def old(**changes: object) -> str:
    return json.dumps(json.loads(VERSION_1) | changes)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no rules in JSON"),
        ("[]", "an object with the key"),
        ("{}", "an object with the key"),
        ('{"format": "gnri-rule"}', "'gnri-rule' - at `.*format"),
        (changed(version=3), "version 3.*upgrade"),
        (changed(version=True), r"\$.version"),
        (changed(extra=1), "unknown field `extra`"),
        (VERSION_2.replace('"default": 0, ', ""), "missing required field `default`"),
        (VERSION_2.replace('"default": 0', '"default": 0, "default": 1'), "twice"),
        (VERSION_2.replace("0.30000000000000004", "NaN"), "NaN is not JSON"),
        (VERSION_2.replace("0.30000000000000004", "1e999"), "finite"),
        (VERSION_2.replace("0.30000000000000004", "9" * 400), "finite"),
        (VERSION_2.replace("0.30000000000000004", "true"), "finite"),
        (VERSION_2.replace('"above"', '"below"'), r"atoms\[0\]"),
        (VERSION_2.replace('"above"', '["above"]'), r"atoms\[0\]"),
        (VERSION_2.replace('"cut"', '"cuts"'), r"atoms\[0\]"),
        (VERSION_2.replace('["y", "z"]', '"yz"'), "must be a list"),
        (VERSION_2.replace('["y", "z"]', "[[1]]"), "text, a number"),
        (VERSION_2.replace('"column": "a"', '"column": 3'), "valid text"),
        (VERSION_2.replace('"column": "a"', '"column": "\\ud800"'), "valid text"),
        (changed(atoms={}), r"Expected `array`, got `object` - at `\$.atoms"),
        (changed(blocks=[[9]]), "block"),
        (changed(blocks=[1]), r"at `\$.blocks\[0\]"),
        (changed(blocks=[[True]]), r"Expected `int`, got `bool` - at `\$.blocks"),
        (changed(default="no"), r"at `\$.default"),
        (changed(default=5), "default"),
        (old(turns=[["a"]]), r"at `\$.turns"),
        (old(turns=[[0]]), "no turns"),
        (changed(classes=["a"]), "2 or more"),
        (changed(classes=[[], []]), r"at `\$.classes\[0\]"),
        (changed(steps=[7]), r"at `\$.steps\[0\]"),
        (old(rules=[None, None]), "need 1 rules"),
        (VERSION_2.replace('"positive": false', '"positive": 0'), r"rule.positive"),
        (VERSION_2.replace('"form": "dnf"', '"form": "cnf"'), r"rule.form"),
        (VERSION_2.replace('"truth": true', '"truth": 1'), r"steps\[0\].truth"),
        (VERSION_2.replace('"answer": 1', '"answer": 2'), "answer of step 0"),
        (
            VERSION_1.replace('"positive": false', '"positive": false, "names": ["a","b","c","d"]'),
            "unknown field `names`",
        ),
        (VERSION_1.replace('"format": "gnri-rule", ', ""), "missing required field `format`"),
        (VERSION_2.replace("[0, true]", "[9, true]"), "atom x9"),
        ("[" * 100_000, "brackets"),
        (changed(classes="PLACE").replace('"PLACE"', "[" * 900 + "]" * 900), "brackets|classes"),
    ],
)
def test_what_is_not_ours_is_refused(text: str, message: str) -> None:
    with pytest.raises(RuleError, match=message):
        from_json(text)


@given(st.data())
def test_a_damaged_document_is_read_or_refused(data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(VERSION_2)))
    stop = data.draw(st.integers(start, min(len(VERSION_2), start + 8)))
    piece = data.draw(st.sampled_from(["", "0", "-1", "null", "[]", "{}", '"', "]", "true", "1e9"]))
    try:
        found = from_json(VERSION_2[:start] + piece + VERSION_2[stop:])
    except RuleError:
        return
    assert from_json(to_json(found)) == found


def test_bytes_are_refused() -> None:
    with pytest.raises(RuleError, match="must be a string"):
        from_json(b"{}")


def test_saved_and_read_again(tmp_path: Path) -> None:
    path = save_rules(RULES, tmp_path / "rule.json")
    save_rules(RULES, str(path))
    assert load_rules(path) == RULES
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
        save_rules(RULES, path)
    assert path.read_text() == "precious"
    assert [file.name for file in tmp_path.iterdir()] == ["rule.json"]


def test_a_large_file_is_read_and_a_larger_one_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kinds = (Above("a", 0.5), Equals("b", True, other=False), OneOf("c", ("x", "y")), IsTrue("d"))
    schema = Schema(tuple(kinds[i % 4] for i in range(10_001)), ((1,),))
    saved = RuleList(schema, ("no", "yes"), RULES.steps, default=0)
    path = save_rules(saved, tmp_path / "rule.json")
    size = path.stat().st_size
    monkeypatch.setattr("gnri.rules.documents.MAX_BYTES", size)
    assert load_rules(save_rules(saved, path)) == saved
    monkeypatch.setattr("gnri.rules.documents.MAX_BYTES", size - 1)
    with pytest.raises(RuleError, match=r"rule\.json: .* may have \d+ bytes, this has more"):
        load_rules(path)
    with pytest.raises(RuleError, match="leave out the columns that no rule reads"):
        save_rules(saved, path)
    assert path.stat().st_size == size


def test_no_more_than_a_document_is_read_of_an_endless_file() -> None:
    with pytest.raises(RuleError, match="this has more"):
        load_rules("/dev/zero")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(RuleError, match=r"cannot be read from .*none\.json"):
        load_rules(tmp_path / "none.json")
    with pytest.raises(RuleError, match="cannot be read"):
        load_rules(tmp_path)
    with pytest.raises(RuleError, match="cannot be written"):
        save_rules(RULES, tmp_path / "no folder" / "rule.json")
    bad = tmp_path / "bad.json"
    bad.write_bytes(b"\xff\xfe")
    with pytest.raises(RuleError, match="UTF-8"):
        load_rules(bad)
    bad.write_text("{}")
    with pytest.raises(RuleError, match=r"bad\.json: .*format"):
        load_rules(bad)
