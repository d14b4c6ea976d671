"""The command line."""

from gnri.cli import audit, export, induce, predict, serve  # each adds its commands
from gnri.cli.application import app

__all__ = ["app", "audit", "export", "induce", "predict", "serve"]
