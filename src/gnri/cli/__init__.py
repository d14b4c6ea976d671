"""The command line."""

from gnri.cli import (  # each adds its commands
    audit,
    bench,
    datasets,
    export,
    induce,
    predict,
    reproduce,
    serve,
    train,
)
from gnri.cli.application import app

__all__ = [
    "app",
    "audit",
    "bench",
    "datasets",
    "export",
    "induce",
    "predict",
    "reproduce",
    "serve",
    "train",
]
