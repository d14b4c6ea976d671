"""Classifiers as JSON documents, with a version; a saved one runs with numpy alone.

    {"format": "gnri-ruleset", "version": 1, "classes": ["edible", "poisonous"], "majority": 0,
     "turns": [], "atoms": [{"kind": "above", "column": "age", "cut": 30.5}, ...],
     "blocks": [[1, 2]], "rules": [{"format": "gnri-rule", ...}]}

A rule is a rule document of `gnri.rules`, or null. Anything else is refused.

Classifiers on disk: one JSON file, written whole or not at all.
"""

import json
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from gnri.atomic_write import write_atomically
from gnri.data.schema import Above, Atom, Equals, IsTrue, OneOf, Schema
from gnri.errors import RuleError
from gnri.rules import documents as rule_document
from gnri.rules.dnf import SignedDNF
from gnri.rules.rule_list import RuleSet
from gnri.rules.strict_json import (
    COUNT,
    MAX_LENGTH,
    NUMBER,
    SCALAR,
    STRING,
    WORD,
    Kind,
    keyed_by,
    listed,
    wrong,
)

_ATOM = {
    "kind": '"(?:above|equals|one of|true)"',
    "column": STRING,
    "cut": NUMBER,
    "value": SCALAR,
    "values": listed(SCALAR),
}
FORMS = {
    "format": WORD,
    "version": COUNT,
    "classes": listed(SCALAR),
    "majority": COUNT,
    "turns": listed(listed(NUMBER)),
    "atoms": listed(keyed_by(_ATOM, "{2,3}+")),
    "blocks": listed(listed(NUMBER)),
    "rules": listed(f"(?:null|{keyed_by(rule_document.FORMS)})"),
}
KIND = Kind("ruleset", "gnri-ruleset", 1, FORMS)

_KINDS: dict[str, type[Atom]] = {"above": Above, "equals": Equals, "one of": OneOf, "true": IsTrue}
_NAMES = {kind: name for name, kind in _KINDS.items()}


def to_json(ruleset: RuleSet) -> str:
    """The classifier as a JSON document; floats are written so that they read back exactly."""
    document = {
        "format": KIND.format,
        "version": KIND.version,
        "classes": ruleset.classes,
        "majority": ruleset.majority,
        "turns": ruleset.turns,
        "atoms": [{"kind": _NAMES[type(atom)], **asdict(atom)} for atom in ruleset.schema.atoms],
        "blocks": ruleset.schema.blocks,
        "rules": [
            None if rule is None else json.loads(rule_document.to_json(rule))
            for rule in ruleset.rules
        ],
    }
    return json.dumps(document, allow_nan=False)


def load_ruleset(text: str) -> RuleSet:
    """The classifier of a JSON document.

    >>> from gnri.data.schema import IsTrue
    >>> rule = SignedDNF([[(0, True)]])
    >>> saved = RuleSet(Schema((IsTrue("smoker"),)), (0, 1), (rule,), majority=0)
    >>> load_ruleset(to_json(saved)) == saved
    True
    """
    try:
        return _read(text)
    except RecursionError:
        raise RuleError("a ruleset document has 6 levels of brackets, this has more") from None


def _read(text: str) -> RuleSet:
    document = KIND.read(text)
    atoms = tuple(_atom(item, f"atoms[{i}]") for i, item in enumerate(_list(document, "atoms")))
    schema = Schema(atoms, tuple(map(tuple, _whole_numbers(document, "blocks"))))
    if type(document["majority"]) is not int:
        wrong("majority", "a whole number", document["majority"])
    return RuleSet(
        schema,
        tuple(_list(document, "classes")),
        tuple(_rule(item, f"rules[{i}]") for i, item in enumerate(_list(document, "rules"))),
        document["majority"],
        tuple(map(tuple, _whole_numbers(document, "turns"))),
    )


def _atom(item: Any, place: str) -> Atom:
    name = item.get("kind") if isinstance(item, dict) else None
    kind = _KINDS.get(name) if isinstance(name, str) else None
    if kind is None:
        wrong(place, f"an object with a kind of {', '.join(_KINDS)}", item)
    wanted = {"kind", *(field.name for field in fields(kind))}
    if item.keys() != wanted:
        wrong(place, f"an object with the keys {', '.join(sorted(wanted))}", item)
    found = {key: value for key, value in item.items() if key != "kind"}
    if kind is OneOf:
        found["values"] = tuple(_list(found, "values"))
    return kind(**found)


def _rule(item: Any, place: str) -> SignedDNF | None:
    if item is None:
        return None
    try:
        rule, names = rule_document.from_json(json.dumps(item))
    except RuleError as error:
        raise RuleError(f"{place}: {error}") from None
    if names is not None:
        raise RuleError(f"{place} must have no names, the atoms have theirs; remove them")
    return rule


def _whole_numbers(document: dict[str, Any], key: str) -> list[list[int]]:
    lists = _list(document, key)
    if any(not isinstance(row, list) or any(type(i) is not int for i in row) for row in lists):
        wrong(key, "lists of whole numbers", lists)
    return lists


def _list(document: dict[str, Any], key: str) -> list[Any]:
    if not isinstance(document[key], list):
        wrong(key, "a list", document[key])
    found: list[Any] = document[key]
    return found


def save_ruleset(ruleset: RuleSet, path: Path | str) -> Path:
    """Write the classifier to `path`; what is there stays as it is if anything fails."""
    path = Path(path)
    data = f"{to_json(ruleset)}\n".encode()
    try:
        write_atomically(path, data)
    except OSError as error:
        raise RuleError(f"the rules cannot be written to {path}: {error.strerror}") from None
    return path


def read_ruleset(path: Path | str) -> RuleSet:
    """The classifier in the file at `path`."""
    path = Path(path)
    try:
        if path.stat().st_size > 4 * MAX_LENGTH:
            raise RuleError(f"{path} is too large to be a ruleset document")
        data = path.read_bytes()
    except OSError as error:
        raise RuleError(f"the rules cannot be read from {path}: {error.strerror}") from None
    try:
        KIND.check_form(data)  # a text can be four times its bytes
        return load_ruleset(data.decode())
    except UnicodeDecodeError as error:
        raise RuleError(f"{path} is not a ruleset document: it is not UTF-8 ({error})") from None
    except RuleError as error:
        raise RuleError(f"{path}: {error}") from None
