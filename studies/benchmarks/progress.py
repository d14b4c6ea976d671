"""A bar for jobs that take a while."""

from collections.abc import Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")


def shown(items: Iterable[Item], total: int, title: str) -> Iterator[Item]:
    """The items as they come, counted on standard error where that is a terminal."""
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    yield from track(items, title, total, console=console, disable=not console.is_terminal)
