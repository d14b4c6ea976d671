"""The form of JSON, checked without making anything of it.

An empty list is two bytes of JSON and 64 of memory. So a large text is first gone through with
patterns, which keep nothing, and only one that has the form of what is read is made into values.

JSON documents read strictly: ours, of a version we know, with the keys we know, or refused.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

from gnri.errors import RuleError
from gnri.messages import shorten

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


MAX_LENGTH = 100_000_000
"""A longer document is refused, in characters."""

_HEAD = ("format", "version")


@dataclass(frozen=True, slots=True)
class Kind:
    """What a document of this kind says of itself, and the keys it has."""

    word: str  # how messages call it
    format: str
    version: int
    forms: Mapping[str, str]  # of the value of each key
    optional: tuple[str, ...] = ()

    def read(self, text: str) -> dict[str, Any]:
        """The document in `text`, with its header and its keys checked."""
        _check_text(text, self.word)
        self.check_form(text)
        document = _loaded(text, self.word)
        self._check_header(document)
        self._check_keys(document)
        return document

    def check_form(self, text: str | bytes) -> None:
        """Raise unless a large text has the form of a document, before anything is made of it."""
        if len(text) <= LARGE:
            return
        head: dict[str, Any] = {}
        try:
            for name, start, end in parts(text, self.forms):
                if name in head:
                    raise RuleError(f'a {self.word} document has the key "{name}" once, this twice')
                head[name] = json.loads(text[start:end]) if name in _HEAD else None
        except FormError as error:
            raise RuleError(
                f"this is not a {self.word} document at character {error.place + 1}, "
                f"{f'in {shorten(error.name)}' if error.name else 'where a key must be'}, "
                f"got {shorten(error.came)}"
            ) from None
        self._check_header(head)
        self._check_keys(head)

    def _check_header(self, document: dict[str, Any]) -> None:
        if document.get("format") != self.format:
            wrong("format", f'"{self.format}"', document.get("format"))
        version = document.get("version")
        if type(version) is not int or version < 1:
            wrong("version", "a whole number from 1", version)
        if version > self.version:
            raise RuleError(
                f"this {self.word} document has version {shorten(version)}, this library reads "
                f"version {self.version}; upgrade gnri to read it"
            )

    def _check_keys(self, document: Collection[str]) -> None:
        for key in self.forms:
            if key not in document and key not in self.optional:
                raise RuleError(
                    f'a {self.word} document must have the key "{key}", which is missing'
                )
        unknown = sorted(set(document) - set(self.forms))
        if unknown:
            raise RuleError(f"a {self.word} document has no key {shorten(unknown[0])}; remove it")


def wrong(place: str, expected: str, came: object) -> NoReturn:
    """Say what was expected at a place of a document, and what came."""
    raise RuleError(f"{place} must be {expected}, got {shorten(came)}")


def _check_text(text: str, word: str) -> None:
    if not isinstance(text, str):
        raise RuleError(f"a {word} document must be a string, got {type(text).__name__}")
    if len(text) > MAX_LENGTH:
        raise RuleError(f"a {word} document may have {MAX_LENGTH} characters, got {len(text)}")


class RepeatedKeyError(ValueError):
    """JSON in which an object has a key twice, which readers understand in different ways."""


def strictly(text: str | bytes) -> Any:
    """What JSON says; a `ValueError` if it is none, or none that all readers agree on."""
    return json.loads(text, object_pairs_hook=_object, parse_constant=_refuse_constant)


def _loaded(text: str, word: str) -> dict[str, Any]:
    try:
        document = strictly(text)
    except RecursionError:
        raise RuleError(
            f"a {word} document has few levels of brackets, this has far more"
        ) from None
    except ValueError as error:
        raise RuleError(f"this is not a {word} document in JSON: {error}") from None
    if not isinstance(document, dict):
        wrong(f"a {word} document", "an object", document)
    return document


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise RepeatedKeyError("a key stands twice in one object")
    return found


def _refuse_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is not JSON")
