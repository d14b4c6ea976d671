"""The command line."""

from gnri.cli import reproduce, train  # each adds its commands
from gnri.cli.application import app

__all__ = ["app", "reproduce", "train"]
