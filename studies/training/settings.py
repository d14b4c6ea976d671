"""Dataclasses from tables of plain data, each value checked against the type of its field."""

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from difflib import get_close_matches
from math import isfinite
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from gnri.errors import RecipeError

Config = TypeVar("Config")


def read_settings(kind: type[Config], table: Mapping[str, Any], place: str = "") -> Config:
    """Return a `kind` from the table; keys left out take its defaults."""
    hints = get_type_hints(kind)
    types = {setting.name: hints[setting.name] for setting in fields(kind)}  # type: ignore[arg-type]
    for key in table:
        if key not in types:
            raise RecipeError(unknown("setting", place + key, [place + name for name in types]))
    try:
        return kind(**{key: _check(types[key], table[key], place + key) for key in table})
    except TypeError as error:  # a field without a default was left out
        raise RecipeError(f"the recipe is incomplete: {error}") from None


def _check(wanted: Any, value: Any, place: str) -> Any:
    """Return `value` if it is of the type `wanted`, with lists as tuples and integers as floats."""
    if is_dataclass(wanted) and isinstance(wanted, type) and isinstance(value, Mapping):
        return read_settings(wanted, value, f"{place}.")
    if get_origin(wanted) is UnionType:
        if value is None and NoneType in get_args(wanted):
            return None
        wanted = next(kind for kind in get_args(wanted) if kind is not NoneType)
    if get_origin(wanted) is Literal and value in get_args(wanted):
        return value
    if get_origin(wanted) is tuple and isinstance(value, list | tuple):
        kinds = get_args(wanted)
        if len(kinds) != len(value):
            raise RecipeError(
                f"{place} must have {len(kinds)} entries, got {len(value)}: {value!r}"
            )
        return tuple(_check(kind, entry, place) for kind, entry in zip(kinds, value, strict=True))
    if wanted is float and type(value) in (int, float) and isfinite(value):
        return float(value)
    if wanted is not float and type(value) is wanted:  # not isinstance: True is no integer here
        return value
    raise RecipeError(f"{place} must be {_spell(wanted)}, got {value!r} ({type(value).__name__})")


def _spell(wanted: Any) -> str:
    if get_origin(wanted) is Literal:
        return "one of " + ", ".join(map(repr, get_args(wanted)))
    if is_dataclass(wanted):
        return "a table of settings"
    return str(wanted) if get_args(wanted) else wanted.__name__


def unknown(what: str, name: str, known: Iterable[str]) -> str:
    """Return a message that names the closest of what is known."""
    close = get_close_matches(name, list(known), n=1, cutoff=0.0)
    hint = f"did you mean {close[0]!r}?" if close else "there is none here"
    return f"unknown {what} {name!r}; {hint}"
