"""Read the options that constrain rules; raise where they contradict each other or the table."""

import json
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import isfinite
from numbers import Rational, Real
from pathlib import Path
from typing import Any

import numpy as np

from gnri.data.kinds import KIND_WORDS, ColumnKind
from gnri.data.schema import Above, Atom, Equals, IsTrue, OneOf
from gnri.data.value_counts import ValueCounts
from gnri.errors import GnriError, closest, shorten
from gnri.estimator.constraints import Condition, Constraints, Kept
from gnri.estimator.settings import FitSettings, find_class, read_option
from gnri.rules.dnf import SignedDNF, sort_literals
from gnri.rules.documents import load_rules
from gnri.rules.rule_list import RuleList

OPTIONS = ("forbid", "require", "monotone", "thresholds", "special", "prices")
"""The options that name columns."""

MAX_PRICE = 1_000_000
"""The most that a price may be multiplied by."""


def read_constraints(
    settings: FitSettings,
    counts: Sequence[ValueCounts],
    columns: Sequence[str],
    classes: Sequence[Any],
) -> Constraints:
    """Return the constraints of settings for these columns and classes; raise if they disagree.

    `counts` are those of the columns that can be used.
    """
    kinds = dict.fromkeys(columns) | {one.name: one.kind for one in counts}
    given = {name: read_option(name, getattr(settings, name)) for name in OPTIONS}
    kept = None if settings.keep is None else _read_kept(settings.keep, classes)
    named = {**given, "keep": [] if kept is None else kept.columns}
    for option, names in named.items():
        for name in names:
            _check_column(option, name, kinds)
            if option in ("require", "keep") and name in given["forbid"]:
                raise GnriError(
                    f"column {shorten(name)} is named by forbid and by {option}; leave it out of "
                    "one"
                )
    _check_model(settings)
    directions = {
        name: _read_direction(name, one, kinds[name], classes)
        for name, one in given["monotone"].items()
    }
    if kept is not None:
        _check_kept(settings, kept, directions)
    return Constraints(
        monotone=directions,
        require=tuple(given["require"]),
        prices={name: _read_price(name, one) for name, one in given["prices"].items()},
        special={
            name: _read_codes(name, one, kinds[name]) for name, one in given["special"].items()
        },
        kept=kept,
        forbid=frozenset(given["forbid"]),
        thresholds=frozenset(given["thresholds"]),
    )


def _check_column(option: str, name: Any, kinds: Mapping[str, Any]) -> None:
    if name not in kinds:
        near = closest(str(name), list(kinds))
        hint = f"its columns are {shorten(list(kinds))}" if near is None else f"is it {near!r}?"
        raise GnriError(f"{option} names {shorten(name)}, which the table does not have; {hint}")


def _check_model(settings: FitSettings) -> None:
    from gnri.model.guided.candidates import Guided

    used = [
        name
        for name in ("require", "monotone", "special", "prices", "keep")
        if getattr(settings, name)
    ]
    if used and not isinstance(settings.learner().model, Guided):
        raise GnriError(f"{used[0]} needs the model 'guided'; leave model out")


def _read_codes(name: str, given: Any, kind: ColumnKind | None) -> tuple[float, ...]:
    """Return the codes of a column, in order."""
    _check_number("special", name, kind)
    numbers = list(given) if np.ndim(given) == 1 else []
    if not numbers or not all(map(_is_number, numbers)):
        raise GnriError(
            f"special must be a list of numbers for column {shorten(name)}, such as [-9, -1], "
            f"got {shorten(given)}"
        )
    return tuple(sorted(map(float, numbers)))


def _is_number(given: Any) -> bool:
    return not isinstance(given, bool) and isinstance(given, Real) and isfinite(float(given))


def _check_number(option: str, name: str, kind: ColumnKind | None, *others: ColumnKind) -> None:
    if kind not in (ColumnKind.NUMBER, *others):
        held = KIND_WORDS[kind or ColumnKind.CATEGORY]
        raise GnriError(
            f"{option} needs a column of numbers, but {shorten(name)} holds {held}; leave it out"
        )


def _read_direction(
    name: str, given: Any, kind: ColumnKind | None, classes: Sequence[Any]
) -> tuple[int, int]:
    """Return the class for which a column speaks, and in which direction."""
    _check_number("monotone", name, kind, ColumnKind.FLAG)
    pair = isinstance(given, tuple | list) and len(given) == 2
    label, direction = given if pair else (None, given)
    if isinstance(direction, bool) or direction not in (-1, 1):
        raise GnriError(
            f"monotone must be +1 or -1 for column {shorten(name)}, or a class and one of them, "
            f"such as ({shorten(classes[-1])}, +1), got {shorten(given)}"
        )
    if label is None and len(classes) > 2:
        raise GnriError(
            f"monotone must name the class that larger values of {shorten(name)} speak for, as "
            f"there are {len(classes)}; write ({shorten(classes[-1])}, +1)"
        )
    target = None if label is None else find_class(label, classes, "monotone")
    return 1 if target is None else target, int(direction)


def _read_price(name: str, given: Any) -> Fraction:
    whole = isinstance(given, Rational | float) and not isinstance(given, bool)
    if not whole or not 0 < given <= MAX_PRICE:
        raise GnriError(
            f"prices must be numbers above 0 and up to {MAX_PRICE:,}, got {shorten(given)} for "
            f"column {shorten(name)}"
        )
    return Fraction(given).limit_denominator(MAX_PRICE)


def _read_kept(given: str | Path | RuleList, classes: Sequence[Any]) -> Kept:
    clauses, label = read_keep(given)
    if len(classes) > 2:
        raise GnriError(f"keep needs two classes, but there are {len(classes)}; leave it out")
    kind = None if label is None else find_class(label, classes, "keep")
    return Kept(clauses, 1 if kind is None else kind)


def _check_kept(settings: FitSettings, kept: Kept, monotone: Mapping[str, tuple[int, int]]) -> None:
    if settings.points_only:
        raise GnriError(f"keep needs clauses, not form={settings.form!r}; use form='dnf'")
    for name, most, size in (
        ("max_clauses", settings.max_clauses, len(kept.clauses)),
        ("max_literals", settings.max_literals, max(map(len, kept.clauses))),
        ("max_conditions", settings.max_conditions, sum(map(len, kept.clauses))),
    ):
        if most is not None and size > most:
            raise GnriError(f"keep has {size} of what {name}={most} limits; allow more there")
    for atom, positive in (one for part in kept.clauses for one in part):
        kind, direction = monotone.get(atom.column, (0, 0))
        if direction and positive != ((direction > 0) == (kind == kept.kind)):
            raise GnriError(
                f"keep has a condition on column {shorten(atom.column)} against the direction that "
                "monotone gives it; change one of them"
            )


def read_keep(given: str | Path | RuleList) -> tuple[tuple[tuple[Condition, ...], ...], Any]:
    """Return the clauses of a rule: learnt, in a JSON file, or in words as rules are printed.

    And the class that they speak for; None for the second of two.
    """
    if isinstance(given, RuleList):
        return _read_rules(given)
    if not isinstance(given, str | Path) or not str(given).strip():
        raise GnriError(f"keep must be a file of rules or the text of one, got {shorten(given)}")
    if isinstance(given, Path) or given.endswith(".json"):
        return _read_rules(load_rules(given))
    whole = re.sub(r"\s+otherwise\b.*", "", " ".join(given.split()))
    head, found, rest = whole.partition(" if ")
    label, text = (_unquote(head), rest) if found else (None, whole)
    clauses = [_split(part, "and") for part in _split(text, "or")]
    return tuple(tuple(c for one in part for c in _conditions(one)) for part in clauses), label


def _read_rules(rules: RuleList) -> tuple[tuple[tuple[Condition, ...], ...], Any]:
    if len(rules.classes) > 2 or len(rules.steps) != 1 or not isinstance(rules.rules[0], SignedDNF):
        raise GnriError("keep needs a rule of two classes with clauses; fit one with form='dnf'")
    (rule,), atoms = rules.dnfs, rules.schema.atoms
    found = [[(atoms[i], sign) for i, sign in sort_literals(part)] for part, _ in rule.lines]
    return tuple(map(tuple, found)), rules.classes[1 if rule.positive else 0]


_QUOTED = r'"(?:[^"\\]|\\.)*"'


def _split(text: str, word: str) -> list[str]:
    """Return the parts between a word, where it does not stand in quotes or braces."""
    pattern = rf"({_QUOTED}|{{[^}}]*}})|\b{word}\b"
    lines = re.sub(pattern, lambda one: one[1] or "\n", text)  # the text has no line break
    return [part.strip() for part in lines.split("\n") if part.strip()]


_NUMBER = r"[-+]?[0-9.]+(?:e[-+]?[0-9]+)?"
_RANGE = re.compile(rf"({_NUMBER})\s*<\s*(.+?)\s*<=\s*({_NUMBER})")
_SIDE = re.compile(rf"(.+?)\s*(>|<=)\s*({_NUMBER})")
_LIST = re.compile(r"(.+?)\s+(in|not in)\s*{(.*)}")
_VALUE = re.compile(rf"({_QUOTED}|.+?)\s*(!=|=)\s*(.+)")


def _conditions(text: str) -> list[Condition]:
    """Return the conditions that one printed condition stands for."""
    if found := _RANGE.fullmatch(text):
        low, name, high = found.groups()
        name = _unquote(name)
        return [(Above(name, float(low)), True), (Above(name, float(high)), False)]
    if found := _SIDE.fullmatch(text):
        return [(Above(_unquote(found[1]), float(found[3])), found[2] == ">")]
    if found := _LIST.fullmatch(text):
        listed = [one.strip() for one in re.findall(rf"{_QUOTED}|[^,]+", found[3])]
        name, values = _unquote(found[1]), tuple(_unquote(one) for one in listed if one)
        if found[2] == "in":
            atom: Atom = OneOf(name, values) if len(values) > 1 else Equals(name, values[0])
            return [(atom, True)]
        return [(Equals(name, value), False) for value in values]
    if found := _VALUE.fullmatch(text):
        return [(Equals(_unquote(found[1]), _unquote(found[3])), found[2] == "=")]
    if re.search(r"[<>]", text):
        raise GnriError(
            "keep must have conditions such as age > 30, age <= 30 or sex = male, got "
            f"{shorten(text)}"
        )
    name = text.removeprefix("not ").strip()
    return [(IsTrue(_unquote(name)), name == text)]


def _unquote(text: str) -> str:
    """Return a name or value without its quotes."""
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] == '"':
        return str(json.loads(text))
    return text
