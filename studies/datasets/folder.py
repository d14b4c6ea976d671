"""Tables in a folder of yours: NAME.csv or NAME.csv.gz, and what columns they have in schema.json.

    {"NAME": {"columns": [{"name": "age", "kind": "numeric"}, ...], "sha256": "..."}, ...}

The label is the column `class`. The checksum, of the uncompressed file, may be left out.
"""

import csv
import gzip
import json
from hashlib import sha256
from pathlib import Path
from typing import Any

from gnri.data.samples import TARGET
from gnri.errors import GnriError
from studies.datasets.samples import Dataset

KINDS = ("numeric", "categorical", "binary")  # a binary column is 0/1 and has one atom


def names_in(folder: Path) -> list[str]:
    """Return the names that the folder's schema knows."""
    return list(_schema(folder))


def read(folder: Path, name: str) -> Dataset:
    """Return one table of the folder, its checksum compared."""
    described = _schema(folder)[name]
    path, data = _file(folder, name)
    if described.get("sha256", (found := sha256(data).hexdigest())) != found:
        raise GnriError(
            f"{path} is not the file that schema.json describes: its SHA-256 must be "
            f"{described['sha256']}, got {found}; get it again"
        )
    head, *rows = _cells(path, data)
    kinds = _kinds(path, head, described)
    cells, labels = tuple(tuple(row[:-1]) for row in rows), tuple(row[-1] for row in rows)
    return Dataset(name, tuple(head[:-1]), cells, labels, kinds, f"the folder {folder}")


def _schema(folder: Path) -> dict[str, Any]:
    path = folder / "schema.json"
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise GnriError(
            f"a data folder must hold schema.json, cannot read {path}: {error.strerror}; name "
            "another folder with --data-dir or GNRI_DATA"
        ) from None
    except ValueError as error:
        raise GnriError(f"{path} must be JSON: {error}") from None
    if not isinstance(found, dict):
        raise GnriError(f"{path} must be an object with a table under each name")
    return found


def _file(folder: Path, name: str) -> tuple[Path, bytes]:
    plain, packed = folder / f"{name}.csv", folder / f"{name}.csv.gz"
    try:
        if plain.exists():
            return plain, plain.read_bytes()
        return packed, gzip.decompress(packed.read_bytes())
    except (OSError, EOFError) as error:
        raise GnriError(
            f"schema.json names {name}, so {plain} or {packed.name} must be there, whole: {error}"
        ) from None


def _cells(path: Path, data: bytes) -> list[list[str]]:
    try:
        found = list(csv.reader(data.decode("utf-8").splitlines(), strict=True))
    except (UnicodeDecodeError, csv.Error) as error:
        raise GnriError(f"{path} must be CSV in UTF-8: {error}") from None
    if not found or found[0][-1:] != [TARGET]:
        raise GnriError(f"{path} must have a header whose last column is {TARGET!r}")
    for place, row in enumerate(found):
        if len(row) != len(found[0]):
            raise GnriError(
                f"{path} must have {len(found[0])} cells in each line, got {len(row)} in line "
                f"{place + 1}"
            )
    return found


def _kinds(path: Path, head: list[str], described: dict[str, Any]) -> tuple[str, ...]:
    try:
        kinds = {column["name"]: column["kind"] for column in described["columns"]}
    except (KeyError, TypeError):
        raise GnriError(f"schema.json must give name and kind of each column of {path}") from None
    for column in head[:-1]:
        if column not in kinds:
            raise GnriError(f"schema.json has no kind for column {column!r} of {path}; add it")
        if kinds[column] not in KINDS:
            raise GnriError(
                f"column {column!r} of {path} must be numeric, categorical or binary, got "
                f"{kinds[column]!r} in schema.json"
            )
    return tuple(kinds[column] for column in head[:-1])
