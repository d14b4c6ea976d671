"""`python -m gnri`."""

from gnri.cli import app

app()
