"""The long jobs, each run in a process of its own that can be stopped."""

from collections.abc import Callable

Report = Callable[[float, str], None]
"""Says how much of a job is done, from 0 to 1, and what is being done."""
