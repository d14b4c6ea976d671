"""The rules of a table as files."""

import asyncio
from typing import Any

from gnri.data.table import Table
from gnri.web.work.files import file_of, rules_file
from gnri.web.work.learnt import Learnt, Rules
from gnri.web.worker_pool import Progress, Workshop


async def export(
    table: Table,
    learnt: Learnt,
    rules: Rules,
    to: str,
    workshop: Workshop,
    progress: Progress,
) -> dict[str, Any]:
    """The file of these rules; a report, which tries the promise again, takes a while."""
    if to != "html":
        return await asyncio.to_thread(rules_file, learnt.ruleset(rules), to)
    content = await workshop.run("report", table, learnt, rules, progress=progress)
    return file_of(to, content)
