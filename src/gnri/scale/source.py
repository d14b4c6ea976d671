"""A table in parts, with the column to predict and those to learn from."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gnri.errors import GnriError
from gnri.messages import closest, shorten
from gnri.scale.fragments import fragments_of, is_dataset
from gnri.scale.parts import Part, files_of


@dataclass(frozen=True, eq=False, slots=True)
class Source:
    """The parts, the column to predict, and the names of the columns to learn from."""

    parts: list[Part]
    target: str
    columns: list[str]


def is_source(given: Any) -> bool:
    """Whether this names a table in parts: a path, a pattern, several of them, or a dataset."""
    if isinstance(given, list | tuple):
        return bool(given) and all(isinstance(one, str | Path) for one in given)
    return isinstance(given, str | Path) or is_dataset(given)


def parts_of(given: Any) -> list[Part]:
    """The parts of a path, a pattern such as `part-*.parquet`, a folder, several, or a dataset."""
    if is_dataset(given):
        return fragments_of(given)
    return files_of([given] if isinstance(given, str | Path) else list(given))


def source_of(parts: list[Part], target: Any, ignore: Sequence[str] = ()) -> Source:
    """The parts with their target, checked to be there."""
    path, names = parts[0].path, list(parts[0].types())
    if not isinstance(target, str):
        raise GnriError(
            f"for a table in files, y must be the name of the column to predict, got "
            f"{type(target).__name__}; the columns are {shorten(names)}"
        )
    for name in (target, *ignore):
        _check_has(path, names, name)
    columns = [name for name in names if name not in (target, *ignore)]
    if not columns:
        raise GnriError(
            f"{path} has no column besides {shorten(target)}; add columns to learn from"
        )
    return Source(parts, target, columns)


def _check_has(path: str, names: list[str], name: str) -> None:
    if name in names:
        return
    near = closest(name, names)
    hint = f"its columns are {shorten(names)}" if near is None else f"did you mean {near!r}?"
    raise GnriError(f"{path} has no column {shorten(name)}; {hint}")
