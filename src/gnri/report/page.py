"""The page: the template, its words, and a policy that forbids to load or run anything."""

from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

from jinja2 import Environment, StrictUndefined, Template

from gnri.atomic_write import write_atomically
from gnri.errors import GnriError
from gnri.formats.conditions import spell
from gnri.formats.text import ending_lines
from gnri.messages import counted
from gnri.report.coverage import cover
from gnri.report.facts import Facts
from gnri.report.summary import HEAD, LEGEND, headline, interval, percent, summary

MOST_RANGES = 400
"""So many ranges of row numbers are listed for a clause."""


def page(facts: Facts) -> str:
    """Return the page: no script, nothing loaded, and a policy that forbids both."""
    style = _read("style.css")
    return _template().render(
        facts=facts,
        coverage=cover(facts.ruleset, facts.cards, facts.codes, facts.answers),
        style=style,
        policy=_policy(style),
    )


def write_page(facts: Facts, path: Path) -> Path:
    """Write the page to `path`; what is there stays as it is if anything fails."""
    data = page(facts).encode()
    try:
        write_atomically(path, data)
    except OSError as error:
        raise GnriError(f"the report cannot be written to {path}: {error.strerror}") from None
    return path


def clip(text: str, longest: int) -> str:
    """Return the text, cut off with an ellipsis; nothing if hardly any would be left.

    >>> clip("mushroom", 6), clip("mushroom", 8), clip("mushroom", 2)
    ('mushr…', 'mushroom', '')
    """
    if len(text) <= longest:
        return text
    return f"{text[: longest - 1]}…" if longest > 3 else ""


def join_ranges(rows: Sequence[int]) -> str:
    """Return row numbers in order, neighbours joined.

    >>> join_ranges([0, 1, 2, 7])
    '0-2, 7'
    """
    starts = [row for i, row in enumerate(rows) if not i or rows[i - 1] != row - 1]
    ends = [row for i, row in enumerate(rows) if i == len(rows) - 1 or rows[i + 1] != row + 1]
    pairs = list(zip(starts, ends, strict=True))
    said = [str(a) if a == b else f"{a}-{b}" for a, b in pairs[:MOST_RANGES]]
    more = f", and {len(pairs) - MOST_RANGES} more ranges" if len(pairs) > MOST_RANGES else ""
    return (", ".join(said) or "none") + more


def list_names(names: Sequence[str], most: int = 6) -> str:
    """Return the names in a row; of many the first, and how many more there are.

    >>> list_names(["a", "b", "c"]), list_names(["a", "b", "c"], most=2)
    ('a, b and c', 'a and 2 more classes')
    """
    if len(names) > most:
        return f"{', '.join(names[: most - 1])} and {len(names) - most + 1} more classes"
    return f"{', '.join(names[:-1])} and {names[-1]}"


@cache
def _template() -> Template:
    found = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    found.filters |= {
        "answered": lambda name: f"answered {clip(name, 40)}",
        "clip": clip,
        "counted": counted,
        "grouped": "{:,}".format,
        "join_ranges": join_ranges,
        "list_names": list_names,
        "percent": percent,
        "spell": spell,
    }
    found.globals |= {
        "ending_lines": ending_lines,
        "headline": headline,
        "interval": interval,
        "summary": summary,
        "HEAD": HEAD,
        "LEGEND": LEGEND,
    }
    return found.from_string(_read("page.html.j2"))


def _read(name: str) -> str:
    return files("gnri.report").joinpath(name).read_text(encoding="utf-8")


def _policy(style: str) -> str:
    """Return the policy: nothing is loaded or run, and no style but ours applies."""
    digest = b64encode(sha256(style.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
