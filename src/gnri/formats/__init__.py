"""Formats in which a rule list can be written, for people and for programs."""

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from gnri.errors import RuleError, escape, shorten

if TYPE_CHECKING:
    from gnri.rules.rule_list import RuleList


class Format(NamedTuple):
    """How the files of a format end, their media type, their module, and the mark of a comment."""

    suffix: str
    media_type: str
    module: str
    comment: str = ""


FORMATS: Mapping[str, Format] = {
    "text": Format(".txt", "text/plain", "gnri.formats.text"),
    "sql": Format(".sql", "application/sql", "gnri.formats.sql", "--"),
    "python": Format(".py", "text/x-python", "gnri.formats.python_source", "#"),
    "pandas": Format(".py", "text/x-python", "gnri.formats.python_source", "#"),
    "javascript": Format(".mjs", "text/javascript", "gnri.formats.javascript", "//"),
    "prolog": Format(".pl", "text/x-prolog", "gnri.formats.prolog", "%"),
    "dmn": Format(".dmn", "application/xml", "gnri.formats.dmn"),
    "pmml": Format(".pmml", "application/xml", "gnri.formats.pmml"),
    "latex": Format(".tex", "application/x-tex", "gnri.formats.latex"),
    "json": Format(".json", "application/json", "gnri.rules.documents"),
}
"""The formats by name; the module of a format has a function `to_<name>`, such as `to_sql`."""


def render(rule_list: "RuleList", format_name: str, **options: Any) -> str:
    """Return the rule list in a format of `FORMATS`; SQL takes a `table`, Python a `name`.

    Programs get no texts that mean missing, so a comment says which these are.
    """
    if format_name not in FORMATS:
        raise RuleError(f"rules are written as {', '.join(FORMATS)}; got {shorten(format_name)}")
    module = import_module(FORMATS[format_name].module)
    text: str = getattr(module, f"to_{format_name}")(rule_list, **options)
    mark, named = FORMATS[format_name].comment, ", ".join(map(repr, rule_list.na_values))
    if not mark or not named:
        return text
    return f"{mark} Cells that mean missing must be empty (null) before: {escape(named)}\n{text}"
