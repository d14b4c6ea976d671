"""The local page and its HTTP endpoints."""

from collections.abc import Callable

Report = Callable[[float, str], None]
"""Is told the share of a job that is done, from 0 to 1, and what is being done."""
