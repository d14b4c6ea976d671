"""The command line."""

from gnri.cli import command_audit, command_induce, command_rules  # each adds its commands
from gnri.cli.application import app

__all__ = ["app", "command_audit", "command_induce", "command_rules"]
