"""`gnri induce` and `gnri audit`: learn a rule, or a logic program, and check its symmetries."""

import json
from functools import partial
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gnri.atomic_write import is_rewritable
from gnri.cli.application import (
    CONSTRAINTS,
    TARGETS,
    AsJson,
    Decimal,
    Encoding,
    NaValues,
    app,
    refuse,
    table_option,
    takes_settings,
)
from gnri.cli.console import check_outputs, output, progress, read_input, write_text
from gnri.errors import GnriError, escape

if TYPE_CHECKING:
    from gnri.cli.learning import FileFit
    from gnri.data.structure import TextFormat
    from gnri.estimator.cross_validation import Validation
    from gnri.estimator.fitting import Fitted
    from gnri.estimator.settings import FitSettings
    from gnri.report.dossier import DossierOptions

File = Annotated[
    str,
    typer.Argument(
        help="CSV, TSV, Parquet or Excel; - for standard input; a folder or a quoted pattern such "
        "as 'part-*.parquet' for a table in parts."
    ),
]
Memory = Annotated[
    str | None, table_option("Most memory to use, such as 2GB; the file is then read in parts.")
]
Scheduler = Annotated[
    str | None,
    table_option("A Dask scheduler whose workers count rows, such as tcp://host:8786."),
]
Target = Annotated[str | None, typer.Option(help="The column to predict.")]
Ignore = Annotated[list[str] | None, table_option("A column to leave out; repeatable.")]
Bins = Annotated[
    int | None,
    table_option("Cut a target of numbers into so many equal parts; 2: above the median."),
]
Threshold = Annotated[float | None, table_option("Cut a target of numbers: above this or not.")]

PROGRAMS = ("program", "python")
WITH_TRANSITIONS = {
    *("file", "transitions", "out", "format_name", "as_json"),
    *("decimal", "encoding"),
}
"""The parameters that may be given together with --transitions."""


@app.command()
@takes_settings()
def induce(  # noqa: PLR0913 - one for each option
    context: typer.Context,
    settings: "FitSettings",
    file: File,
    target: Target = None,
    transitions: Annotated[
        bool, typer.Option("--transitions", help="Learn a program from state transitions instead.")
    ] = False,
    ignore: Ignore = None,
    weight: Annotated[
        str | None, table_option("A column with the weight of each row; no feature then.")
    ] = None,
    estimate: Annotated[
        bool | None, typer.Option(help="Cross-validate; by default only if that is quick.")
    ] = None,
    alternatives: Annotated[
        int | None,
        typer.Option(
            min=1, help="Also find so many rules on other columns that are nearly as good."
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Save the rule (or the program) here.")] = None,
    report: Annotated[Path | None, typer.Option(help="Write an HTML report here.")] = None,
    format_name: Annotated[
        str, typer.Option("--format", help="With --transitions: program or python.")
    ] = "program",
    as_json: AsJson = False,
    memory: Memory = None,
    scheduler: Scheduler = None,
    bins: Bins = None,
    threshold: Threshold = None,
    decimal: Decimal = ".",
    encoding: Encoding = "utf-8",
    na_values: NaValues = None,
) -> None:
    """Learn a rule for a column of a table, and say how good it is.

    With --transitions, FILE has pairs of states, in columns x, y, ... and x', y', ... (or x_next),
    all 0 or 1, and the result is a logic program of the system.

    A table in parts, or a large one, is never read into memory as a whole. The rule is the same,
    but it is not cross-validated.
    """
    # long: each option is a parameter
    from gnri.data.structure import TextFormat

    text = TextFormat(decimal, encoding, na_values or ())
    if transitions:
        others = {str(one.name) for one in context.command.params} - WITH_TRANSITIONS
        refuse(context, "--transitions learns a program, not a rule", *others)
        _learn_program(file, text, format_name, out, as_json)
        return
    from gnri.data.discretize import STRATEGIES

    if settings.strategy not in STRATEGIES:
        raise GnriError(f"binarize must be 'auto' or 'median', got {settings.strategy!r}")
    refuse(context, "a rule is saved with --out and then written with `gnri export`", "format_name")
    model = settings.model if isinstance(settings.model, str) else None
    keep = settings.keep
    kept = keep if isinstance(keep, str) and keep.endswith(".json") else None
    check_outputs([out, report], [file, model, kept])
    from gnri.cli.learning import fit_source, is_in_parts
    from gnri.data.sources import TableSource, open_source
    from gnri.data.target import make_target

    in_parts = is_in_parts(file, memory, scheduler)
    if in_parts and report is not None:
        raise GnriError("a report needs the rows in memory; leave --report out")
    if in_parts and alternatives is not None:
        raise GnriError("alternatives need the rows in memory; leave --alternatives out")
    if in_parts and estimate:
        raise GnriError(
            "a table in parts is not cross-validated; leave --estimate out, keep some files back, "
            "and test the rule on them with `gnri predict`"
        )
    if in_parts and settings.has_target:
        raise GnriError(
            "a target needs the table in memory; leave --objective, --min-precision, --min-recall "
            "and --costs out"
        )
    source = open_source(file, text) if in_parts else TableSource.of(read_input(file, text))
    if weight is not None:
        from gnri.estimator.weighting import weigh_source

        source = weigh_source(source, weight)
    label = make_target(target, bins, threshold)
    found = fit_source(source, label, ignore or (), settings, memory, scheduler)
    if report is not None and estimate is None:
        estimate = True  # the report begins with this figure
    measured = _print_answer(found, out, estimate, as_json, alternatives)
    if report is not None:  # last, as it takes ten times as long as the rule
        _write_report(found.fitted, measured, report)


def _print_answer(
    found: "FileFit", out: Path | None, wanted: bool | None, as_json: bool, others: int | None
) -> "Validation | str":
    """Save and print the rule; cross-validate it last, as that takes longer."""
    from gnri.cli import display
    from gnri.estimator.cross_validation import MAX_SECONDS, estimate

    _save(found.fitted, out)
    screen = None if as_json else output()
    if screen is not None:
        display.show_rule(screen, found)
    folds, max_seconds = 0 if wanted is False else None, MAX_SECONDS if wanted is None else inf
    with progress() as report:
        advance = partial(report, "cross-validating")
        measured = estimate(found.fitted, folds=folds, max_seconds=max_seconds, report=advance)
    if screen is not None:
        display.show_facts(screen, found, measured)
    if not isinstance(measured, str) and out is not None and is_rewritable(out):
        _save(found.fitted, out, measured)
    alternatives = None
    if others is not None:
        from gnri.estimator.alternatives import find_alternatives

        with progress() as report:
            advance = partial(report, "looking for alternatives")
            alternatives = find_alternatives(found.fitted, others, report=advance)
    if screen is None:
        content = display.to_document(found, measured, alternatives)
        typer.echo(json.dumps(content, indent=2, allow_nan=False))
    elif alternatives is not None:
        display.show_alternatives(screen, alternatives)
    return measured


def _save(fitted: "Fitted", out: Path | None, held_out: "Validation | None" = None) -> None:
    """Save the rules, with the counts that `gnri watch` compares new rows with."""
    if out is not None:
        from gnri.rules.documents import save_rules

        save_rules(fitted.rule_list, out, fitted.training_summary(held_out))


def _write_report(fitted: "Fitted", measured: "Validation | str", path: Path) -> None:
    with progress() as report:
        report("writing the report")
        from gnri.report.facts import gather_facts
        from gnri.report.page import write_page

        write_page(gather_facts(fitted, measured), path)


def _learn_program(
    file: str, text: "TextFormat", format_name: str, out: Path | None, as_json: bool
) -> None:
    """Learn a program from a file of transitions, and write it in the given format."""
    from gnri.errors import shorten

    if format_name not in PROGRAMS:
        raise GnriError(
            f"--format must be {' or '.join(PROGRAMS)} with --transitions; got {format_name!r}"
        )
    check_outputs([out], [file])
    table = read_input(file, text)
    with progress() as report:
        report("looking for the rules")
        from gnri.transitions import learn, read_transitions, to_program, to_python

        given = read_transitions(table)
        learnt = learn(given)
    reproduced, rows = learnt.reproduced(given), len(given.now)
    verdict = f"{shorten(table.origin)}: reproduces {reproduced:,} of {rows:,} transitions"
    programs = {
        "program": f"% {verdict}\n{to_program(learnt)}",
        "python": f"# {verdict}\n{to_python(learnt)}",
    }
    content = {
        "format": "gnri-program",
        "version": 1,
        "source": table.origin,
        "variables": list(learnt.variables),
        "transitions": rows,
        "reproduced": reproduced,
        **programs,
    }
    write_text(json.dumps(content, indent=2) if as_json else programs[format_name], out)


@app.command()
@takes_settings("model", "refine", "form", "use", *TARGETS, *CONSTRAINTS)
def audit(  # noqa: PLR0913 - one for each option
    context: typer.Context,
    settings: "FitSettings",
    file: Annotated[str, typer.Argument(help="CSV, TSV, Parquet or Excel; - for standard input.")],
    target: Target = None,
    learner: Annotated[str, typer.Option(help="gnri; or tree or greedy, to compare.")] = "gnri",
    ignore: Ignore = None,
    seed: Annotated[int, typer.Option(help="Seed of the random changes.")] = 0,
    dossier: Annotated[
        Path | None, typer.Option(help="Write a folder of evidence here, for `gnri verify`.")
    ] = None,
    group: Annotated[
        str | None, typer.Option(help="With --dossier, a column whose groups are compared.")
    ] = None,
    resamples: Annotated[
        int, typer.Option(help="With --dossier, how often rows are drawn anew.", min=0)
    ] = 100,
    as_json: AsJson = False,
    bins: Bins = None,
    threshold: Threshold = None,
    decimal: Decimal = ".",
    encoding: Encoding = "utf-8",
    na_values: NaValues = None,
) -> None:
    """Change a table in ways that must not matter, and check that the rule follows.

    Rows are shuffled, the yes-or-no columns made from yours are reordered, renamed and negated, and
    the labels are swapped. The rule of the changed table must be the rule changed in the same way.
    """
    # long: each option is a parameter
    from gnri.cli.learning import fit_source
    from gnri.data.sources import TableSource
    from gnri.data.structure import TextFormat
    from gnri.data.target import make_target
    from gnri.estimator.trials import find_trials
    from gnri.report.facts import OTHERS, audit_trials

    text = TextFormat(decimal, encoding, na_values or ())
    if learner not in ("gnri", *OTHERS):
        raise GnriError(f"the learners are {', '.join(['gnri', *OTHERS])}; got {learner!r}")
    if learner != "gnri":
        ours = "model", "refine", "form", *TARGETS, *CONSTRAINTS
        refuse(context, f"--learner {learner} has no model and no search", *ours)
    if dossier is None:
        refuse(context, "only a dossier has these", "group", "resamples")
    else:
        refuse(context, "a dossier is about gnri, and has its JSON in files", "learner", "as_json")
        plain = "bins", "threshold", "use", *TARGETS, *CONSTRAINTS
        refuse(context, "a dossier is about classes and columns as they are", *plain)
        if target is None:
            raise GnriError("name the column that the rule predicts with --target")
        from gnri.report.dossier import DossierOptions

        how = str(settings.model), settings.refine, settings.form
        missing = tuple(na_values or ())
        options = DossierOptions(target, tuple(ignore or ()), group, resamples, seed, *how, missing)
        _write_dossier(dossier, file, text, options)
        return
    source = TableSource.of(read_input(file, text))
    found = fit_source(source, make_target(target, bins, threshold), ignore or (), settings)
    trials = find_trials(found.fitted, OTHERS.get(learner))
    if not trials.tasks:
        raise GnriError(f"no class of {found.origin} has a rule, so there is none to compare")
    with progress() as report:
        audited = audit_trials(trials, seed, partial(report, "comparing rules"))
    if as_json:
        typer.echo(audited.to_json())
        return
    from gnri.cli.display import show_audit

    given = settings.min_precision, settings.min_recall, settings.costs
    show_audit(output(), audited, learner, of_classes=any(one is not None for one in given))


def _write_dossier(folder: Path, file: str, text: "TextFormat", options: "DossierOptions") -> None:
    """Write the dossier of a table, into a new folder or over an older dossier."""
    from hashlib import sha256

    from gnri.report.dossier import CONTENTS, MANIFEST, make_dossier, write_dossier

    if not folder.is_dir():
        check_outputs([folder], [file])
    elif any(folder.iterdir()) and not (folder / MANIFEST).is_file():
        raise GnriError(f"{folder} holds other files; name a new folder, or one of a dossier")
    else:
        check_outputs([folder / name for name in CONTENTS], [file])
    with progress() as report:
        files = make_dossier(read_input(file, text), options, report)
    write_dossier(files, folder)
    typer.echo(escape(f"{folder}: {len(files)} files; begin with README.md"))
    typer.echo(f"SHA-256 of {MANIFEST}: {sha256(files[MANIFEST]).hexdigest()}")
