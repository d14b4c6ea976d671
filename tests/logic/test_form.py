"""The form of JSON: what the json module takes has it, and a large document is refused by it."""

import json
import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gnri.data.schema import Above, Equals, IsTrue, OneOf, Schema
from gnri.errors import RuleError
from gnri.rules.dnf import SignedDNF
from gnri.rules.documents import from_json, to_json
from gnri.rules.rule_list import RuleSet
from gnri.rules.rule_list_documents import load_ruleset
from gnri.rules.rule_list_documents import to_json as ruleset_to_json
from gnri.rules.strict_json import (
    LARGE,
    NUMBER,
    SCALAR,
    STRING,
    FormError,
    Part,
    keyed,
    keyed_by,
    listed,
    parts,
)

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
finite = scalars.filter(lambda value: value not in (float("inf"), float("-inf")))


def taken(text: str) -> Any:
    """What the json module makes of a text; an Ellipsis if it is refused, or is not strict."""

    def refuse(word: str) -> None:
        raise ValueError(word)

    try:
        return json.loads(text, parse_constant=refuse)
    except ValueError:
        return ...


@given(st.text(alphabet='"\\\\/bnu0019afE+-. tresl\x01é', max_size=9))
@example('"\\u00e9"')
@example('"\\u00g9"')
@example("-0.5e+10")
@example("01")
def test_a_scalar_has_the_form_exactly_if_the_json_module_takes_it(text: str) -> None:
    bare = text == text.strip()
    wanted = bare and taken(text) is not ...
    assert (re.fullmatch(SCALAR, text) is not None) == wanted
    assert (re.fullmatch(SCALAR.encode(), text.encode()) is not None) == wanted


@given(st.text(alphabet='[],{}:"a 1', max_size=12))
@example("[1,]")
@example('{"a":1,}')
@example('{"a":1 , "a":[ ]}')
def test_lists_and_objects_have_it_exactly_if_the_json_module_takes_them(text: str) -> None:
    found, item = taken(text.strip()), f"(?:{SCALAR}|{listed(SCALAR)})"
    flat = (str, int)
    is_list = isinstance(found, list) and all(
        isinstance(one, flat) or (isinstance(one, list) and all(isinstance(x, flat) for x in one))
        for one in found
    )
    is_object = isinstance(found, dict) and all(isinstance(x, flat) for x in found.values())
    assert (re.fullmatch(listed(item), text.strip()) is not None) == is_list
    assert (re.fullmatch(keyed(SCALAR), text.strip()) is not None) == is_object


@given(
    st.dictionaries(st.text("abcdefg", max_size=4), st.lists(finite)), st.sampled_from([None, 2])
)
def test_parts_are_those_of_the_object(value: dict[str, Any], indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    for given_text in (text, json.dumps(value, indent=indent, ensure_ascii=False).encode()):
        if not value:
            with pytest.raises(FormError):
                list(parts(given_text, {}, listed(SCALAR)))
            continue
        found = list(parts(given_text, {}, listed(SCALAR)))
        assert {one.name: json.loads(given_text[one.start : one.end]) for one in found} == value


@pytest.mark.parametrize(
    ("text", "place", "name"),
    [
        ("[]", 0, None),
        ("{", 1, None),
        ('{"a": 1,', 7, "a"),
        ('{"a": 1} x', 7, "a"),
        ('{"b": 1}', 1, "b"),
        ('{"a": [1, 2, [], 3]}', 13, "a"),
        ('{"a": "x"}', 6, "a"),
    ],
)
def test_the_place_is_the_first_that_is_wrong(text: str, place: int, name: str | None) -> None:
    forms = {"a": listed(NUMBER)} if "[1" in text else {"a": NUMBER}
    with pytest.raises(FormError) as caught:
        list(parts(text, forms))
    assert (caught.value.place, caught.value.name) == (place, name)


def test_a_key_has_its_own_form() -> None:
    form = keyed_by({"a": NUMBER, "b": STRING}, "{1,2}+")
    assert re.fullmatch(form, '{"a": 1, "b": "x"}') and re.fullmatch(form, '{"b": "x"}')
    for wrong in ('{"a": "x"}', "{}", '{"a": 1, "a": 1, "a": 1}', '{"c": 1}'):
        assert not re.fullmatch(form, wrong)
    assert Part("a", 0, 1).name == "a"


RULE = SignedDNF([[(i, i % 2 == 0), (i + 1, True)] for i in range(10_000)])


@pytest.mark.parametrize("indent", [None, 1])
def test_a_large_rule_is_read(indent: int | None) -> None:
    names = [f"ä {i}" for i in range(10_001)]
    text = json.dumps(json.loads(to_json(RULE, names)), indent=indent)
    assert len(text) > LARGE
    assert from_json(text) == (RULE, names)


def test_a_large_ruleset_is_read() -> None:
    kinds = (Above("a", 0.5), Equals("b", True), OneOf("c", ("x", "y")), IsTrue("d"))
    schema = Schema(tuple(kinds[i % 4] for i in range(10_001)), ((1,),))
    saved = RuleSet(schema, ("no", "yes"), (RULE,), majority=0)
    assert len(ruleset_to_json(saved)) > LARGE
    assert load_ruleset(ruleset_to_json(saved)) == saved


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"version": 1', '"version": 2', "upgrade gnri"),
        ('"version": 1', '"version": 1, "version": 1', '"version" once, this twice'),
        ('"positive": true, ', "", 'the key "positive", which is missing'),
        ('"positive"', '"positives"', r"at character 39, in 'positives', got '\"positives"),
        ("[[9999, false]", "[[9999, 0]", r"in 'clauses', got '\[\[9999, 0\]"),
        ("[[9999, false]", "[[9999, null]", "in 'clauses', got "),
        ("[[9999, false]", "[[-9999, false]", "in 'clauses', got "),
    ],
)
def test_a_large_document_that_is_wrong_is_refused(old: str, new: str, message: str) -> None:
    text = to_json(RULE)
    assert text.count(old) == 1
    with pytest.raises(RuleError, match=message):
        from_json(text.replace(old, new))
