"""Options that would change nothing are refused, not passed over."""

import typer

from gnri.errors import GnriError


def refuse(context: typer.Context, why: str, *names: str) -> None:
    """Raise if one of the options, by the names of their parameters, was typed."""
    typed = [
        option.opts[0]
        for option in context.command.params
        if option.name in names and _is_typed(context, option.name)
    ]
    if typed:
        raise GnriError(f"{why}; leave {' and '.join(typed)} out")


def _is_typed(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"
