"""The rules of JSON documents: exact round trips, and one kind of error for everything else."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnri.data.schema import IsTrue, Schema
from gnri.errors import RuleError
from gnri.rules import documents
from gnri.rules.dnf import SignedDNF
from gnri.rules.rule_list import RuleList
from tests.strategies import rules

ATOMS = 10_001
SCHEMAS = {atoms: Schema(tuple(IsTrue(f"x{i}") for i in range(atoms))) for atoms in (9, ATOMS)}
GOOD = {"form": "dnf", "positive": True, "clauses": [[[0, True]]]}
LARGE = SignedDNF([[(i, i % 2 == 0), (i + 1, True)] for i in range(10_000)])
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3)
JSON = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)


def to_json(rule, atoms=9):
    return documents.to_json(RuleList.binary(SCHEMAS[atoms], (0, 1), rule))


def from_json(text):
    (rule,) = documents.from_json(text).rules
    return rule


def document_of(rule):
    """The document of a list of one rule, which is given as it stands in the document."""
    document = json.loads(to_json(SignedDNF()))
    document["steps"][0]["rule"] = rule
    return json.dumps(document)


@given(rules(9))
def test_round_trip(rule):
    assert from_json(to_json(rule)) == rule
    assert to_json(rule).isascii()


@given(rules(6))
def test_the_text_depends_on_the_content_alone(rule):
    again = SignedDNF([sorted(clause, reverse=True) for clause in rule.clauses], rule.positive)
    assert to_json(again) == to_json(rule)
    assert to_json(from_json(to_json(rule))) == to_json(rule)


@given(st.sampled_from([*GOOD, "extra"]), JSON)
def test_any_change_is_read_or_refused_and_nothing_else(key, value):
    try:
        rule = from_json(document_of(GOOD | {key: value}))
    except RuleError:
        return
    assert from_json(to_json(rule)) == rule


@given(st.text() | JSON.map(json.dumps))
def test_any_text_is_read_or_refused_and_nothing_else(text):
    with pytest.raises(RuleError):
        from_json(text)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"form": "other"}, r"'other' - at `\$.steps\[0\].rule.form"),
        ({"form": None}, "form"),
        ({"positive": 1}, r"Expected `bool`, got `int` - at `\$.steps\[0\].rule.positive"),
        ({"positive": None}, r"rule.positive"),
        ({"clauses": None}, r"Expected `array`, got `null` - at `\$.steps\[0\].rule.clauses"),
        ({"clauses": {}}, r"rule.clauses"),
        ({"clauses": [0]}, r"Expected `array`, got `int` - at `.*clauses\[0\]"),
        ({"clauses": [[], [[0, True], 3]]}, r"got `int` - at `.*clauses\[1\]\[1\]"),
        ({"clauses": [[[0]]]}, "`array` of length 2, got 1"),
        ({"clauses": [[[0, True, 1]]]}, "`array` of length 2, got 3"),
        ({"clauses": [[[-1, True]]]}, "`int` >= 0"),
        ({"clauses": [[[1.5, True]]]}, "Expected `int`, got `float`"),
        ({"clauses": [[[True, True]]]}, "Expected `int`, got `bool`"),
        ({"clauses": [[[0, 1]]]}, "Expected `bool`, got `int`"),
        ({"clauses": [[["0", True]]]}, "Expected `int`, got `str`"),
        ({"clauses": [[[10**18, True]]]}, "`int` <= 999999999999999999"),
        ({"names": []}, "unknown field `names`"),
        ({"comment": ""}, "unknown field `comment`"),
    ],
)
def test_refuses_a_wrong_part(change, message):
    with pytest.raises(RuleError, match=message):
        from_json(document_of(GOOD | change))


@pytest.mark.parametrize("key", GOOD)
def test_refuses_a_missing_key(key):
    with pytest.raises(RuleError, match=key):
        from_json(document_of({k: v for k, v in GOOD.items() if k != key}))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no rules in JSON"),
        ("{", "no rules in JSON"),
        ("[]", "an object with the key"),
        ("null", "an object with the key"),
        ("[" * 100_000, "nested brackets"),
        ('{"a":' * 20_000, "nested brackets"),
        ("NaN", "NaN is not JSON"),
        ('{"version": -Infinity}', "-Infinity is not JSON"),
        ("9" * 10_000, "no rules in JSON"),
        ('{"format": "gnri-rules", "version": 1' + "0" * 4_000 + "}", "version 1000"),
        ('{"version": 1, "version": 1}', "a key stands twice"),
        ('\ufeff{"version": 1}', "no rules in JSON"),
        (b"{}", "must be a string, got bytes"),
    ],
)
def test_refuses_a_text_that_is_no_document(text, message):
    with pytest.raises(RuleError, match=message):
        from_json(text)


def test_a_long_document_is_neither_read_nor_written(monkeypatch):
    text = to_json(LARGE, ATOMS)
    monkeypatch.setattr("gnri.rules.documents.MAX_BYTES", len(text) + 1)
    assert from_json(to_json(LARGE, ATOMS) + "\n") == LARGE
    with pytest.raises(RuleError, match=r"may have \d+ bytes, this has more"):
        from_json(text + "\n\n")
    with pytest.raises(RuleError, match=r"this would have \d+; leave out the columns"):
        to_json(~LARGE, ATOMS)


@pytest.mark.parametrize("indent", [None, 1])
def test_a_large_rule_is_read(indent):
    assert from_json(json.dumps(json.loads(to_json(LARGE, ATOMS)), indent=indent)) == LARGE


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"version": 2', '"version": 3', r"version 3, this library reads up to .*upgrade gnri"),
        ('"version": 2', '"version": 2, "version": 2', "a key stands twice"),
        ('"positive": true, ', "", "missing required field `positive`"),
        ('"positive"', '"positives"', "positive"),
        (
            "[[9999, false]",
            "[[9999, 0]",
            r"Expected `bool`, got `int` - at `.*clauses\[\d+\]\[0\]",
        ),
        ("[[9999, false]", "[[9999, null]", "Expected `bool`, got `null`"),
        ("[[9999, false]", "[[-9999, false]", "`int` >= 0"),
    ],
)
def test_a_large_rule_that_is_wrong_is_refused(old, new, message):
    text = to_json(LARGE, ATOMS)
    assert text.count(old) == 1
    with pytest.raises(RuleError, match=message):
        from_json(text.replace(old, new))
