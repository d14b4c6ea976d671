"""A process that does one long job after another, for the server that started it.

Frames come in on standard input and go out on what was standard output: `("progress", share, note)`
while a job runs, then `("done", result)`, `("refused", message)` for bad input, or
`("failed", message)`. The server stops a job by killing the process.
"""

import os
import sys
import traceback
from collections.abc import Callable
from typing import IO, Any

from gnri.errors import GnriError
from gnri.processes import kept_for_good, leave_with_parent
from gnri.web.frames import receive, send

FAILED = "the server made a mistake on this table; what it was is on its terminal"


def main() -> None:
    """Get warm, say so, and work until the server hangs up."""
    # Whatever a library prints must not get between the frames.
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    leave_with_parent()
    with kept_for_good():
        jobs = _jobs()
        _warm_up()
    send(out, ("ready",))
    while (job := receive(sys.stdin.buffer)) is not None:
        send(out, _answer(jobs, job, out))
        del job  # the table is not kept until the next one comes


def _answer(
    jobs: dict[str, Callable[..., Any]], job: tuple[str, tuple[Any, ...]], out: IO[bytes]
) -> tuple[Any, ...]:
    name, arguments = job

    def report(share: float, note: str) -> None:
        send(out, ("progress", share, note))

    try:
        return "done", jobs[name](*arguments, report)
    except GnriError as error:
        return "refused", str(error)
    except MemoryError:
        return "refused", "this table takes more memory than there is; try a sample of its rows"
    except Exception:  # the process goes on, and the person who runs the server sees why
        traceback.print_exc(file=sys.stderr)
        return "failed", FAILED


def _jobs() -> dict[str, Callable[..., Any]]:
    from gnri.web import playground
    from gnri.web.work import audit, compare, describe, induce, outside, report

    return {
        "describe_file": describe.describe_file,
        "describe_bundled": describe.describe_bundled,
        "learn": induce.learn,
        "compare": compare.compare,
        "play": playground.play,
        "audit": audit.run_audit,
        "report": report.html_report,
        "predict_rows": outside.predict_rows,
        "explain_rows": outside.explain_rows,
        "export_ruleset": outside.export_ruleset,
    }


def _warm_up() -> None:
    """Load the model and run it once, so that the first person does not wait for it."""
    from gnri.classifier import RuleClassifier

    RuleClassifier().fit([[0, 1], [1, 1], [0, 0], [1, 0]] * 3, [0, 1, 0, 0] * 3)


if __name__ == "__main__":
    main()
