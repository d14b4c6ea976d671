"""The form of JSON: what the json module takes has it."""

import json
import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gnri.cli.display import listed
from gnri.data.kinds import NUMBER
from gnri.web.json_form import SCALAR, STRING, FormError, Part, keyed, keyed_by, parts

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
