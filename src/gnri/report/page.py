"""The page: the template, its words, and a policy that forbids to load or run anything."""

import platform
from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

import numpy as np
from jinja2 import Environment, StrictUndefined, Template

from gnri.atomic_write import write_atomically
from gnri.errors import GnriError
from gnri.estimator.cross_validation import count_answers
from gnri.estimator.statistics import Figures
from gnri.formats.conditions import spell
from gnri.formats.text import ending_lines
from gnri.messages import plural
from gnri.report.coverage import cover
from gnri.report.facts import Counts, Facts, describe_columns
from gnri.report.snippet import write_constructor
from gnri.report.summary import HEAD, LEGEND, describe_rule, interval, percent

MOST_RANGES = 400
"""So many ranges of row numbers are listed for a clause."""

MISTAKES = 20
"""So many of the most frequent mistakes are listed."""

PACKAGES = ("gnri", "numpy", "scikit-learn", "torch")
PYTHON = f"Python {platform.python_version()}"


def page(facts: Facts) -> str:
    """Return the page: no script, nothing loaded, and a policy that forbids both."""
    fitted, style = facts.fitted, _read("style.css")
    assert fitted.codes is not None and fitted.answers is not None, "as `gather_facts` checks"
    return _template().render(
        facts=facts,
        fitted=fitted,
        training=count_answers(fitted.codes, fitted.answers, len(fitted.minimized.classes)),
        columns=describe_columns(fitted),
        coverage=cover(fitted.minimized, fitted.statistics, fitted.codes, fitted.answers),
        constructor=write_constructor(fitted.settings),
        versions=[*(f"{name} {version(name)}" for name in PACKAGES), PYTHON],
        style=style,
        digest=b64encode(sha256(style.encode()).digest()).decode(),
    )


def write_page(facts: Facts, path: Path) -> Path:
    """Write the page to `path`; what is there stays as it is if anything fails."""
    data = page(facts).encode()
    try:
        write_atomically(path, data)
    except OSError as error:
        raise GnriError(f"the report cannot be written to {path}: {error.strerror}") from None
    return path


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


def find_mistakes(counts: Counts) -> list[tuple[int, int, int]]:
    """Return the class, the answer and the count of the most frequent mistakes."""
    wrong = counts - np.diag(np.diag(counts))
    worst = np.argsort(-wrong, axis=None, kind="stable")[:MISTAKES]
    pairs = [divmod(int(i), len(wrong)) for i in worst]
    return [(i, j, int(wrong[i, j])) for i, j in pairs if wrong[i, j]]


@cache
def _template() -> Template:
    found = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    words = (plural, join_ranges, percent, spell)
    found.filters |= {word.__name__: word for word in words}
    found.filters |= {"answered": "answered {}".format, "grouped": "{:,}".format}
    shared = (Figures, ending_lines, find_mistakes, interval, describe_rule)
    found.globals |= {"HEAD": HEAD, "LEGEND": LEGEND, **{one.__name__: one for one in shared}}
    return found.from_string(_read("page.html.j2"))


def _read(name: str) -> str:
    return files("gnri.report").joinpath(name).read_text(encoding="utf-8")
