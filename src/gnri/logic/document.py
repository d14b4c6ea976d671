"""Rules as JSON documents, with a version, for files and other programs.

    {"format": "gnri-rule", "version": 1, "positive": true,
     "clauses": [[[0, true], [3, false]], [[5, true]]], "names": ["odor=foul", ...]}

A clause is a list of [atom, positive]; `names` may be left out. Anything else is refused.
"""

import json
from collections.abc import Sequence
from typing import Any, NoReturn

from gnri.errors import RuleError
from gnri.logic.formula import Literal, SignedDNF, sorted_clauses
from gnri.logic.names import check_names, shorten

FORMAT = "gnri-rule"
VERSION = 1
MAX_LENGTH = 100_000_000
"""A longer document is refused, in characters."""

MAX_ATOM = 10**18 - 1
"""The largest atom that can be saved, the same as in a rule text."""

_REQUIRED = ("format", "version", "positive", "clauses")


def to_json(rule: SignedDNF, names: Sequence[str] | None = None) -> str:
    """The rule as a JSON document; the same rule and names always give the same text.

    >>> print(to_json(SignedDNF([[(3, False), (0, True)]])))
    {"format": "gnri-rule", "version": 1, "positive": true, "clauses": [[[0, true], [3, false]]]}
    """
    document: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "positive": rule.positive,
        "clauses": sorted_clauses(rule),
    }
    known = None if names is None else check_names(names)
    _check_atoms(rule, known)
    if known is not None:
        document["names"] = known
    return json.dumps(document)


def from_json(text: str) -> tuple[SignedDNF, list[str] | None]:
    """The rule of a JSON document, and its column names if it has them.

    >>> rule = SignedDNF([[(0, True)]], positive=False)
    >>> from_json(to_json(rule, ["odor=foul"])) == (rule, ["odor=foul"])
    True
    """
    document = _loaded(text)
    _check_header(document)
    unknown = sorted(document.keys() - {*_REQUIRED, "names"})
    if unknown:
        raise RuleError(f"a rule document has no key {shorten(unknown[0])}; remove it")
    if not isinstance(document["positive"], bool):
        _wrong("positive", "true or false", document["positive"])
    clauses = _list(document["clauses"], "clauses")
    rule = SignedDNF((_clause(items, i) for i, items in enumerate(clauses)), document["positive"])
    names = check_names(_list(document["names"], "names")) if "names" in document else None
    _check_atoms(rule, names)
    return rule, names


def _loaded(text: str) -> dict[str, Any]:
    if not isinstance(text, str):
        raise RuleError(f"a rule document must be a string, got {type(text).__name__}")
    if len(text) > MAX_LENGTH:
        raise RuleError(f"a rule document may have {MAX_LENGTH} characters, got {len(text)}")
    try:
        document = json.loads(text, object_pairs_hook=_object, parse_constant=_refuse_constant)
    except RecursionError:
        raise RuleError("a rule document has 4 levels of brackets, this has far more") from None
    except ValueError as error:
        raise RuleError(f"this is not a rule document in JSON: {error}") from None
    if not isinstance(document, dict):
        _wrong("a rule document", "an object", document)
    return document


def _check_header(document: dict[str, Any]) -> None:
    """Raise unless this is ours, of a version we read, and with every key we need."""
    if document.get("format") != FORMAT:
        _wrong("format", f'"{FORMAT}"', document.get("format"))
    version = document.get("version")
    if type(version) is not int or version < 1:
        _wrong("version", "a whole number from 1", version)
    if version > VERSION:
        raise RuleError(
            f"this rule document has version {shorten(version)}, this library reads version "
            f"{VERSION}; upgrade gnri to read it"
        )
    missing = [key for key in _REQUIRED if key not in document]
    if missing:
        raise RuleError(f'a rule document must have the key "{missing[0]}", which is missing')


def _clause(items: Any, i: int) -> list[Literal]:
    return [
        _literal(item, f"clauses[{i}][{j}]") for j, item in enumerate(_list(items, f"clauses[{i}]"))
    ]


def _literal(item: Any, place: str) -> Literal:
    pair = _list(item, place)
    # By type, not isinstance: a JSON true is no atom, and neither is 1.0.
    if [type(part) for part in pair] != [int, bool] or pair[0] < 0:
        _wrong(place, "[atom, positive], such as [0, true]", item)
    return Literal(*pair)


def _list(thing: Any, place: str) -> list[Any]:
    if not isinstance(thing, list):
        _wrong(place, "a list", thing)
    return thing


def _check_atoms(rule: SignedDNF, names: list[str] | None) -> None:
    largest = max(rule.atoms, default=-1)
    if largest > MAX_ATOM:
        raise RuleError(f"an atom of a rule document is at most {MAX_ATOM}, got a larger one")
    if names is not None and largest >= len(names):
        raise RuleError(
            f"the rule reads atom x{largest}, but there are {len(names)} names; "
            "give one name for each column of the table"
        )


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice in one object")
    return found


def _refuse_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is not JSON")


def _wrong(place: str, expected: str, came: object) -> NoReturn:
    raise RuleError(f"{place} must be {expected}, got {shorten(came)}")
