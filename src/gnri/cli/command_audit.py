"""`gnri audit`."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gnri.cli.application import app, one_line_errors, refuse
from gnri.errors import GnriError

if TYPE_CHECKING:
    from gnri.cli.tasks import Task
    from gnri.episode import Episode
    from gnri.symmetry.audit_report import AuditReport, Gap

LEARNERS = ("gnri", "tree", "greedy")

WORDS = {
    "rows": "rows shuffled",
    "atoms": "columns reordered and renamed",
    "negations": "columns negated",
    "label": "labels swapped",
    "everything": "all of it at once",
}


@app.command()
def audit(  # noqa: PLR0913 - one for each thing a user may ask
    context: typer.Context,
    file: Annotated[str, typer.Argument(help="CSV, TSV or Parquet; - for standard input.")],
    target: Annotated[str | None, typer.Option(help="The column to predict.")] = None,
    learner: Annotated[str, typer.Option(help="gnri, or tree or greedy to compare.")] = "gnri",
    model: Annotated[str | None, typer.Option(help="A bundled model, or a folder.")] = None,
    refine: Annotated[bool, typer.Option(help="Whether a search follows the model.")] = True,
    ignore: Annotated[list[str] | None, typer.Option(help="Leave out; repeatable.")] = None,
    seed: Annotated[int, typer.Option(help="Which symmetries are drawn.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead.")] = False,
) -> None:
    """Change your table in ways that must not matter, and see whether the rule follows.

    Rows are shuffled, the Boolean columns made of yours reordered, renamed and negated, and the
    labels swapped. The rule of the changed table must be the rule changed in the same way.
    """
    from gnri.cli import console

    with one_line_errors():
        if learner not in LEARNERS:
            raise GnriError(f"the learners are {', '.join(LEARNERS)}; got {learner!r}")
        if learner != "gnri":
            refuse(context, f"--learner {learner} has no model and no search", "model", "refine")
        from gnri.cli.tasks import Task

        episodes = _episodes(Task(file, target, tuple(ignore or ())), model, refine)
        from gnri.symmetry import audit as measure
        from gnri.symmetry.transforms import TRANSFORMS

        steps = len(episodes) * (1 + len(TRANSFORMS))
        with console.progress("comparing rules", steps) as advance:
            counted = _counted(_inducer(learner, model, refine), advance)
            report = measure.audit(counted, episodes, seed=seed)
    if as_json:
        typer.echo(report.to_json())
    else:
        _show(report, learner)


def _episodes(task: "Task", model: str | None, refine: bool) -> "list[Episode]":
    """Return the tasks that are really solved: of several classes, each on the rows left."""
    found = task.learn_in_memory({"model": model or "guided", "refine": refine})
    episodes = list(found.fitted.episodes().values())
    if not episodes:
        raise GnriError(f"no class of {found.origin} has a rule, so there is none to compare")
    return episodes


def _inducer(learner: str, model: str | None, refine: bool) -> "Callable[[Episode], Any]":
    from gnri.estimator import baselines as learners

    if learner == "tree":
        return learners.cart()
    if learner == "greedy":
        return learners.greedy
    from gnri.induction import induce

    if model is None:
        return partial(induce, refine=refine)
    return partial(induce, model=model, refine=refine)


def _counted(
    inducer: "Callable[[Episode], Any]", advance: Callable[[], None]
) -> "Callable[[Episode], Any]":
    def induce(episode: "Episode") -> Any:
        answer = inducer(episode)
        advance()
        return answer

    return induce


def _show(report: "AuditReport", learner: str) -> None:
    from rich.table import Table as Grid
    from rich.text import Text

    from gnri.cli.console import output

    grid = Grid(box=None, header_style="dim", padding=(0, 2, 0, 0))
    for heading in ("what was changed", "the rule"):
        grid.add_column(heading)
    for words, gaps in _by_change(report).items():
        followed = sum(gap.equal for gap in gaps)
        style = "green" if followed == len(gaps) else "red"
        shared = sum(gap.jaccard for gap in gaps) / len(gaps)
        more = "" if followed == len(gaps) else f", {shared:.0%} of its literals shared"
        grid.add_row(words, Text(f"followed {followed} of {len(gaps)} times{more}", style))
    screen = output()
    screen.print(grid)
    screen.print()
    screen.print(Text(_verdict(report, learner), "bold green" if report.exact else "bold red"))
    empty = sum(gap.empty for gap in report.gaps)
    if empty:
        screen.print(Text(f"in {empty} of the trials there was no rule to compare", "dim"))


def _by_change(report: "AuditReport") -> "dict[str, list[Gap]]":
    """The trials by what was changed, in words."""
    found: dict[str, list[Gap]] = {}
    for gap in report.gaps:
        parts = gap.transform.rstrip(" 12").split(" + ")
        found.setdefault(", ".join(WORDS[part] for part in parts), []).append(gap)
    return found


def _verdict(report: "AuditReport", learner: str) -> str:
    changed = sum(not gap.equal for gap in report.gaps)
    said = "followed every time" if report.exact else f"became another one {changed} times"
    return f"{learner}: in {len(report.gaps)} trials the rule {said}"
