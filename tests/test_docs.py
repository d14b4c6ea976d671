"""The documents keep their word: examples run, and every theorem has its test."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
THEOREMS = ROOT / "docs" / "theorems.md"
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MARK = re.compile(r'^pytestmark = pytest\.mark\.theorem\(".+"\)$', re.MULTILINE)
FILE = re.compile(r"`((?:src|tests)/[\w/]+\.py)`")


def blocks(text: str) -> list[str]:
    """The python examples of a document, each padded so that a traceback shows its true line."""
    return ["\n" * text.count("\n", 0, m.start(1)) + m[1] for m in BLOCK.finditer(text)]


def rows(text: str) -> list[str]:
    """The lines of a document's tables, without heads and rules."""
    lines = text.splitlines()
    body = [i for i, line in enumerate(lines) if line.startswith("|")]
    return [lines[i] for i in body if i - 1 in body and not lines[i].startswith("|--")]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_examples_run(document: Path) -> None:
    space: dict[str, object] = {"__name__": document.name}
    for block in blocks(document.read_text()):
        exec(compile(block, str(document), "exec"), space)


def test_the_readme_has_examples() -> None:
    assert len(blocks((ROOT / "README.md").read_text())) >= 2


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


def test_blocks_are_found_with_their_lines() -> None:
    text = "one\n```python\nx = 1\n```\n```\nnot python\n```\n```python\nx = 2\n```\n"
    assert blocks(text) == ["\n\nx = 1\n", "\n" * 8 + "x = 2\n"]


def test_rows_leave_out_the_head() -> None:
    assert rows("text\n\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n") == [
        "| 1 | 2 |",
        "| 3 | 4 |",
    ]
