"""`python -m studies`."""

from studies import (  # noqa: F401 - each adds its commands
    command_bench,
    command_datasets,
    command_reproduce,
    command_train,
)
from studies.application import app

if __name__ == "__main__":
    app(prog_name="python -m studies")
