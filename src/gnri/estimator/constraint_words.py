"""Read constraints as a user writes them, and say in one line what contradicts what."""

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import isfinite
from numbers import Rational, Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gnri.data.kinds import KIND_WORDS, ColumnKind
from gnri.data.schema import Above, Atom, Equals, IsTrue, OneOf
from gnri.data.value_counts import ValueCounts
from gnri.errors import GnriError, closest, shorten
from gnri.estimator.constraints import Condition, Constraints, Kept
from gnri.rules.dnf import SignedDNF, sort_literals
from gnri.rules.documents import load_rules
from gnri.rules.rule_list import RuleList

if TYPE_CHECKING:
    from gnri.estimator.settings import FitSettings

MOST_FACTOR = 1_000_000
"""The most that a price may be multiplied by."""


class Words(NamedTuple):
    """Clauses to keep, and the class that they speak for; None: the second of two."""

    clauses: tuple[tuple[Condition, ...], ...]
    label: Any = None


def read_constraints(
    settings: "FitSettings",
    counts: Sequence[ValueCounts],
    columns: Sequence[str],
    classes: Sequence[Any],
) -> Constraints:
    """Return the constraints of settings for these columns and classes; raise if they disagree.

    `counts` are those of the columns that can be used.
    """
    kinds = dict.fromkeys(columns) | {one.name: one.kind for one in counts}
    require = read_names("require", settings.require)
    named = {
        "forbid": read_names("forbid", settings.forbid),
        "require": require,
        **{
            name: list(_mapping(name, getattr(settings, name)))
            for name in ("monotone", "thresholds", "special", "prices")
        },
    }
    for option, names in named.items():
        for name in names:
            _check_column(option, name, kinds)
    kept = _read_kept(settings, kinds, classes)
    if kept is not None:
        named["keep"] = [atom.column for part in kept.clauses for atom, _ in part]
    for option in ("require", "keep"):
        both = [name for name in named.get(option, ()) if name in named["forbid"]]
        if both:
            raise GnriError(
                f"column {shorten(both[0])} is named by forbid and by {option}; leave it out of one"
            )
    _check_model(settings)
    _check_special(settings, kinds)
    monotone = {
        name: _read_direction(name, given, kinds[name], classes)
        for name, given in (settings.monotone or {}).items()
    }
    if kept is not None:
        _check_kept(settings, kept, monotone)
    prices = {name: _read_price(name, given) for name, given in (settings.prices or {}).items()}
    return Constraints(monotone, tuple(require), prices, frozenset(settings.special or ()), kept)


def read_names(option: str, given: Any) -> list[str]:
    """Return the columns that an option names."""
    if given is None:
        return []
    if not isinstance(given, list | tuple | set | frozenset):
        raise GnriError(
            f"{option} must be a list of columns, such as ['age'], got {shorten(given)}"
        )
    return list(given)


def _mapping(option: str, given: Any) -> Mapping[str, Any]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise GnriError(f"{option} must be a value for each column, got {shorten(given)}")
    return given


def _check_column(option: str, name: Any, kinds: Mapping[str, Any]) -> None:
    if name not in kinds:
        near = closest(str(name), list(kinds))
        hint = f"its columns are {shorten(list(kinds))}" if near is None else f"is it {near!r}?"
        raise GnriError(f"{option} names {shorten(name)}, which the table does not have; {hint}")


def _check_model(settings: "FitSettings") -> None:
    from gnri.model.guided.candidates import Guided

    used = [
        name
        for name in ("require", "monotone", "special", "prices", "keep")
        if getattr(settings, name)
    ]
    if used and not isinstance(settings.learner().model, Guided):
        raise GnriError(f"{used[0]} needs the model 'guided'; leave model out")


def _check_special(settings: "FitSettings", kinds: Mapping[str, ColumnKind | None]) -> None:
    for name, codes in (settings.special or {}).items():
        _check_number("special", name, kinds[name])
        numbers = list(codes) if np.ndim(codes) == 1 else []
        if not numbers or not all(map(_is_number, numbers)):
            raise GnriError(
                f"special must be a list of numbers for column {shorten(name)}, such as [-9, -1], "
                f"got {shorten(codes)}"
            )


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
    return (1 if label is None else find_class("monotone", label, classes)), int(direction)


def find_class(option: str, label: Any, classes: Sequence[Any]) -> int:
    """Return the index of a class, which may be named by its text."""
    for names in (list(classes), [str(one) for one in classes]):
        if label in names:
            return names.index(label)
    raise GnriError(
        f"{option} names the class {shorten(label)}, but the classes are {shorten(list(classes))}; "
        "name one of these"
    )


def _read_price(name: str, given: Any) -> Fraction:
    whole = isinstance(given, Rational | float) and not isinstance(given, bool)
    if not whole or not 0 < given <= MOST_FACTOR:
        raise GnriError(
            f"prices must be numbers above 0 and up to {MOST_FACTOR:,}, got {shorten(given)} for "
            f"column {shorten(name)}"
        )
    return Fraction(given).limit_denominator(MOST_FACTOR)


def _read_kept(
    settings: "FitSettings", kinds: Mapping[str, Any], classes: Sequence[Any]
) -> Kept | None:
    if settings.keep is None:
        return None
    words = read_keep(settings.keep)
    for part in words.clauses:
        for atom, _ in part:
            _check_column("keep", atom.column, kinds)
    if len(classes) > 2:
        raise GnriError(f"keep needs two classes, but there are {len(classes)}; leave it out")
    return Kept(
        words.clauses, 1 if words.label is None else find_class("keep", words.label, classes)
    )


def _check_kept(
    settings: "FitSettings", kept: Kept, monotone: Mapping[str, tuple[int, int]]
) -> None:
    if settings.form in ("scorecard", "checklist"):
        raise GnriError(f"keep needs clauses, not form={settings.form!r}; use form='dnf'")
    for name, most, size in (
        ("max_clauses", settings.max_clauses, len(kept.clauses)),
        ("max_literals", settings.max_literals, max(map(len, kept.clauses))),
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


def read_keep(given: str | Path | RuleList) -> Words:
    """Return the clauses of a rule: learnt, in a JSON file, or in words as rules are printed."""
    if isinstance(given, RuleList):
        return _from_rules(given)
    if not isinstance(given, str | Path) or not str(given).strip():
        raise GnriError(f"keep must be a file of rules or the text of one, got {shorten(given)}")
    if isinstance(given, Path) or given.endswith(".json"):
        return _from_rules(load_rules(given))
    whole = re.sub(r"\s+otherwise\b.*", "", " ".join(given.split()))
    head, found, rest = whole.partition(" if ")
    label, text = (_bare(head), rest) if found else (None, whole)
    clauses = [_split(part, "and") for part in _split(text, "or")]
    return Words(
        tuple(tuple(c for one in part for c in _conditions(one)) for part in clauses), label
    )


def _from_rules(rules: RuleList) -> Words:
    if len(rules.classes) > 2 or len(rules.steps) != 1 or not isinstance(rules.rules[0], SignedDNF):
        raise GnriError("keep needs a rule of two classes with clauses; fit one with form='dnf'")
    (rule,), atoms = rules.dnfs, rules.schema.atoms
    found = [[(atoms[i], sign) for i, sign in sort_literals(part)] for part, _ in rule.lines]
    label = rules.classes[1 if rule.positive else 0]
    return Words(tuple(map(tuple, found)), label)


_QUOTED = r'"(?:[^"\\]|\\.)*"'


def _split(text: str, word: str) -> list[str]:
    """Return the parts between a word, where it does not stand in quotes or braces."""
    parts = re.split(rf"({_QUOTED}|{{[^}}]*}})|\b{word}\b", text)
    found = [""]
    for i in range(0, len(parts), 2):
        found[-1] += parts[i]
        if i + 1 < len(parts):
            if parts[i + 1] is None:
                found.append("")
            else:
                found[-1] += parts[i + 1]
    return [one.strip() for one in found if one.strip()]


_NUMBER = r"[-+]?[0-9.]+(?:e[-+]?[0-9]+)?"
_RANGE = re.compile(rf"({_NUMBER})\s*<\s*(.+?)\s*<=\s*({_NUMBER})")
_SIDE = re.compile(rf"(.+?)\s*(>|<=)\s*({_NUMBER})")
_LIST = re.compile(r"(.+?)\s+(in|not in)\s*{(.*)}")
_VALUE = re.compile(rf"({_QUOTED}|.+?)\s*(!=|=)\s*(.+)")


def _conditions(text: str) -> list[Condition]:
    """Return the conditions that one printed condition stands for."""
    if found := _RANGE.fullmatch(text):
        low, name, high = found.groups()
        name = _bare(name)
        return [(Above(name, float(low)), True), (Above(name, float(high)), False)]
    if found := _SIDE.fullmatch(text):
        return [(Above(_bare(found[1]), float(found[3])), found[2] == ">")]
    if found := _LIST.fullmatch(text):
        name, values = _bare(found[1]), tuple(map(_bare, _split_list(found[3])))
        if found[2] == "in":
            atom: Atom = OneOf(name, values) if len(values) > 1 else Equals(name, values[0])
            return [(atom, True)]
        return [(Equals(name, value), False) for value in values]
    if found := _VALUE.fullmatch(text):
        return [(Equals(_bare(found[1]), _bare(found[3])), found[2] == "=")]
    if re.search(r"[<>]", text):
        raise GnriError(
            "keep must have conditions such as age > 30, age <= 30 or sex = male, got "
            f"{shorten(text)}"
        )
    name = text.removeprefix("not ").strip()
    return [(IsTrue(_bare(name)), name == text)]


def _split_list(text: str) -> list[str]:
    return [one.strip() for one in re.findall(rf"{_QUOTED}|[^,]+", text) if one.strip()]


def _bare(text: str) -> str:
    """Return a name or value without its quotes."""
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] == '"':
        import json

        return str(json.loads(text))
    return text


def rank_columns(settings: "FitSettings") -> dict[str, tuple[Any, ...]]:
    """Return the rank of named columns among their twins: cheap ones first, then named ones."""
    prices = {name: _read_price(name, given) for name, given in (settings.prices or {}).items()}
    named = [settings.require, settings.monotone, settings.thresholds, settings.special]
    wanted = {name for some in named for name in some or ()}
    if settings.keep is not None:
        wanted |= {atom.column for part in read_keep(settings.keep).clauses for atom, _ in part}
    first = set(settings.require or ()) | wanted
    return {name: (prices.get(name, 1), name not in first) for name in {*prices, *first}}
