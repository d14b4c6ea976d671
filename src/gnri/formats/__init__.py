"""A classifier as text for people and programs, and as tables."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from gnri.errors import RuleError
from gnri.formats.explanation import Explanation, explain
from gnri.formats.latex import to_latex
from gnri.formats.literal_frame import to_frame
from gnri.formats.prolog import to_prolog
from gnri.formats.python_source import to_python
from gnri.formats.sql import to_sql
from gnri.formats.text import to_text
from gnri.messages import shorten
from gnri.rules.documents import load_ruleset, read_ruleset, save_ruleset
from gnri.rules.documents import ruleset_to_json as to_json
from gnri.rules.minimize import shortened
from gnri.rules.rule_list import RuleSet


class Format(NamedTuple):
    """A format by name: how its files end, their media type, and the function that writes it."""

    name: str
    suffix: str
    media_type: str
    render: Callable[..., str]


FORMATS: Mapping[str, Format] = {
    one.name: one
    for one in (
        Format("text", ".txt", "text/plain", to_text),
        Format("sql", ".sql", "application/sql", to_sql),
        Format("python", ".py", "text/x-python", to_python),
        Format("prolog", ".pl", "text/x-prolog", to_prolog),
        Format("latex", ".tex", "application/x-tex", to_latex),
        Format("json", ".json", "application/json", to_json),
    )
}


def render(rules: RuleSet, format_name: str, **options: Any) -> str:
    """Return the rules in a format of `FORMATS`; SQL takes a `table`, Python a `name`.

    >>> from gnri.data.schema import IsTrue, Schema
    >>> print(render(RuleSet(Schema((IsTrue("old"),)), ("no", "yes"), (None,), 0), "text"))
    yes: no rule
    always no
    """
    if format_name not in FORMATS:
        names = ", ".join(FORMATS)
        raise RuleError(f"rules are written as {names}; got {shorten(format_name)}")
    return FORMATS[format_name].render(rules, **options)


__all__ = [
    "FORMATS",
    "Explanation",
    "Format",
    "RuleSet",
    "explain",
    "load_ruleset",
    "read_ruleset",
    "render",
    "save_ruleset",
    "shortened",
    "to_frame",
    "to_json",
    "to_latex",
    "to_prolog",
    "to_python",
    "to_sql",
    "to_text",
]
