"""A file is answered, or refused in one line, alike in memory and in parts."""

import json
import re
from pathlib import Path

import pytest

from tests.cli.commands import one_line, run
from tests.nasty.files import nasty_files

FILES = nasty_files()
SAME = ("rule_list", "text", "classes", "rows", "target")

ROW = re.compile(r" in row \d+( below the header)?")
"""Rows are counted in parts, and have no numbers there."""

HEADER_FIRST = "in parts the target is looked for in the header, before any row is read"
COUNTED = "in parts labels are counted, so that all that are missing are told, without their rows"
NOT_TWICE = "Parquet is read from its end, which takes it unpacked: on disk, or in memory"

DIFFERENT = {
    "UTF-16 without a mark.csv": ("no column 'y'", HEADER_FIRST),
    "one row.csv": ("at least 2 classes, got 1 class, 'n'", COUNTED),
    "a label missing.csv": ("has none in 1 rows", COUNTED),
    "a label said to be missing.csv": ("has none in 1 rows", COUNTED),
    "labels with gaps.parquet": ("has none in 1 rows", COUNTED),
    "in gzip.parquet": ("unpack it", NOT_TWICE),
}
"""What is said in parts of files of which something else is said in memory, and why."""


def answer(path: Path, *words: str) -> object:
    """What is learnt of a file, or the line that refuses it, without the name of the file."""
    result = run("induce", path, "--target", "y", "--json", *words)
    if result.exit_code:
        return ROW.sub("", one_line(result).replace(str(path), "FILE"))
    found = json.loads(result.stdout)
    return {key: found[key] for key in SAME}


@pytest.mark.parametrize("name", FILES)
def test_both_ways_in_say_the_same(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(FILES[name]())
    whole, in_parts = answer(path, "--no-estimate"), answer(path, "--memory", "1GB")
    if name in DIFFERENT:
        assert DIFFERENT[name][0] in str(in_parts)
        assert in_parts != whole
    else:
        assert in_parts == whole


def test_there_are_many_and_the_differences_are_among_them() -> None:
    assert len(FILES) >= 60
    assert set(DIFFERENT) <= set(FILES)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("way", [("--no-estimate",), ("--memory", "1GB")])
def test_whole_numbers_beyond_2_53_are_told_apart(
    ending: str, way: tuple[str, ...], tmp_path: Path
) -> None:
    path = tmp_path / f"table.{ending}"
    path.write_bytes(FILES[f"whole numbers beyond 2^53.{ending}"]())
    found = run("induce", path, "--target", "y", "--ignore", "good", "--json", *way)
    atoms = json.loads(found.stdout)["rule_list"]["atoms"]
    assert [atom["value"] for atom in atoms] == [str(2**53 + i) for i in range(4)]
