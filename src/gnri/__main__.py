"""`python -m gnri`."""

from gnri.cli import app

if __name__ == "__main__":
    app()
