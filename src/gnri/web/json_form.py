"""The form of JSON, checked without making anything of it.

An empty list is two bytes of JSON and 64 of memory. So a large text is first gone through with
patterns, which keep nothing, and only one that has the form of what is read is made into values.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

LARGE = 1 << 17
"""Up to so many characters all JSON is read, so that a message can say what was wrong in it."""

SPACE = r"[ \t\n\r]*+"
_PLAIN = r'[^"\\\x00-\x1f]'
STRING = rf'"{_PLAIN}*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{{4}}){_PLAIN}*+)*+"'
WORD = rf'"({_PLAIN}{{0,100}}+)"'
COUNT = r"(?:-?0|[1-9][0-9]{0,17}+)"  # -0 is one too, to Python
NUMBER = r"-?(?:0|[1-9][0-9]{0,4299}+)(?:\.[0-9]++)?+(?:[eE][-+]?[0-9]++)?+"
FLAG = "(?:true|false)"
SCALAR = rf"(?:{STRING}|{NUMBER}|{FLAG}|null)"

_BEGIN = rf"{SPACE}\{{{SPACE}"
_KEY = rf"{WORD}{SPACE}:{SPACE}"
_NEXT = rf'{SPACE}(?:,{SPACE}(?=")|\}}{SPACE}\Z)'


def listed(item: str, times: str = "*+") -> str:
    """So many items in brackets."""
    return _within("[", item, "]", times)


def keyed(value: str) -> str:
    """Any number of values in braces, each with a key."""
    return _within("{", rf"{STRING}{SPACE}:{SPACE}{value}", "}", "*+")


def keyed_by(forms: Mapping[str, str], times: str = "*+") -> str:
    """So many values in braces, each in the form of its key."""
    pairs = "|".join(rf'"{key}"{SPACE}:{SPACE}{form}' for key, form in forms.items())
    return _within("{", f"(?:{pairs})", "}", times)


def anything(levels: int) -> str:
    """A scalar, or lists and objects in so many levels at most."""
    if not levels:
        return SCALAR
    below = anything(levels - 1)
    return f"(?:{SCALAR}|{listed(below)}|{keyed(below)})"


def _within(begin: str, item: str, end: str, times: str) -> str:
    # After an item comes a comma and another, or the end.
    after = rf"{SPACE}(?:,{SPACE}(?!\{end})|(?=\{end}))"
    return rf"\{begin}{SPACE}(?:{item}{after}){times}\{end}"


class Part(NamedTuple):
    """A key of an object, and where its value stands."""

    name: str
    start: int
    end: int


class FormError(ValueError):
    """Where a text leaves its form, and the key whose value does."""

    def __init__(self, text: str | bytes, place: int, name: str | None) -> None:
        super().__init__(f"at {place}")
        came = text[place : place + 60]
        self.place, self.name = place, name
        self.came = came if isinstance(came, str) else came.decode(errors="replace")


def parts(text: str | bytes, forms: Mapping[str, str], other: str | None = None) -> Iterator[Part]:
    """The parts of the one object in `text`: each value has the form of its key, or `other`.

    >>> list(parts('{"a": 1, "b": [2, 3]}', {"a": NUMBER, "b": listed(NUMBER)}))
    [Part(name='a', start=6, end=7), Part(name='b', start=14, end=20)]
    """
    place = _match(_BEGIN, text, 0, None).end()
    while True:
        key = _match(_KEY, text, place, None)
        name = key[1] if isinstance(text, str) else key[1].decode(errors="replace")
        form = forms.get(name, other)
        if form is None:
            raise FormError(text, place, name)
        value = _match(form, text, key.end(), name)
        yield Part(name, *value.span())
        place = _match(_NEXT, text, value.end(), name).end()
        if place == len(text):
            return


def _match(form: str, text: str | bytes, place: int, name: str | None) -> re.Match[Any]:
    found = _pattern(form, text).match(text, place)
    if found is None:
        # Without the bracket that ends it, a list is matched up to its first wrong item.
        good = form.endswith((r"\]", r"\}")) and _pattern(form[:-2], text).match(text, place)
        raise FormError(text, good.end() if good else place, name)
    return found


def _pattern(form: str, text: str | bytes) -> re.Pattern[Any]:
    return re.compile(form if isinstance(text, str) else form.encode())


_LITERAL = rf"\[{SPACE}{COUNT}{SPACE},{SPACE}{FLAG}{SPACE}\]"
RULE = {
    "format": WORD,
    "version": COUNT,
    "positive": FLAG,
    "clauses": listed(listed(_LITERAL)),
    "names": listed(STRING),
}
_ATOM = {
    "kind": '"(?:above|equals|one of|true)"',
    "column": STRING,
    "cut": NUMBER,
    "value": SCALAR,
    "values": listed(SCALAR),
}
RULESET = {
    "format": WORD,
    "version": COUNT,
    "classes": listed(SCALAR),
    "majority": COUNT,
    "turns": listed(listed(NUMBER)),
    "atoms": listed(keyed_by(_ATOM, "{2,3}+")),
    "blocks": listed(listed(NUMBER)),
    "rules": listed(f"(?:null|{keyed_by(RULE)})"),
}
"""The form of each part of a rule and of a ruleset document."""
