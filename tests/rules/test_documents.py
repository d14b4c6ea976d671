"""JSON documents: exact round trips, and one kind of error for everything else."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnri.errors import RuleError
from gnri.rules.dnf import SignedDNF
from gnri.rules.documents import from_json, to_json
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
    with pytest.raises(RuleError, match="version 2, this library reads version 1; upgrade gnri"):
        from_json(json.dumps({"format": "gnri-rule", "version": 2, "rule": "x0"}))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "other"}, "format must be \"gnri-rule\", got 'other'"),
        ({"format": None}, "format must be"),
        ({"version": 0}, "version must be a whole number from 1, got 0"),
        ({"version": True}, "version must be"),
        ({"version": "1"}, "version must be"),
        ({"version": 1.0}, "version must be"),
        ({"positive": 1}, "positive must be true or false, got 1"),
        ({"positive": None}, "positive must be"),
        ({"clauses": None}, "clauses must be a list"),
        ({"clauses": {}}, "clauses must be a list"),
        ({"clauses": [0]}, r"clauses\[0\] must be a list, got 0"),
        ({"clauses": [[], [[0, True], 3]]}, r"clauses\[1\]\[1\] must be a list, got 3"),
        ({"clauses": [[[0]]]}, r"clauses\[0\]\[0\] must be \[atom, positive\]"),
        ({"clauses": [[[0, True, 1]]]}, "must be .atom, positive."),
        ({"clauses": [[[-1, True]]]}, "must be .atom, positive."),
        ({"clauses": [[[1.0, True]]]}, "must be .atom, positive."),
        ({"clauses": [[[True, True]]]}, "must be .atom, positive."),
        ({"clauses": [[[0, 1]]]}, "must be .atom, positive."),
        ({"clauses": [[["0", True]]]}, "must be .atom, positive."),
        ({"clauses": [[[10**18, True]]]}, "at most 999999999999999999"),
        ({"names": None}, "names must be a list"),
        ({"names": "a"}, "names must be a list"),
        ({"names": ["a", "a"]}, "names must differ"),
        ({"names": [1]}, "names must be strings"),
        ({"names": ["\ud800"]}, "valid Unicode"),
        ({"names": []}, "reads atom x0, but there are 0 names"),
        ({"comment": ""}, "no key 'comment'"),
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
        ("", "not a rule document in JSON"),
        ("{", "not a rule document in JSON"),
        ("[]", "must be an object"),
        ("null", "must be an object"),
        ("[" * 100_000, "levels of brackets"),
        ('{"a":' * 20_000, "levels of brackets"),
        ("NaN", "NaN is not JSON"),
        ('{"version": -Infinity}', "-Infinity is not JSON"),
        ("9" * 10_000, "not a rule document in JSON"),
        ('{"format": "gnri-rule", "version": 1' + "0" * 4_000 + "}", "version 1000"),
        ('{"version": 1, "version": 1}', "a key stands twice"),
        ('\ufeff{"version": 1}', "not a rule document in JSON"),
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
        ('"version": 1', '"version": 2', "upgrade gnri"),
        ('"version": 1', '"version": 1, "version": 1', "a key stands twice"),
        ('"positive": true, ', "", 'the key "positive", which is missing'),
        ('"positive"', '"positives"', "positive"),
        ("[[9999, false]", "[[9999, 0]", r"clauses\[\d+\]\[0\] must be .*, got \[9999, 0\]"),
        ("[[9999, false]", "[[9999, null]", r"got \[9999, None\]"),
        ("[[9999, false]", "[[-9999, false]", r"got \[-9999, False\]"),
    ],
)
def test_a_large_rule_that_is_wrong_is_refused(old, new, message):
    text = to_json(LARGE)
    assert text.count(old) == 1
    with pytest.raises(RuleError, match=message):
        from_json(text.replace(old, new))
