"""The page as a whole: what is in its head, and its sections in order."""

from base64 import b64encode
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

from gnri.atomic_write import write_atomically
from gnri.errors import GnriError
from gnri.report.evidence import confusions, coverage, symmetry
from gnri.report.facts import Facts
from gnri.report.html import Markup, element, empty
from gnri.report.rules import cards, rules, title
from gnri.report.table import columns, missing_cells


def page(facts: Facts) -> str:
    """The page: no script, nothing loaded, and a policy that forbids both."""
    style = Markup(files("gnri.report").joinpath("style.css").read_text(encoding="utf-8"))
    head = element(
        "head",
        empty("meta", charset="utf-8"),
        empty("meta", http_equiv="Content-Security-Policy", content=_policy(style)),
        empty("meta", name="viewport", content="width=device-width, initial-scale=1"),
        empty("meta", name="referrer", content="no-referrer"),
        element("title", "Rules of a classifier"),
        element("style", style),
    )
    body = element(
        "body",
        *title(facts),
        *rules(facts),
        *cards(facts),
        *coverage(facts),
        *confusions(facts),
        *columns(facts),
        *missing_cells(facts),
        *symmetry(facts),
        *_reproduce(facts),
    )
    return f"<!DOCTYPE html>\n{element('html', head, body, lang='en')}\n"


def write_page(facts: Facts, path: Path) -> Path:
    """Write the page to `path`; what is there stays as it is if anything fails."""
    data = page(facts).encode()
    try:
        write_atomically(path, data)
    except OSError as error:
        raise GnriError(f"the report cannot be written to {path}: {error.strerror}") from None
    return path


def _policy(style: str) -> str:
    """Nothing may be loaded or run, and no style but ours may apply."""
    digest = b64encode(sha256(style.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def _reproduce(facts: Facts) -> list[Markup]:
    return [
        element("h2", "How to make this again"),
        element("p", facts.again),
        element("pre", facts.recipe),
        element("p", facts.versions, class_="soft"),
    ]
