"""The templates of this folder. Those of HTML escape all they are given, and load nothing.

The one of Markdown escapes names by a function that it is given.
"""

from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from gnri.atomic_write import write_atomically
from gnri.errors import GnriError, plural
from gnri.estimator.statistics import wilson
from gnri.estimator.summary import HEAD, LEGEND, describe_rule, explain_no_rule, interval, percent
from gnri.formats.conditions import format_value


def render_template(name: str, **facts: Any) -> str:
    """Return what the template makes of the facts."""
    return _environment().get_template(name).render(facts)


def write_html(text: str, path: Path, what: str) -> Path:
    """Write a page to `path`, whole or not at all, and return the path."""
    try:
        write_atomically(path, text.encode())
    except OSError as error:
        raise GnriError(f"the {what} cannot be written to {path}: {error.strerror}") from None
    return path


@cache
def _environment() -> Environment:
    found = Environment(
        loader=PackageLoader("gnri", "report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    found.filters |= {one.__name__: one for one in (plural, percent, format_value)}
    found.filters |= {
        "answered": "answered {}".format,
        "grouped": "{:,}".format,
        "number": "{:g}".format,
    }
    found.globals |= {
        one.__name__: one for one in (describe_rule, explain_no_rule, interval, wilson)
    }
    style = files("gnri.report").joinpath("style.css").read_text(encoding="utf-8")
    digest = b64encode(sha256(style.encode()).digest()).decode()
    found.globals |= {"HEAD": HEAD, "LEGEND": LEGEND, "style": style, "style_digest": digest}
    return found
