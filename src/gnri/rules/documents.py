"""Rule lists as JSON documents with a version, for files and other programs.

    {"format": "gnri-rules", "version": 2, "classes": ["edible", "poisonous"], "default": 0,
     "steps": [{"rule": {"form": "dnf", "positive": true, "clauses": [[[0, true], [3, false]]]},
     "answer": 1, "truth": true}], "atoms": [{"kind": "above", "column": "age", "cut": 30.5}, ...],
     "blocks": [[1, 2]]}

A clause is a list of [atom, positive]. A rule of the form "scorecard" has {"points": [[clause, 2],
...], "threshold": 3} in place of sign and clauses, and a point table has a "unit". Texts that
meant missing in the training files are in "na_values". Anything else is refused, and so is what is
too large. A file may also hold `training`, counts and ranges of the rows
that the rules were learnt from, which only `gnri watch` reads. Rule lists of version 1, as gnri
0.1.0 wrote them, are read as well.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import MISSING, asdict, fields
from pathlib import Path
from typing import Annotated, Any, Literal, NoReturn, TypeVar

import msgspec

from gnri.atomic_write import write_atomically
from gnri.data.schema import Above, Atom, Equals, IsTrue, OneOf, Scalar, Schema
from gnri.errors import RuleError, shorten
from gnri.rules.dnf import SignedDNF
from gnri.rules.rule_list import RuleList, Step, classes_to_learn
from gnri.rules.scorecard import LARGEST_POINTS, AnyRule, Scorecard

T = TypeVar("T")

MAX_BYTES = 8 << 20
"""A longer document is neither written nor read."""

_NEWEST = 2
_ATOMS: dict[str, type[Atom]] = {"above": Above, "equals": Equals, "one of": OneOf, "true": IsTrue}
_NAMES = {kind: name for name, kind in _ATOMS.items()}

_AtomIndex = Annotated[int, msgspec.Meta(ge=0, le=10**18 - 1)]
_Clause = list[tuple[_AtomIndex, bool]]
_Clauses = list[_Clause]
_Points = Annotated[int, msgspec.Meta(ge=-LARGEST_POINTS, le=LARGEST_POINTS)]


class RepeatedKeyError(ValueError):
    """A JSON object has a key twice, which other programs may read in different ways."""


class _Rule(msgspec.Struct, tag_field="form", tag="dnf", forbid_unknown_fields=True):
    positive: bool
    clauses: _Clauses


class _Scorecard(msgspec.Struct, tag_field="form", tag="scorecard", forbid_unknown_fields=True):
    points: list[tuple[_Clause, _Points]]
    threshold: _Points


class _Step(msgspec.Struct, forbid_unknown_fields=True):
    rule: _Rule | _Scorecard
    answer: int
    truth: bool


class _Rules(msgspec.Struct, tag_field="format", tag="gnri-rules", forbid_unknown_fields=True):
    version: Literal[2]
    classes: list[Scalar]
    default: int
    steps: list[_Step]
    atoms: list[dict[str, Any]]
    blocks: list[list[int]]
    unit: float | None = None
    na_values: tuple[str, ...] = ()
    training: dict[str, Any] | None = None


class _Rule1(msgspec.Struct, forbid_unknown_fields=True):
    format: Literal["gnri-rule"]
    version: Literal[1]
    positive: bool
    clauses: _Clauses


class _Rules1(msgspec.Struct, tag_field="format", tag="gnri-ruleset", forbid_unknown_fields=True):
    """Version 1: one rule for two classes, else one or None for each, in the order of `turns`."""

    version: Literal[1]
    classes: list[Scalar]
    majority: int
    turns: list[list[int]]
    atoms: list[dict[str, Any]]
    blocks: list[list[int]]
    rules: list[_Rule1 | None]


def to_json(rule_list: RuleList, training: Mapping[str, Any] | None = None) -> str:
    """Return the rule list as a JSON document, with floats that read back exactly.

    `training` is the summary of the training rows, `Fitted.training_summary()`, to be kept with it.
    """
    schema = rule_list.schema
    document = {
        "format": "gnri-rules",
        "version": _NEWEST,
        "classes": rule_list.classes,
        "default": rule_list.default,
        "steps": [
            {
                "rule": {"form": step.rule.form, **step.rule.to_dict()},
                "answer": step.answer,
                "truth": step.truth == 1,
            }
            for step in rule_list.steps
        ],
        "atoms": [_atom_document(atom) for atom in schema.atoms],
        "blocks": schema.blocks,
    }
    if rule_list.unit is not None:
        document["unit"] = rule_list.unit
    if rule_list.na_values:
        document["na_values"] = rule_list.na_values
    if training is not None:
        document["training"] = training
    text = json.dumps(document, allow_nan=False)
    if len(text) >= MAX_BYTES:  # a file has one more
        raise RuleError(
            f"a file of rules may have {MAX_BYTES} bytes, this would have {len(text)}; "
            "leave out the columns that no rule reads"
        )
    return text


def from_json(text: str) -> RuleList:
    """Return the rule list of a JSON document.

    >>> schema = Schema((IsTrue("smoker"),))
    >>> saved = RuleList.binary(schema, (0, 1), SignedDNF([[(0, True)]]))
    >>> from_json(to_json(saved)) == saved
    True
    """
    document = _read(text)
    atoms = tuple(_atom(item, f"atoms[{i}]") for i, item in enumerate(document.atoms))
    schema = Schema(atoms, tuple(map(tuple, document.blocks)))
    if isinstance(document, _Rules1):
        return _from_version_1(document, schema)
    steps = [
        Step(_make_rule(step.rule), step.answer, 1 if step.truth else -1) for step in document.steps
    ]
    classes, end = tuple(document.classes), (document.default, document.unit, document.na_values)
    return RuleList(schema, classes, tuple(steps), *end)


def save_rules(
    rule_list: RuleList, path: Path | str, training: Mapping[str, Any] | None = None
) -> Path:
    """Write the rule list to `path`; what is there stays as it is if anything fails.

    `training` is as in `to_json`.
    """
    path = Path(path)
    data = f"{to_json(rule_list, training)}\n".encode()
    try:
        write_atomically(path, data)
    except OSError as error:
        raise RuleError(f"the rules cannot be written to {path}: {error.strerror}") from None
    return path


def load_rules(path: Path | str) -> RuleList:
    """Return the rule list in the file at `path`."""
    return _load(path, from_json)


def load_training(path: Path | str) -> dict[str, Any] | None:
    """Return the summary of the training rows in a file of rules; None without one."""
    return _load(path, lambda text: getattr(_read(text), "training", None))


def _load(path: Path | str, read: Callable[[str], T]) -> T:
    """Return what `read` makes of the text of a file; errors name the file."""
    try:
        with Path(path).open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise RuleError(f"the rules cannot be read from {path}: {error.strerror}") from None
    try:
        return read(data.decode())
    except UnicodeDecodeError as error:
        raise RuleError(f"{path} is not a file of rules: it is not UTF-8 ({error})") from None
    except RuleError as error:
        raise RuleError(f"{path}: {error}") from None


def parse_json(text: str | bytes) -> Any:
    """Return the value of a JSON text; raise `ValueError` for a repeated key or a NaN."""
    return json.loads(text, object_pairs_hook=_object, parse_constant=_refuse_constant)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise RepeatedKeyError("a key stands twice in one object")
    return found


def _refuse_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is not JSON")


def _read(text: str) -> _Rules | _Rules1:
    """Return the document in `text`; raise `RuleError` in one line."""
    if not isinstance(text, str):
        raise RuleError(f"rules in JSON must be a string, got {type(text).__name__}")
    if len(text) > MAX_BYTES:
        raise RuleError(f"a file of rules may have {MAX_BYTES} bytes, this has more")
    try:
        document = parse_json(text)
        if not isinstance(document, dict) or "format" not in document:
            raise RuleError('rules in JSON are an object with the key "format"; this is none')
        version = document.get("version")
        if type(version) is int and version > _NEWEST:
            raise RuleError(
                f"these rules have version {shorten(version)}, this library reads up to version "
                f"{_NEWEST}; upgrade gnri to read them"
            )
        return msgspec.convert(document, _Rules | _Rules1)
    except RecursionError:
        raise RuleError("these are no rules in JSON: there are too many nested brackets") from None
    except (msgspec.ValidationError, ValueError) as error:
        raise RuleError(f"these are no rules in JSON: {error}") from None


def _make_rule(rule: _Rule | _Rule1 | _Scorecard) -> AnyRule:
    if isinstance(rule, _Scorecard):
        return Scorecard(((frozenset(line), p) for line, p in rule.points), rule.threshold)
    return SignedDNF(rule.clauses, rule.positive)


def _from_version_1(document: _Rules1, schema: Schema) -> RuleList:
    classes, order = tuple(document.classes), [kind for turn in document.turns for kind in turn]
    rules = [None if rule is None else _make_rule(rule) for rule in document.rules]
    wanted = len(classes_to_learn(classes))
    if len(rules) != wanted or (wanted == 1 and order):
        raise RuleError(f"{len(classes)} classes need {wanted} rules and, if two, no turns")
    if wanted == 1:
        return RuleList.binary(schema, classes, rules[0], document.majority)
    if len(set(order)) < len(order) or not set(order) <= set(range(len(classes))):
        raise RuleError(f"turns must name each class once, by its index, got {shorten(order)}")
    steps = [Step(rule, kind) for kind in order if (rule := rules[kind]) is not None]
    if len(steps) < len(rules) - rules.count(None):
        raise RuleError(f"turns must name each class that has a rule, got {shorten(order)}")
    return RuleList(schema, classes, tuple(steps), document.majority)


def _atom_document(atom: Atom) -> dict[str, Any]:
    known = {name: value for name, value in asdict(atom).items() if value not in (None, ())}
    return {"kind": _NAMES[type(atom)], **known}


def _atom(item: dict[str, Any], place: str) -> Atom:
    name = item.pop("kind", None)
    kind = _ATOMS.get(name) if isinstance(name, str) else None
    if kind is None:
        raise RuleError(
            f"the kind of {place} must be one of {', '.join(_ATOMS)}, got {shorten(name)}"
        )
    wanted = {field.name for field in fields(kind) if field.default is MISSING}
    if item.keys() - {"other"} != wanted or (kind is not Equals and "other" in item):
        raise RuleError(f"{place} must have the keys kind, {', '.join(sorted(wanted))}")
    if kind is OneOf:
        if not isinstance(item["values"], list):
            raise RuleError(f"the values of {place} must be a list, got {shorten(item['values'])}")
        item["values"] = tuple(item["values"])
    return kind(**item)
