"""The site as `make docs` has built it: nothing from elsewhere, and every figure has its page.

`make docs` runs this file; `make test`, which builds no site, does not.
"""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.docs.pages import ROOT

OUTSIDE = re.compile(r"https?://")


@pytest.fixture(scope="module")
def site() -> Path:
    folder = ROOT / "build" / "site"
    assert (folder / "index.html").is_file(), "there is no site; make docs builds one"
    return folder


class _Loaded(HTMLParser):
    """What a page makes a browser load."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        wanted = {"script": "src", "img": "src", "link": "href", "iframe": "src"}.get(tag)
        given = dict(attrs)
        if wanted and given.get(wanted) and given.get("rel") != "canonical":
            self.found.append(given[wanted] or "")


def test_it_loads_nothing_from_elsewhere(site: Path) -> None:
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 25
    for page in pages:
        loaded = _Loaded()
        loaded.feed(page.read_text(encoding="utf-8"))
        assert [one for one in loaded.found if OUTSIDE.match(one)] == [], page.name


def test_every_table_of_figures_has_its_page(site: Path) -> None:
    for table in sorted((ROOT / "results").glob("*.md")):
        page = site / "benchmarks" / f"{table.stem}.html"
        assert page.is_file(), table.name
        title = table.read_text(encoding="utf-8").partition("\n")[0].lstrip("# ")
        assert title in page.read_text(encoding="utf-8")


def test_the_reference_has_every_public_name(site: Path) -> None:
    import gnri

    text = (site / "api.html").read_text(encoding="utf-8")
    places = {
        name: f"{getattr(gnri, name).__module__}.{name}"
        for name in set(gnri.__all__) - {"__version__"}
    }
    assert [name for name, place in places.items() if f'id="{place}"' not in text] == []
