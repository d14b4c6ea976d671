"""Check a dossier: its files against its manifest, and all of it against a copy of the table."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from math import isclose
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from gnri.data.sources import read_missing
from gnri.data.table import Table
from gnri.errors import GnriError, shorten
from gnri.report.dossier import (
    CONTENTS,
    MANIFEST,
    DossierOptions,
    Progress,
    identify_table,
    make_dossier,
    write_rules,
)
from gnri.rules.documents import MAX_BYTES, from_json, parse_json

T = TypeVar("T")

TOLERANCE = 1e-9
"""How much a number that is not whole may differ, as a share of it, on another machine."""

MOST_LINES = 8  # of one file


class _Manifest(msgspec.Struct, tag_field="format", tag="gnri-dossier", forbid_unknown_fields=True):
    version: Literal[1]
    options: DossierOptions
    files: dict[str, str]


@dataclass(slots=True)
class Verdict:
    """What differs, a line each; notes say what may differ, or was not checked."""

    differences: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    replayed: bool = False
    digest: str = ""

    def differ(self, name: str, words: str) -> None:
        """Say how a file differs."""
        self.differences.append(f"{name}: {words}")

    def load(self, folder: Path, name: str) -> bytes | None:
        """Return the content of a file; say so if it is missing."""
        try:
            with (folder / name).open("rb") as file:
                return file.read(MAX_BYTES + 1)
        except OSError:
            self.differ(name, "missing")
            return None

    def read(self, name: str, data: bytes | None, make: Callable[[str], T]) -> T | None:
        """Return what `make` makes of the text of a file, if it is there; say so if it cannot."""
        try:
            return None if data is None else make(data.decode())
        except (ValueError, RecursionError) as error:  # `ValueError` also of UTF-8
            self.differ(name, f"cannot be read: {error}")
            return None

    @property
    def verdict(self) -> str:
        """One sentence on all of it."""
        lines = len(self.differences)
        if lines:
            said = "thing differs" if lines == 1 else "things differ"
            return f"this dossier does not hold: {lines} {said}"
        done = "all of it was done again, and is the same" if self.replayed else "its files agree"
        return f"{done}; SHA-256 of {MANIFEST}: {self.digest}"


def verify_dossier(folder: Path, table: Table | None, report: Progress) -> Verdict:
    """Return what differs from the manifest and, with a table, from what is made of it here."""
    if not folder.is_dir():
        raise GnriError(f"{folder} is no folder; name the folder of a dossier")
    found = Verdict()
    data = found.load(folder, MANIFEST)
    if data is None:
        return found
    found.digest = sha256(data).hexdigest()
    manifest = found.read(MANIFEST, data, lambda text: msgspec.convert(parse_json(text), _Manifest))
    if manifest is None:
        return found
    contents = _check_files(folder, manifest, found)
    rule_list = found.read("rule.json", contents.get("rule.json"), from_json)
    for name, text in write_rules(rule_list.minimized()).items() if rule_list else ():
        if name in contents and contents[name] != f"{text.rstrip()}\n".encode():
            found.differ(name, "is not the rule in rule.json")
    if table is None:
        found.notes.append("without the table, only the files were compared with each other")
    else:
        _replay(table, manifest.options, contents, rule_list is not None, found, report)
    return found


def _check_files(folder: Path, manifest: _Manifest, found: Verdict) -> dict[str, bytes]:
    """Return the content of each file that is there; say which are missing, new or changed."""
    wanted = CONTENTS.keys() - {MANIFEST}
    wanted -= {"groups.json"} if manifest.options.group is None else set()
    contents = {}
    for name in sorted(wanted):
        data = found.load(folder, name)
        if data is None:
            continue
        contents[name] = data
        if name not in manifest.files:
            found.differ(name, "the manifest does not list it")
        elif sha256(data).hexdigest() != manifest.files[name]:
            found.differ(name, "its SHA-256 is not that in the manifest")
    for name in sorted(manifest.files.keys() - wanted):
        found.differ(MANIFEST, f"{shorten(name)} in it is no part of a dossier")
    for path in sorted(folder.iterdir()):
        if path.name not in {*wanted, MANIFEST}:
            found.differ(path.name, "is no part of the dossier")
    return contents


def _replay(
    table: Table,
    options: DossierOptions,
    contents: Mapping[str, bytes],
    readable: bool,
    found: Verdict,
    report: Progress,
) -> None:
    """Compare with a dossier made here of the table; a rule that cannot be read is left out."""
    table = read_missing(table, options.na_values)
    try:
        _, identity = identify_table(table, options)
    except GnriError as error:
        found.differ("the table", f"does not fit the options in {MANIFEST}: {error}")
        return
    said = found.read("data.json", contents.get("data.json"), parse_json)
    if isinstance(said, dict) and said.get("sha256") != identity["sha256"]:
        found.differ("the table", "is another one, so nothing was done again")
        same = {name: said.get(name) for name in identity if name != "sha256"}
        _compare("data.json", same, {name: identity[name] for name in same}, found)
        return
    made = make_dossier(table, options, report)
    found.replayed = True
    _compare("data.json", said, parse_json(made["data.json"]), found)
    known = {"data.json"} if readable else {"data.json", "rule.json"}  # what was said about
    for name in sorted((made.keys() & contents.keys()) - known):
        make = parse_json if name.endswith(".json") else _number_lines
        there = found.read(name, contents[name], make)
        _compare(name, there, make(made[name].decode()), found)


def _number_lines(text: str) -> dict[str, str]:
    return {f"line {i}": line for i, line in enumerate(text.split("\n"), start=1)}


def _compare(name: str, there: Any, here: Any, found: Verdict) -> None:
    """Say where two documents differ; versions may."""
    if there is None:
        return
    lines = list(_differences(there, here, ""))
    for path, one, other in lines[:MOST_LINES]:
        said = f"{name}: {path or 'all of it'}: {shorten(one)} there, {shorten(other)} here"
        (found.notes if path.startswith("versions") else found.differences).append(said)
    if len(lines) > MOST_LINES:
        found.differ(name, f"and {len(lines) - MOST_LINES} more")


def _differences(there: Any, here: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    """Yield the path and the two values of each difference; numbers but cuts have a tolerance."""
    if isinstance(there, dict) and isinstance(here, dict):
        for key in [*here, *(key for key in there if key not in here)]:
            inside = f"{path}.{key}" if path else key
            yield from _differences(there.get(key), here.get(key), inside)
    elif isinstance(there, list) and isinstance(here, list) and len(there) == len(here):
        for i, (one, other) in enumerate(zip(there, here, strict=True)):
            yield from _differences(one, other, f"{path}[{i}]")
    elif type(there) is float and type(here) is float and not path.startswith("atoms"):
        if not isclose(there, here, rel_tol=TOLERANCE, abs_tol=TOLERANCE):
            yield path, there, here
    elif type(there) is not type(here) or there != here:
        yield path, there, here
