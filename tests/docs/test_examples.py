"""Every block of code in the README and in the documents runs, and prints what the page says."""

import re
import runpy
import shlex
from pathlib import Path

import pytest

from tests.docs.commands import DRY, lay_out, printed_by
from tests.docs.pages import PAGES, ROOT, Output, blocks, plain, run, update

INDENTED = re.compile(r"^    (?:\$ )?((?:gnri|make|\.venv/bin/\w+) .*)$", re.MULTILINE)
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_page_runs_and_prints_what_it_says(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GNRI_DATA", raising=False)
    for output in run(page, tmp_path):
        # If the model is new: python -m tests.docs.pages
        assert plain(output.printed) == plain(output.promised)


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_commands_in_the_text_of_a_page_run(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = INDENTED.findall(page.read_text(encoding="utf-8"))
    if lines:
        monkeypatch.chdir(tmp_path)
        lay_out(tmp_path)
    for line in lines:
        printed_by(shlex.split(line, comments=True))


def test_the_first_page_and_the_readme_have_examples() -> None:
    for page in (ROOT / "README.md", ROOT / "docs" / "index.md"):
        languages = [block.language for block in blocks(page.read_text(encoding="utf-8"))]
        assert languages.count("python") >= 1, page


def test_the_rule_on_the_first_page_is_the_one_that_comes_out() -> None:
    page = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    shown = page.split('<div class="rule" markdown>')[1].split("</div>")[0]
    (printed,) = (b.body for b in blocks(page) if b.language == "text" and "otherwise" in b.body)
    assert re.sub(r"\*\*|<br>", "", shown).split() == printed.split()


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_an_example_runs(
    example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    monkeypatch.chdir(tmp_path)
    space: dict[str, object] = {"__name__": "example"}
    exec(compile(example.read_text(encoding="utf-8"), str(example), "exec"), space)
    main = space["main"]
    assert callable(main) and main() == 0
    assert capsys.readouterr().out


def test_the_table_of_the_examples_is_the_one_that_they_write(tmp_path: Path) -> None:
    write_table = runpy.run_path(str(ROOT / "examples" / "csv_to_sql.py"))["write_table"]
    write_table(tmp_path / "credit.csv")
    kept = (ROOT / "examples" / "credit.csv").read_bytes()
    assert (tmp_path / "credit.csv").read_bytes() == kept


def test_a_broken_promise_is_seen_and_mended(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("Hello\n\n```python\nprint(1 + 1)\n```\n\n```text\n3\n```\n")
    (output,) = run(page, tmp_path)
    assert output == Output("3\n", "2\n", 43, 45) and not output.kept
    assert update(page, tmp_path)
    assert "```text\n2\n```" in page.read_text() and not update(page, tmp_path)


@pytest.mark.parametrize("language", ["", "sh", "json", "text"])
def test_a_block_that_nobody_runs_is_refused(language: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"```{language}\nanything\n```\n")
    with pytest.raises(AssertionError, match="is not run"):
        list(run(page, tmp_path))


@pytest.mark.parametrize(
    "command",
    [
        *(
            "rm -rf x",
            "make nonsense",
            "python -m studies train --nonsense r.toml",
            "gnri serve --nonsense",
        ),
        *("pip install '.[nonsense]'", "pip install nonsense", "pytest tests/nonsense.py"),
        *("python nonsense.py", "python -m tests.nonsense", "python -m studies reproduce nonsense"),
    ],
)
def test_a_command_that_is_none_is_found(command: str) -> None:
    with pytest.raises(Exception, match=r"nobody checks|nonsense"):
        printed_by(shlex.split(command))


@pytest.mark.parametrize("command", DRY)
def test_what_is_not_run_stands_on_a_page(command: str) -> None:
    pages = [*PAGES, ROOT / "CONTRIBUTING.md"]
    assert any(command in page.read_text(encoding="utf-8") for page in pages)


def test_only_seconds_and_trailing_spaces_may_differ() -> None:
    assert plain("time 0.2 s  \n") == plain("time 13.4 s")
    assert plain("2 rows") != plain("3 rows")
