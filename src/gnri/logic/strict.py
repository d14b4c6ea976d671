"""JSON documents read strictly: ours, of a version we know, with the keys we know, or refused."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from gnri.errors import RuleError
from gnri.logic.form import LARGE, FormError, parts
from gnri.logic.names import shorten

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
