"""Every theorem has its test and every page its name; that examples run is in `tests/docs`."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
THEOREMS = ROOT / "docs" / "theorems.md"

BENCHMARKS = ROOT / "docs" / "benchmarks.md"
PAGE = re.compile(r"\[([^]]+)\]\(benchmarks/(\w+)\.md\)")

MARK = re.compile(r'^pytestmark = pytest\.mark\.theorem\(".+"\)$', re.MULTILINE)
FILE = re.compile(r"`((?:src|tests)/[\w/]+\.py)`")


def rows(text: str) -> list[str]:
    """The lines of a document's tables, without heads and rules."""
    lines = text.splitlines()
    body = [i for i, line in enumerate(lines) if line.startswith("|")]
    return [lines[i] for i in body if i - 1 in body and not lines[i].startswith("|--")]


def test_every_row_names_code_and_a_test_that_exist() -> None:
    for row in rows(THEOREMS.read_text()):
        files = FILE.findall(row)
        assert any(name.startswith("src/") for name in files), row
        assert any(name.startswith("tests/") for name in files), row
        assert [name for name in files if not (ROOT / name).is_file()] == [], row


def test_every_theorem_test_has_a_row() -> None:
    written = {f"tests/theorems/{file.name}" for file in theorem_files()}
    assert written
    assert written - set(FILE.findall(THEOREMS.read_text())) == set()


def test_every_theorem_test_is_marked() -> None:
    assert [file.name for file in theorem_files() if not MARK.search(file.read_text())] == []


def theorem_files() -> list[Path]:
    return sorted((ROOT / "tests" / "theorems").glob("test_*.py"))


def test_pages_of_figures_are_called_by_their_titles() -> None:
    named = PAGE.findall(BENCHMARKS.read_text())
    assert len(named) >= 10
    for name, page in named:
        assert (ROOT / "results" / f"{page}.md").read_text().startswith(f"# {name}\n")


def test_rows_leave_out_the_head() -> None:
    assert rows("text\n\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n") == [
        "| 1 | 2 |",
        "| 3 | 4 |",
    ]
