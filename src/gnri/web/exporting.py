"""Rules as files to take away."""

import asyncio
from typing import Any

from gnri import render
from gnri.render.classifier import RuleSet
from gnri.web.packed import PackedTable
from gnri.web.refusal import Refusal
from gnri.web.work.learnt import Learnt, Rules
from gnri.web.workshop import Progress, Workshop

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


async def export(
    table: PackedTable,
    learnt: Learnt,
    rules: Rules,
    to: str,
    workshop: Workshop,
    progress: Progress,
) -> dict[str, Any]:
    """The file of these rules; a report, which tries the promise again, takes a while."""
    if to != "html":
        return await asyncio.to_thread(plain_export, learnt.ruleset(rules), to)
    content = await workshop.run("report", table, learnt, rules, progress=progress)
    return _file(to, content)


def plain_export(ruleset: RuleSet, to: str) -> dict[str, Any]:
    """The file of these rules in any form that needs no table."""
    if to == "html":
        raise Refusal(422, "a report is of a table; send the table, not a ruleset")
    if to not in FORMATS:
        raise Refusal(422, f"a rule is exported to {', '.join(FORMATS)}; got {to[:40]!r}")
    if to == "sql":
        return _file(to, render.to_sql(ruleset, TABLE))
    return _file(to, getattr(render, f"to_{to}")(ruleset))


def _file(to: str, content: str) -> dict[str, Any]:
    name, media = FORMATS[to]
    return {"name": name, "type": media, "content": content}
