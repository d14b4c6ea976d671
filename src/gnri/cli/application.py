"""The application: its version, one-line errors, refused options, and options of the fit."""

import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from importlib.metadata import version
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer
from typer.core import TyperGroup

from gnri.cli.console import open_streams
from gnri.errors import GnriError, escape

if TYPE_CHECKING:
    from gnri.estimator.settings import FitSettings

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


def parse_class_weight(given: str | None) -> dict[str, float] | str | None:
    """Return the weights of classes, each by its text, as in `yes=10,no=1`.

    >>> parse_class_weight("yes=10, no=1")
    {'yes': 10.0, 'no': 1.0}
    """
    if given is None or given == "balanced":
        return given
    pairs = [part.rpartition("=") for part in given.split(",")]
    try:
        return {name.strip(): float(weight) for name, _, weight in pairs}
    except ValueError:
        raise GnriError(
            f"--class-weight must be balanced, or such as yes=10,no=1; got {given!r}"
        ) from None


Decimal = Annotated[str, typer.Option(help="The decimal mark of numbers in text, . or ,")]
Encoding = Annotated[str, typer.Option(help="The encoding of text, such as latin-1.")]


class FitOption(NamedTuple):
    """An option for a field of `FitSettings`, and what makes the value of the text."""

    kind: Any
    help: str
    default: Any = None
    flags: tuple[str, ...] = ()
    parse: Callable[[Any], Any] | None = None


FIT_OPTIONS = {
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
    "max_conditions": FitOption(int | None, "Most conditions of a scorecard, in all lines."),
    "keep_twins": FitOption(
        bool, "Keep columns that say the same on every row.", False, ("--keep-twins",)
    ),
    "use": FitOption(
        list[str] | None, "A column that is not to be ignored; repeatable.", flags=("--use",)
    ),
    "class_weight": FitOption(
        str | None,
        "balanced, or a weight for each class: yes=10,no=1.",
        parse=parse_class_weight,
    ),
}
"""The options of commands that fit, by the field of `FitSettings` that they set."""


def takes_settings(*names: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add these options, or all of FIT_OPTIONS, to a command, which gets them as `settings`."""
    options = {name: FIT_OPTIONS[name] for name in names or FIT_OPTIONS}

    def add(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def run(**given: Any) -> None:
            found = {name: given.pop(name) for name in options}
            command(settings=_make_settings(found), **given)

        own = inspect.signature(command).parameters.values()
        added = [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=option.default,
                annotation=Annotated[option.kind, typer.Option(*option.flags, help=option.help)],
            )
            for name, option in options.items()
        ]
        kept = [one.replace(kind=one.KEYWORD_ONLY) for one in own if one.name != "settings"]
        run.__signature__ = inspect.Signature([*kept, *added])  # type: ignore[attr-defined]
        run.__annotations__ = {one.name: one.annotation for one in [*kept, *added]}
        return run

    return add


def _make_settings(given: dict[str, Any]) -> "FitSettings":
    """Return the settings that these options ask for."""
    from gnri.estimator.settings import FitSettings

    parsed = {
        name: option.parse(value) if (option := FIT_OPTIONS[name]).parse else value
        for name, value in given.items()
        if value is not None
    }
    return FitSettings(**parsed)
