"""The application: its version, one-line errors, refused options, and options of the fit."""

import inspect
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperGroup

from gnri.cli.console import open_streams
from gnri.errors import GnriError, escape

KEYWORD_ONLY = inspect.Parameter.KEYWORD_ONLY

UsageError: Any = typer.BadParameter.__bases__[0]
"""The error of a mistyped command; typer has no public name for it."""


class Commands(TyperGroup):
    """A group of commands whose errors are one line each."""

    def make_context(self, *words: Any, **extra: Any) -> Any:
        """Parse the command line."""
        with one_line_errors():
            return super().make_context(*words, **extra)

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        with one_line_errors():
            result = super().invoke(ctx)
            sys.stdout.flush()
            return result

    def main(self, *words: Any, **extra: Any) -> Any:
        """Parse the command line and run the command, whatever the standard streams are."""
        open_streams()
        return super().main(*words, **extra)


app = typer.Typer(cls=Commands, no_args_is_help=True, add_completion=False)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version  # imports the parser of e-mails

        typer.echo(f"gnri {version('gnri')}")
        raise typer.Exit


@app.callback()
def main(
    _: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version and exit.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Learn logic rules from labelled tables."""


@contextmanager
def one_line_errors() -> Iterator[None]:
    """Print a usage error, a `GnriError` or a file error as one line, with exit code 2."""
    try:
        yield
        return
    except UsageError as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            raise  # the help was printed instead
        message = " ".join(error.format_message().split())
        command = error.ctx.command_path if error.ctx else "gnri"
        line = f"{message}{'' if message.endswith(('.', '?')) else '.'} See `{command} --help`"
    except GnriError as error:
        line = str(error)
    except OSError as error:
        line = f"{error.filename or 'a file'} cannot be used: {error.strerror or error}"
    typer.echo(f"gnri: {escape(line)}", err=True)
    raise typer.Exit(2)


def refuse(context: typer.Context, why: str, *names: str) -> None:
    """Raise if one of these options, named by their parameters, was given."""
    sources = {name: context.get_parameter_source(name) for name in names}
    typed = [
        option.opts[0]
        for option in context.command.params
        if (source := sources.get(option.name or "")) and source.name == "COMMANDLINE"
    ]
    if typed:
        raise GnriError(f"{why}; leave {' and '.join(typed)} out")


TABLE = "The table"
"""The heading in the help of options on how a table is read."""


def table_option(words: str) -> Any:
    """Return an option on how a table is read, with these words of help."""
    return typer.Option(help=words, rich_help_panel=TABLE)


Decimal = Annotated[str, table_option("The decimal mark of numbers in text, . or ,")]
Encoding = Annotated[str, table_option("The encoding of text, such as latin-1.")]
NaValues = Annotated[
    list[str] | None, table_option("A further text that means missing, such as k.A.; repeatable.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead.")]


def read_pairs(parts: Sequence[str], parse: Callable[[str], Any], wanted: str) -> dict[str, Any]:
    """Return the value of each name in parts such as `age=18`; a bare value has the name "".

    >>> read_pairs(["yes=10", " no=1"], float, "it must be such as yes=10,no=1")
    {'yes': 10.0, 'no': 1.0}
    """
    found = dict[str, Any]()
    for part in parts:
        name, _, value = (one.strip() for one in part.rpartition("="))
        if name in found:
            raise GnriError(f"{wanted}; got two values for {name!r}, so leave one out")
        try:
            found[name] = parse(value)
        except (ValueError, KeyError):
            raise GnriError(f"{wanted}; got {part!r}") from None
    return found


def parse_class_weight(given: str) -> dict[str, float] | str:
    """Return "balanced", or the weight of each class by its text."""
    wanted = "--class-weight must be balanced, or such as yes=10,no=1"
    return given if given == "balanced" else read_pairs(given.split(","), float, wanted)


def parse_floor(given: str) -> dict[str, float] | float:
    """Return a floor, or that of each class by its text.

    >>> parse_floor("0.9"), parse_floor("yes=0.9")
    (0.9, {'yes': 0.9})
    """
    floors = read_pairs(given.split(","), float, "a floor must be such as 0.9 or yes=0.9")
    return floors if "=" in given else floors[""]


def parse_costs(given: str) -> dict[tuple[str, str], float]:
    """Return the cost of answering one class where another is right, each by its text.

    >>> parse_costs("yes:no=10, no:yes=1")
    {('yes', 'no'): 10.0, ('no', 'yes'): 1.0}
    """
    wanted = "--costs must be such as yes:no=10, the cost of answering no where yes is right"
    found = {}
    for pair, cost in read_pairs(given.split(","), float, wanted).items():
        actual, _, answered = pair.partition(":")
        if not actual or not answered:
            raise GnriError(f"{wanted}; got {given!r}")
        found[actual.strip(), answered.strip()] = cost
    return found


def parse_direction(given: str) -> Any:
    """Return a direction, or a class and its direction.

    >>> parse_direction("+1"), parse_direction("yes:-1")
    (1, ('yes', -1))
    """
    label, found, sign = given.rpartition(":")
    direction = {"+1": 1, "1": 1, "-1": -1}[sign.strip()]
    return (label.strip(), direction) if found else direction


def parse_numbers(given: str) -> list[float]:
    """Return numbers with commas between them."""
    return [float(one) for one in given.split(",")]


def by_column(
    option: str, example: str, parse: Callable[[str], Any]
) -> Callable[[Sequence[str]], dict[str, Any]]:
    """Return what makes a value for each column of options such as `age=18,40`."""
    wanted = f"--{option} must be such as {example}"
    return lambda given: read_pairs(given, parse, wanted)


class FitOption(NamedTuple):
    """An option for a field of `FitSettings`, and what makes the value of the text."""

    kind: Any
    help: str
    default: Any = None
    flags: tuple[str, ...] = ()
    parse: Callable[[Any], Any] | None = None


OPTION_GROUPS = {
    "The rule": {
        "model": FitOption(str | None, "A bundled model, or the folder of one."),
        "refine": FitOption(bool, "Improve the model's rule by search.", True),
        "strategy": FitOption(
            str, "Thresholds: auto, or median as in the paper.", "auto", ("--binarize",)
        ),
        "max_clauses": FitOption(int | None, "Most clauses of a rule."),
        "max_literals": FitOption(int | None, "Most literals of a clause."),
        "negations": FitOption(bool, "Allow negations in clauses.", True),
        "form": FitOption(str, "dnf (clauses), scorecard (points), checklist, or auto.", "auto"),
        "max_lines": FitOption(int | None, "Most lines of a scorecard."),
        "max_conditions": FitOption(
            int | None, "Most conditions of a rule, in all clauses or lines."
        ),
        "keep_twins": FitOption(
            bool, "Keep columns that say the same on every row.", False, ("--keep-twins",)
        ),
        "use": FitOption(list[str] | None, "A column that is not to be ignored; repeatable."),
    },
    "Weights and targets": {
        "class_weight": FitOption(
            str | None,
            "balanced, or a weight for each class: yes=10,no=1.",
            parse=parse_class_weight,
        ),
        "objective": FitOption(
            str, "accuracy, balanced_accuracy, or f1 of the rarer class.", "accuracy"
        ),
        "min_precision": FitOption(
            str | None,
            "Most recall with this precision on held-out rows: 0.9 (rarer class) or yes=0.9.",
            parse=parse_floor,
        ),
        "min_recall": FitOption(
            str | None,
            "Most precision with this recall on held-out rows: 0.9 (rarer class) or yes=0.9.",
            parse=parse_floor,
        ),
        "costs": FitOption(
            str | None,
            "Costs of errors, as ACTUAL:ANSWERED=COST: yes:no=10,no:yes=1.",
            parse=parse_costs,
        ),
    },
    "Constraints": {
        "forbid": FitOption(list[str] | None, "A column that no rule may read; repeatable."),
        "require": FitOption(list[str] | None, "A column that the rules must read; repeatable."),
        "monotone": FitOption(
            list[str] | None,
            "Which way a column speaks for a class: age=+1, or age=yes:+1; repeatable.",
            parse=by_column("monotone", "age=+1 or age=yes:+1", parse_direction),
        ),
        "thresholds": FitOption(
            list[str] | None,
            "Your own thresholds of a column: age=18,40,65; repeatable.",
            parse=by_column("thresholds", "age=18,40,65", parse_numbers),
        ),
        "special": FitOption(
            list[str] | None,
            "Codes of a column that are no numbers: income=-9,-1; repeatable.",
            parse=by_column("special", "income=-9,-1", parse_numbers),
        ),
        "prices": FitOption(
            list[str] | None,
            "What conditions on a column cost, times the usual: income=3; repeatable.",
            parse=by_column("prices", "income=3", float),
        ),
        "keep": FitOption(str | None, "A file of rules, or clauses in words, that must stay."),
    },
}
"""The options of commands that fit, by heading and by the field of `FitSettings` that they set."""

TARGETS, CONSTRAINTS = OPTION_GROUPS["Weights and targets"], OPTION_GROUPS["Constraints"]


def takes_settings(*names: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add these options, or all of them, to a command, which gets them as `settings`."""
    options = {
        name: (heading, option)
        for heading, group in OPTION_GROUPS.items()
        for name, option in group.items()
        if not names or name in names
    }

    def add(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def run(**given: Any) -> None:
            from gnri.estimator.settings import FitSettings

            found = {name: (given.pop(name), option.parse) for name, (_, option) in options.items()}
            chosen = {
                name: value if parse is None else parse(value)
                for name, (value, parse) in found.items()
                if value not in (None, [])
            }
            command(settings=FitSettings(**chosen), **given)

        own = inspect.signature(command).parameters.values()
        added = []
        for name, (heading, option) in options.items():
            shown = typer.Option(*option.flags, help=option.help, rich_help_panel=heading)
            kind, default = Annotated[option.kind, shown], option.default
            added.append(inspect.Parameter(name, KEYWORD_ONLY, default=default, annotation=kind))
        kept = [one.replace(kind=KEYWORD_ONLY) for one in own if one.name != "settings"]
        run.__signature__ = inspect.Signature([*kept, *added])  # type: ignore[attr-defined]
        run.__annotations__ = {one.name: one.annotation for one in [*kept, *added]}
        return run

    return add
