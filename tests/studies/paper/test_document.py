"""A page of prose with results between marks."""

from pathlib import Path

from studies.markdown import fill_page, refresh_page

ROOT = Path(__file__).parents[3]
PAGE = "# Page\n\nWords.\n\n<!-- begin lift -->\nold\n<!-- end lift -->\n\nMore words.\n"


def test_a_section_is_the_table_without_its_title(tmp_path: Path) -> None:
    (tmp_path / "lift.md").write_text("# Lift\n\n## All\n\n![it](figures/lift.svg)\n")
    expected = (
        "# Page\n\nWords.\n\n<!-- begin lift -->\n### All\n\n![it](../results/figures/lift.svg)\n"
        "<!-- end lift -->\n\nMore words.\n"
    )
    assert fill_page(PAGE, tmp_path) == expected
    assert fill_page(expected, tmp_path) == expected


def test_what_is_not_measured_says_so(tmp_path: Path) -> None:
    assert "-->\nNot measured yet.\n<!-- end" in fill_page(PAGE, tmp_path)


def test_a_page_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    refresh_page(tmp_path / "page.md", tmp_path)
    assert not (tmp_path / "page.md").exists()
    (tmp_path / "page.md").write_text(PAGE)
    refresh_page(tmp_path / "page.md", tmp_path)
    assert "old" not in (tmp_path / "page.md").read_text()


def test_the_committed_page_is_filled_from_the_committed_tables() -> None:
    text = (ROOT / "docs" / "reproduction.md").read_text(encoding="utf-8")
    assert fill_page(text, ROOT / "results") == text
