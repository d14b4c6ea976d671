"""Rules and classifiers as JSON documents, with a version, for files and other programs.

    {"format": "gnri-rule", "version": 1, "positive": true,
     "clauses": [[[0, true], [3, false]], [[5, true]]], "names": ["odor=foul", ...]}

    {"format": "gnri-ruleset", "version": 1, "classes": ["edible", "poisonous"], "majority": 0,
     "turns": [], "atoms": [{"kind": "above", "column": "age", "cut": 30.5}, ...],
     "blocks": [[1, 2]], "rules": [{"format": "gnri-rule", ...}]}

A clause is a list of [atom, positive], and `names` may be left out; a rule of a classifier is a
rule document without names, or null. Anything else is refused, and so is what is too large.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, TypeVar

from gnri.atomic_write import write_atomically
from gnri.data.schema import Above, Atom, Equals, IsTrue, OneOf, Schema
from gnri.errors import RuleError
from gnri.messages import shorten
from gnri.rules.dnf import Literal, SignedDNF, sorted_clauses
from gnri.rules.rule_list import RuleSet
from gnri.rules.syntax import check_names

MAX_BYTES = 8 << 20
"""A longer document is neither written nor read."""

MAX_ATOM = 10**18 - 1
"""The largest atom that can be saved, the same as in a rule text."""

_VERSION = 1
_ATOMS: dict[str, type[Atom]] = {"above": Above, "equals": Equals, "one of": OneOf, "true": IsTrue}
_NAMES = {kind: name for name, kind in _ATOMS.items()}

_Built = TypeVar("_Built")


class _Kind(NamedTuple):
    """How messages call a document, what it says of itself, and the keys it has."""

    word: str
    format: str
    keys: tuple[str, ...]
    optional: tuple[str, ...] = ()


_RULE = _Kind("rule", "gnri-rule", ("positive", "clauses"), ("names",))
_RULESET = _Kind(
    "ruleset", "gnri-ruleset", ("classes", "majority", "turns", "atoms", "blocks", "rules")
)


class RepeatedKeyError(ValueError):
    """JSON in which an object has a key twice, which readers understand in different ways."""


def to_json(rule: SignedDNF, names: Sequence[str] | None = None) -> str:
    """Return the rule as a JSON document; the same rule and names always give the same text.

    >>> print(to_json(SignedDNF([[(3, False), (0, True)]])))
    {"format": "gnri-rule", "version": 1, "positive": true, "clauses": [[[0, true], [3, false]]]}
    """
    known = None if names is None else check_names(names)
    return _write(_rule_document(rule, known), _RULE)


def from_json(text: str) -> tuple[SignedDNF, list[str] | None]:
    """Return the rule of a JSON document, and its column names if it has them.

    >>> rule = SignedDNF([[(0, True)]], positive=False)
    >>> from_json(to_json(rule, ["odor=foul"])) == (rule, ["odor=foul"])
    True
    """
    return _read(text, _RULE, _build_rule)


def ruleset_to_json(ruleset: RuleSet) -> str:
    """Return the classifier as a JSON document, with floats that read back exactly."""
    document = {
        "format": _RULESET.format,
        "version": _VERSION,
        "classes": ruleset.classes,
        "majority": ruleset.majority,
        "turns": ruleset.turns,
        "atoms": [{"kind": _NAMES[type(atom)], **asdict(atom)} for atom in ruleset.schema.atoms],
        "blocks": ruleset.schema.blocks,
        "rules": [None if rule is None else _rule_document(rule) for rule in ruleset.rules],
    }
    return _write(document, _RULESET)


def load_ruleset(text: str) -> RuleSet:
    """Return the classifier of a JSON document.

    >>> rule = SignedDNF([[(0, True)]])
    >>> saved = RuleSet(Schema((IsTrue("smoker"),)), (0, 1), (rule,), majority=0)
    >>> load_ruleset(ruleset_to_json(saved)) == saved
    True
    """
    return _read(text, _RULESET, _build_ruleset)


def save_ruleset(ruleset: RuleSet, path: Path | str) -> Path:
    """Write the classifier to `path`; what is there stays as it is if anything fails."""
    path = Path(path)
    data = f"{ruleset_to_json(ruleset)}\n".encode()
    try:
        write_atomically(path, data)
    except OSError as error:
        raise RuleError(f"the rules cannot be written to {path}: {error.strerror}") from None
    return path


def read_ruleset(path: Path | str) -> RuleSet:
    """Return the classifier in the file at `path`."""
    try:
        with Path(path).open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise RuleError(f"the rules cannot be read from {path}: {error.strerror}") from None
    try:
        return load_ruleset(data.decode())
    except UnicodeDecodeError as error:
        raise RuleError(f"{path} is not a ruleset document: it is not UTF-8 ({error})") from None
    except RuleError as error:
        raise RuleError(f"{path}: {error}") from None


def parse_json(text: str | bytes) -> Any:
    """Return what JSON says; a `ValueError` if it is none, or none that all readers agree on."""
    return json.loads(text, object_pairs_hook=_object, parse_constant=_refuse_constant)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise RepeatedKeyError("a key stands twice in one object")
    return found


def _refuse_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is not JSON")


def _write(document: dict[str, Any], kind: _Kind) -> str:
    text = json.dumps(document, allow_nan=False)
    if len(text) >= MAX_BYTES:  # a file has one more
        raise RuleError(
            f"a {kind.word} document may have {MAX_BYTES} bytes, this would have {len(text)}; "
            "leave out the columns that no rule reads"
        )
    return text


def _read(text: str, kind: _Kind, build: Callable[[dict[str, Any]], _Built]) -> _Built:
    """Return what is built of the document in `text`, or say in one line what is wrong with it."""
    if not isinstance(text, str):
        raise RuleError(f"a {kind.word} document must be a string, got {type(text).__name__}")
    if len(text) > MAX_BYTES:
        raise RuleError(f"a {kind.word} document may have {MAX_BYTES} bytes, this has more")
    try:
        return build(_check_document(parse_json(text), kind))
    except RuleError:
        raise
    except (ValueError, RecursionError) as error:
        deep = isinstance(error, RecursionError)
        why = "there are far too many levels of brackets" if deep else error
        raise RuleError(f"this is not a {kind.word} document in JSON: {why}") from None


def _check_document(document: Any, kind: _Kind) -> dict[str, Any]:
    """Return the document if it is of this kind, of a version we know, with the keys we know."""
    if not isinstance(document, dict):
        _wrong(f"a {kind.word} document", "an object", document)
    if document.get("format") != kind.format:
        _wrong("format", f'"{kind.format}"', document.get("format"))
    version = document.get("version")
    if type(version) is not int or version < 1:
        _wrong("version", "a whole number from 1", version)
    if version > _VERSION:
        raise RuleError(
            f"this {kind.word} document has version {shorten(version)}, this library reads "
            f"version {_VERSION}; upgrade gnri to read it"
        )
    for key in kind.keys:
        if key not in document:
            raise RuleError(f'a {kind.word} document must have the key "{key}", which is missing')
    unknown = document.keys() - {"format", "version", *kind.keys, *kind.optional}
    if unknown:
        raise RuleError(f"a {kind.word} document has no key {shorten(min(unknown))}; remove it")
    return document


def _rule_document(rule: SignedDNF, names: list[str] | None = None) -> dict[str, Any]:
    _check_atoms(rule, names)
    document = {
        "format": _RULE.format,
        "version": _VERSION,
        "positive": rule.positive,
        "clauses": sorted_clauses(rule),
    }
    return document if names is None else {**document, "names": names}


def _build_rule(document: dict[str, Any]) -> tuple[SignedDNF, list[str] | None]:
    if not isinstance(document["positive"], bool):
        _wrong("positive", "true or false", document["positive"])
    clauses = [
        [_literal(item, at) for item, at in _each(items, place)]
        for items, place in _each(document["clauses"], "clauses")
    ]
    rule = SignedDNF(clauses, document["positive"])
    names = check_names(_list(document["names"], "names")) if "names" in document else None
    _check_atoms(rule, names)
    return rule, names


def _literal(item: Any, place: str) -> Literal:
    pair = _list(item, place)
    # By type, not isinstance: a JSON true is no atom, and neither is 1.0.
    if [type(part) for part in pair] != [int, bool] or pair[0] < 0:
        _wrong(place, "[atom, positive], such as [0, true]", item)
    return Literal(*pair)


def _check_atoms(rule: SignedDNF, names: list[str] | None) -> None:
    largest = max(rule.atoms, default=-1)
    if largest > MAX_ATOM:
        raise RuleError(f"an atom of a rule document is at most {MAX_ATOM}, got a larger one")
    if names is not None and largest >= len(names):
        raise RuleError(
            f"the rule reads atom x{largest}, but there are {len(names)} names; "
            "give one name for each column of the table"
        )


def _build_ruleset(document: dict[str, Any]) -> RuleSet:
    if type(document["majority"]) is not int:
        _wrong("majority", "a whole number", document["majority"])
    atoms = tuple(_atom(item, place) for item, place in _each(document["atoms"], "atoms"))
    return RuleSet(
        Schema(atoms, _whole_numbers(document["blocks"], "blocks")),
        tuple(_list(document["classes"], "classes")),
        tuple(_rule(item, place) for item, place in _each(document["rules"], "rules")),
        document["majority"],
        _whole_numbers(document["turns"], "turns"),
    )


def _atom(item: Any, place: str) -> Atom:
    name = item.get("kind") if isinstance(item, dict) else None
    kind = _ATOMS.get(name) if isinstance(name, str) else None
    if kind is None:
        _wrong(place, f"an object with a kind of {', '.join(_ATOMS)}", item)
    wanted = {"kind", *(field.name for field in fields(kind))}
    if item.keys() != wanted:
        _wrong(place, f"an object with the keys {', '.join(sorted(wanted))}", item)
    found = {key: value for key, value in item.items() if key != "kind"}
    if kind is OneOf:
        found["values"] = tuple(_list(found["values"], f"{place}: values"))
    return kind(**found)


def _rule(item: Any, place: str) -> SignedDNF | None:
    if item is None:
        return None
    try:
        rule, names = _build_rule(_check_document(item, _RULE))
    except RuleError as error:
        raise RuleError(f"{place}: {error}") from None
    if names is not None:
        raise RuleError(f"{place} must have no names, the atoms have theirs; remove them")
    return rule


def _whole_numbers(lists: Any, place: str) -> tuple[tuple[int, ...], ...]:
    if any(type(number) is not int for row, at in _each(lists, place) for number in _list(row, at)):
        _wrong(place, "lists of whole numbers", lists)
    return tuple(map(tuple, lists))


def _each(thing: Any, place: str) -> Iterator[tuple[Any, str]]:
    """Yield the items of a list, each with its place."""
    for i, item in enumerate(_list(thing, place)):
        yield item, f"{place}[{i}]"


def _list(thing: Any, place: str) -> list[Any]:
    if not isinstance(thing, list):
        _wrong(place, "a list", thing)
    return thing


def _wrong(place: str, expected: str, came: object) -> NoReturn:
    """Say what was expected at a place of a document, and what came."""
    raise RuleError(f"{place} must be {expected}, got {shorten(came)}")
