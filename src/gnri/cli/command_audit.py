"""`gnri audit`."""

from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from gnri.cli.application import FORM, Form, app, refuse
from gnri.cli.console import output, progress, read_input
from gnri.errors import GnriError

if TYPE_CHECKING:
    from gnri.symmetry.audit_report import AuditReport, Gap

LEARNERS = ("gnri", "tree", "greedy")

WORDS = {
    "rows": "rows shuffled",
    "atoms": "columns reordered and renamed",
    "negations": "columns negated",
    "label": "labels swapped",
    "everything": "all of these at once",
}


@app.command()
def audit(  # noqa: PLR0913 - one for each option
    context: typer.Context,
    file: Annotated[str, typer.Argument(help="CSV, TSV or Parquet; - for standard input.")],
    target: Annotated[str | None, typer.Option(help="The column to predict.")] = None,
    learner: Annotated[str, typer.Option(help="gnri; or tree or greedy, to compare.")] = "gnri",
    model: Annotated[str | None, typer.Option(help="A bundled model, or a folder.")] = None,
    refine: Annotated[bool, typer.Option(help="Improve the model's rule by search.")] = True,
    form: Form = FORM,
    ignore: Annotated[
        list[str] | None, typer.Option(help="A column to leave out; repeatable.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the random changes.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead.")] = False,
) -> None:
    """Change a table in ways that must not matter, and check that the rule follows.

    Rows are shuffled, the yes-or-no columns made from yours are reordered, renamed and negated, and
    the labels are swapped. The rule of the changed table must be the rule changed in the same way.
    """
    if learner not in LEARNERS:
        raise GnriError(f"the learners are {', '.join(LEARNERS)}; got {learner!r}")
    if learner != "gnri":
        refuse(
            context, f"--learner {learner} has no model and no search", "model", "refine", "form"
        )
    from gnri.cli.learning import fit_source
    from gnri.data.sources import TableSource
    from gnri.estimator.fitting import FitSettings
    from gnri.estimator.trials import find_trials
    from gnri.report.facts import OTHERS, audit_trials

    settings = FitSettings(model=model or "guided", refine=refine, form=form)
    found = fit_source(TableSource.of(read_input(file)), target, ignore or (), settings)
    trials = find_trials(found.fitted, OTHERS.get(learner))
    if not trials.tasks:
        raise GnriError(f"no class of {found.origin} has a rule, so there is none to compare")
    with progress() as report:
        audited = audit_trials(trials, seed, partial(report, "comparing rules"))
    if as_json:
        typer.echo(audited.to_json())
    else:
        _show(audited, learner)


def _show(report: "AuditReport", learner: str) -> None:
    from rich.table import Table as Grid
    from rich.text import Text

    changes: dict[str, list[Gap]] = {}
    for gap in report.gaps:
        parts = gap.transform.rstrip(" 12").split(" + ")
        changes.setdefault(", ".join(WORDS[part] for part in parts), []).append(gap)
    grid = Grid(box=None, header_style="dim", padding=(0, 2, 0, 0))
    for heading in ("what was changed", "the rule"):
        grid.add_column(heading)
    for words, gaps in changes.items():
        followed = sum(gap.equal for gap in gaps)
        style = "green" if followed == len(gaps) else "red"
        shared = sum(gap.jaccard for gap in gaps) / len(gaps)
        more = "" if followed == len(gaps) else f", {shared:.0%} of its literals shared"
        grid.add_row(words, Text(f"followed {followed} of {len(gaps)} times{more}", style))
    screen = output()
    screen.print(grid)
    screen.print()
    broken = sum(not gap.equal for gap in report.gaps)
    said = f"became another one {broken} times" if broken else "followed every time"
    verdict = f"{learner}: in {len(report.gaps)} trials the rule {said}"
    screen.print(Text(verdict, "bold red" if broken else "bold green"))
    empty = sum(gap.empty for gap in report.gaps)
    if empty:
        screen.print(Text(f"in {empty} of the trials there was no rule to compare", "dim"))
