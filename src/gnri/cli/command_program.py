"""`gnri induce --transitions`."""

import json
from pathlib import Path

from gnri.cli.console import check_outputs, progress, write_text
from gnri.data.sources import read_table
from gnri.errors import GnriError
from gnri.messages import shorten

FORMS = ("program", "python")


def learn_program(file: str, to: str, out: Path | None, as_json: bool) -> None:
    """Learn the system in a file of transitions, and write it in the form asked for."""
    if to not in FORMS:
        raise GnriError(f"a system is written --to {' or '.join(FORMS)}; got {to!r}")
    check_outputs([out], [file])
    table = read_table(file)
    with progress() as report:
        report("looking for the rules")
        from gnri.transitions import learn, to_program, to_python, transitions_of

        given = transitions_of(table)
        learnt = learn(given)
    reproduced, rows = learnt.reproduced(given), len(given.now)
    verdict = f"{shorten(table.origin)}: reproduces {reproduced:,} of {rows:,} transitions"
    programs = {
        "program": f"% {verdict}\n{to_program(learnt)}",
        "python": f"# {verdict}\n{to_python(learnt)}",
    }
    if as_json:
        content = {
            "format": "gnri-program",
            "version": 1,
            "source": table.origin,
            "variables": list(learnt.variables),
            "transitions": rows,
            "reproduced": reproduced,
            **programs,
        }
        write_text(json.dumps(content, indent=2), out)
    else:
        write_text(programs[to], out)
