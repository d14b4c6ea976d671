"""JSON documents: exact round trips, and one kind of error for everything else."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnri.errors import RuleError
from gnri.rules.dnf import SignedDNF
from gnri.rules.documents import rule_from_json as from_json
from gnri.rules.documents import rule_to_json as to_json
from tests.strategies import column_names, rules

GOOD = {"format": "gnri-rule", "version": 1, "positive": True, "clauses": [[[0, True]]]}
LARGE = SignedDNF([[(i, i % 2 == 0), (i + 1, True)] for i in range(10_000)])
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3)
JSON = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(rules(9))
def test_round_trip(rule):
    assert from_json(to_json(rule)) == (rule, None)


@given(rules(4), column_names(4))
def test_round_trip_with_any_names(rule, names):
    text = to_json(rule, names)
    assert from_json(text) == (rule, names)
    assert text.isascii()


@given(rules(6))
def test_the_text_depends_on_the_content_alone(rule):
    again = SignedDNF([sorted(clause, reverse=True) for clause in rule.clauses], rule.positive)
    assert to_json(again) == to_json(rule)
    assert to_json(from_json(to_json(rule))[0]) == to_json(rule)


@given(st.sampled_from([*GOOD, "names", "extra"]), JSON)
def test_any_change_is_read_or_refused_and_nothing_else(key, value):
    try:
        rule, names = from_json(json.dumps(GOOD | {key: value}))
    except RuleError:
        return
    assert from_json(to_json(rule, names)) == (rule, names)


@given(st.text() | JSON.map(json.dumps))
def test_any_text_is_read_or_refused_and_nothing_else(text):
    with pytest.raises(RuleError):
        from_json(text)


def test_a_newer_version_says_what_to_do():
    with pytest.raises(RuleError, match=r"version 3, this library reads up to .*upgrade gnri"):
        from_json(json.dumps({"format": "gnri-rule", "version": 3, "rule": "x0"}))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "other"}, r"'other' - at `\$.format"),
        ({"format": None}, "format"),
        ({"version": 0}, r"Invalid enum value 0 - at `\$.version"),
        ({"version": True}, r"\$.version"),
        ({"version": "1"}, r"\$.version"),
        ({"version": 1.5}, r"\$.version"),
        ({"positive": 1}, r"Expected `bool`, got `int` - at `\$.positive"),
        ({"positive": None}, r"\$.positive"),
        ({"clauses": None}, r"Expected `array`, got `null` - at `\$.clauses"),
        ({"clauses": {}}, r"\$.clauses"),
        ({"clauses": [0]}, r"Expected `array`, got `int` - at `\$.clauses\[0\]"),
        ({"clauses": [[], [[0, True], 3]]}, r"got `int` - at `\$.clauses\[1\]\[1\]"),
        ({"clauses": [[[0]]]}, "`array` of length 2, got 1"),
        ({"clauses": [[[0, True, 1]]]}, "`array` of length 2, got 3"),
        ({"clauses": [[[-1, True]]]}, "`int` >= 0"),
        ({"clauses": [[[1.5, True]]]}, "Expected `int`, got `float`"),
        ({"clauses": [[[True, True]]]}, "Expected `int`, got `bool`"),
        ({"clauses": [[[0, 1]]]}, "Expected `bool`, got `int`"),
        ({"clauses": [[["0", True]]]}, "Expected `int`, got `str`"),
        ({"clauses": [[[10**18, True]]]}, "`int` <= 999999999999999999"),
        ({"names": None}, r"\$.names"),
        ({"names": "a"}, r"\$.names"),
        ({"names": ["a", "a"]}, "names must differ"),
        ({"names": [1]}, "Expected `str`, got `int`"),
        ({"names": ["\ud800"]}, "valid Unicode"),
        ({"names": []}, "reads atom x0, but there are 0 names"),
        ({"comment": ""}, "unknown field `comment`"),
    ],
)
def test_refuses_a_wrong_part(change, message):
    with pytest.raises(RuleError, match=message):
        from_json(json.dumps(GOOD | change))


@pytest.mark.parametrize("key", GOOD)
def test_refuses_a_missing_key(key):
    with pytest.raises(RuleError, match=key):
        from_json(json.dumps({k: v for k, v in GOOD.items() if k != key}))


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
        ('{"format": "gnri-rule", "version": 1' + "0" * 4_000 + "}", "version 1000"),
        ('{"version": 1, "version": 1}', "a key stands twice"),
        ('\ufeff{"version": 1}', "no rules in JSON"),
        (b"{}", "must be a string, got bytes"),
    ],
)
def test_refuses_a_text_that_is_no_document(text, message):
    with pytest.raises(RuleError, match=message):
        from_json(text)


def test_a_long_document_is_neither_read_nor_written(monkeypatch):
    monkeypatch.setattr("gnri.rules.documents.MAX_BYTES", len(to_json(LARGE)) + 1)
    assert from_json(to_json(LARGE) + "\n") == (LARGE, None)
    with pytest.raises(RuleError, match=r"may have \d+ bytes, this has more"):
        from_json(to_json(LARGE) + "\n\n")
    with pytest.raises(RuleError, match=r"this would have \d+; leave out the columns"):
        to_json(~LARGE)


def test_what_could_not_be_read_back_is_not_written():
    with pytest.raises(RuleError, match="at most 999999999999999999"):
        to_json(SignedDNF([[(10**18, True)]]))
    with pytest.raises(RuleError, match="reads atom x1, but there are 1 names"):
        to_json(SignedDNF([[(1, True)]]), ["a"])


@pytest.mark.parametrize("indent", [None, 1])
def test_a_large_rule_is_read(indent):
    names = [f"ä {i}" for i in range(10_001)]
    text = json.dumps(json.loads(to_json(LARGE, names)), indent=indent)
    assert from_json(text) == (LARGE, names)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"version": 1', '"version": 3', "upgrade gnri"),
        ('"version": 1', '"version": 1, "version": 1', "a key stands twice"),
        ('"positive": true, ', "", "missing required field `positive`"),
        ('"positive"', '"positives"', "positive"),
        (
            "[[9999, false]",
            "[[9999, 0]",
            r"Expected `bool`, got `int` - at `\$.clauses\[\d+\]\[0\]",
        ),
        ("[[9999, false]", "[[9999, null]", "Expected `bool`, got `null`"),
        ("[[9999, false]", "[[-9999, false]", "`int` >= 0"),
    ],
)
def test_a_large_rule_that_is_wrong_is_refused(old, new, message):
    text = to_json(LARGE)
    assert text.count(old) == 1
    with pytest.raises(RuleError, match=message):
        from_json(text.replace(old, new))
