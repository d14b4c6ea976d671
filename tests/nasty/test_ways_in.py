"""A file is answered, or refused in one line, alike by every way in."""

import json
import re
from pathlib import Path

import pytest

from gnri.data.sources import TableSource
from gnri.errors import GnriError
from gnri.estimator.fitting import fit
from gnri.estimator.settings import FitSettings
from gnri.formats.text import to_text
from gnri.web.security import Limits
from gnri.web.table_view import read_upload
from tests.cli.commands import one_line, run
from tests.nasty.files import nasty_files, table

FILES = nasty_files()
SAME = ("rule_list", "text", "classes", "rows", "target")

ROW = re.compile(r" in row \d+( below the header)?")
"""Rows are counted in parts, and have no numbers there."""

COUNTED = "in parts labels are counted, so that all that are missing are told, without their rows"
NOT_TWICE = "Parquet is read from its end, which takes it unpacked: on disk, or in memory"

DIFFERENT = {
    "one row.csv": ("at least 2 classes, got 1 class, 'n'", COUNTED),
    "in gzip.parquet": ("unpack it", NOT_TWICE),
}
"""What is said in parts of files of which something else is said in memory, and why."""


BY_NAME = {"commas.tsv", "text by that name.parquet", "in gzip.parquet"}
"""What standard input, which has no name, answers in another way."""

NOT_ON_THE_PAGE = re.compile("gzip|Parquet|parquet|NUL|3,000 columns")
"""The page takes text alone, without zero bytes, and at most 2,000 columns."""


def answer(path: str | Path, *words: str, given: bytes | None = None) -> object:
    """What is learnt of a file, or the line that refuses it, without the name of the file."""
    result = run("induce", path, "--target", "y", "--json", *words, given=given)
    if result.exit_code:
        line = one_line(result).replace(
            "standard input" if given is not None else str(path), "FILE"
        )
        return ROW.sub("", line)
    found = json.loads(result.stdout)
    return {key: found[key] for key in SAME}


def answer_of_page(data: bytes) -> object:
    """The text of the rules that the page learns of an upload, or why it is refused."""
    try:
        source = TableSource.of(read_upload(data, "FILE", Limits()))
        return to_text(fit(source, "y", FitSettings()).minimized)
    except GnriError as error:
        return f"gnri: {error}"


@pytest.mark.parametrize("name", FILES)
def test_every_way_in_says_the_same(name: str, tmp_path: Path) -> None:
    data, path = FILES[name](), tmp_path / name
    path.write_bytes(data)
    whole, in_parts = answer(path, "--no-estimate"), answer(path, "--memory", "1GB")
    if name in DIFFERENT:
        assert DIFFERENT[name][0] in str(in_parts)
        assert in_parts != whole
    else:
        assert in_parts == whole
    folder = tmp_path / "folder"
    folder.mkdir()
    path.rename(folder / name)
    assert str(answer(folder)).replace(f"FILE/{name}", "FILE") == str(in_parts)
    piped = answer("-", "--no-estimate", given=data)
    assert (piped == whole) or name in BY_NAME
    page, text = answer_of_page(data), isinstance(whole, dict) and whole["text"]
    if name in BY_NAME or NOT_ON_THE_PAGE.search(name):
        assert re.fullmatch("gnri: .*|p if\n    good\notherwise n", str(page))
    else:
        assert page == text if text else re.fullmatch("gnri: .*", str(page))


def test_there_are_many_and_the_differences_are_among_them() -> None:
    assert len(FILES) >= 120
    assert set(DIFFERENT) | BY_NAME <= set(FILES)


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


@pytest.mark.parametrize("names", [["a/b"], ["a/b", "t.csv"]], ids=["only folders", "a file too"])
def test_a_folder_in_a_folder_is_named(names: list[str], tmp_path: Path) -> None:
    (tmp_path / names[0]).mkdir(parents=True)
    for name in names[1:]:
        (tmp_path / name).write_text(table())
    line = one_line(run("induce", tmp_path, "--target", "y"))
    assert f"{tmp_path}/a is a folder in {tmp_path}, and folders in it are not read" in line
