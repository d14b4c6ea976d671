"""Research around gnri: training, the paper's tables, benchmarks, public data sets."""

import tomllib
from importlib.resources import files
from typing import Any


def read_data(package: str, name: str) -> dict[str, Any]:
    """Return the content of a TOML file beside the code."""
    return tomllib.loads((files(package) / name).read_text(encoding="utf-8"))
