"""Rules as files to take away."""

from typing import Any

from gnri import formats
from gnri.errors import GnriError
from gnri.rules.rule_list import RuleSet

FORMATS = {
    **{name: (f"rule{one.suffix}", one.media_type) for name, one in formats.FORMATS.items()},
    "html": ("report.html", "text/html"),
}
"""The name and the media type of each."""


def rules_file(ruleset: RuleSet, to: str) -> dict[str, Any]:
    """Return the file of these rules in any form that needs no table."""
    if to == "html":
        raise GnriError("a report is of a table; send the table, not a ruleset")
    if to not in FORMATS:
        raise GnriError(f"a rule is exported to {', '.join(FORMATS)}; got {to[:40]!r}")
    return file_of(to, formats.render(ruleset, to))


def file_of(to: str, content: str) -> dict[str, Any]:
    """Return a file as the page is sent it."""
    name, media = FORMATS[to]
    return {"name": name, "type": media, "content": content}
