"""Rules as files to take away."""

from typing import Any

from gnri import formats as render
from gnri.errors import GnriError
from gnri.rules.rule_list import RuleSet

FORMATS = {
    "text": ("rule.txt", "text/plain"),
    "sql": ("rule.sql", "application/sql"),
    "python": ("rule.py", "text/x-python"),
    "prolog": ("rule.pl", "text/x-prolog"),
    "latex": ("rule.tex", "application/x-tex"),
    "json": ("rule.json", "application/json"),
    "html": ("report.html", "text/html"),
}
"""The name and the media type of each."""

TABLE = "data"
"""What the exported query calls the table."""


def rules_file(ruleset: RuleSet, to: str) -> dict[str, Any]:
    """The file of these rules in any form that needs no table."""
    if to == "html":
        raise GnriError("a report is of a table; send the table, not a ruleset")
    if to not in FORMATS:
        raise GnriError(f"a rule is exported to {', '.join(FORMATS)}; got {to[:40]!r}")
    if to == "sql":
        return file_of(to, render.to_sql(ruleset, TABLE))
    return file_of(to, getattr(render, f"to_{to}")(ruleset))


def file_of(to: str, content: str) -> dict[str, Any]:
    """A file as the page is sent it."""
    name, media = FORMATS[to]
    return {"name": name, "type": media, "content": content}
