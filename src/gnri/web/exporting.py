"""The rules of a table as files."""

import asyncio
from typing import Any

from gnri.web.store import Held
from gnri.web.work.files import file_of, rules_file
from gnri.web.work.learnt import Rules
from gnri.web.workshop import Progress, Workshop


async def export(
    held: Held, rules: Rules, to: str, workshop: Workshop, progress: Progress
) -> dict[str, Any]:
    """The file of these rules; a report, which tries the promise again, takes a while."""
    learnt = held.need_learnt()
    if to != "html":
        return await asyncio.to_thread(rules_file, learnt.ruleset(rules), to)
    content = await workshop.run("report", held.table, learnt, rules, progress=progress)
    return file_of(to, content)
