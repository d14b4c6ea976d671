"""The command line."""

from gnri.cli import command_learn, command_rules  # each adds its commands
from gnri.cli.application import app

__all__ = ["app", "command_learn", "command_rules"]
