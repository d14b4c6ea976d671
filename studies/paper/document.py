"""Results inside a page of prose: what stands between two marks is never typed."""

import re
from pathlib import Path

from gnri.atomic_write import write_atomically
from gnri.errors import GnriError

SECTION = re.compile(r"(<!-- begin (\S+) -->\n)(.*?)(<!-- end \2 -->)", re.DOTALL)
HEADING = re.compile(r"\A# .*\n+")
LINK = re.compile(r"\]\(figures/")


def filled(text: str, results: Path) -> str:
    """The page with each section NAME between its marks as NAME.md has it, without its title.

    What is not measured yet says so. Figures are found from where the page stands.
    """
    return SECTION.sub(lambda found: found[1] + _section(found[2], results) + found[4], text)


def refresh(page: Path, results: Path) -> None:
    """Fill the page anew; nothing where there is none."""
    if page.exists():
        write_atomically(page, filled(page.read_text(encoding="utf-8"), results).encode())


def _section(name: str, results: Path) -> str:
    if "/" in name:
        raise GnriError(f"a section is the name of a table in {results}, got {name!r}")
    path = results / f"{name}.md"
    if not path.exists():
        return "Not measured yet.\n"
    text = HEADING.sub("", path.read_text(encoding="utf-8"))
    text = re.sub(r"^#", "##", text, flags=re.MULTILINE)
    return LINK.sub("](../results/figures/", text.rstrip("\n") + "\n")
