"""A classifier as text for people and programs, and as tables."""

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from gnri.errors import RuleError
from gnri.messages import shorten

if TYPE_CHECKING:
    from gnri.rules.rule_list import RuleList


class Format(NamedTuple):
    """A format by name: how its files end, their media type, and the function that writes it."""

    name: str
    suffix: str
    media_type: str
    module: str
    function: str


FORMATS: Mapping[str, Format] = {
    one.name: one
    for one in (
        Format("text", ".txt", "text/plain", "gnri.formats.text", "to_text"),
        Format("sql", ".sql", "application/sql", "gnri.formats.sql", "to_sql"),
        Format("python", ".py", "text/x-python", "gnri.formats.python_source", "to_python"),
        Format("pandas", ".py", "text/x-python", "gnri.formats.pandas_source", "to_pandas"),
        Format("prolog", ".pl", "text/x-prolog", "gnri.formats.prolog", "to_prolog"),
        Format("latex", ".tex", "application/x-tex", "gnri.formats.latex", "to_latex"),
        Format("json", ".json", "application/json", "gnri.rules.documents", "to_json"),
    )
}
"""Every format; its module is imported when it is asked for."""


def render(rules: "RuleList", format_name: str, **options: Any) -> str:
    """Return the rules in a format of `FORMATS`; SQL takes a `table`, Python a `name`.

    >>> from gnri.data.schema import IsTrue, Schema
    >>> from gnri.rules.rule_list import RuleList
    >>> print(render(RuleList(Schema((IsTrue("old"),)), ("no", "yes"), (), 0), "text"))
    yes: no rule
    always no
    """
    if format_name not in FORMATS:
        names = ", ".join(FORMATS)
        raise RuleError(f"rules are written as {names}; got {shorten(format_name)}")
    found = FORMATS[format_name]
    text: str = getattr(import_module(found.module), found.function)(rules, **options)
    return text
