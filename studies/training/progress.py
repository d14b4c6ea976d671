"""What a person sees while a run goes on."""

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from studies.training.recipe import AnyRecipe

Report = Callable[[Mapping[str, float]], None]


@contextmanager
def reporter(recipe: AnyRecipe, *, shown: bool) -> Iterator[Report]:
    """A function to call with each line of metrics: a bar on a terminal, else plain lines."""
    if shown and sys.stdout.isatty():
        with _bar(recipe) as report:
            yield report
    elif shown:
        yield lambda row: print(_line(recipe, row), flush=True)
    else:
        yield lambda _: None


@contextmanager
def _bar(recipe: AnyRecipe) -> Iterator[Report]:
    from rich.progress import Progress  # a training machine may do without

    with Progress() as progress:
        task = progress.add_task(recipe.name, total=recipe.train.steps)
        yield lambda row: progress.update(
            task, completed=row["step"], description=_line(recipe, row)
        )


def _line(recipe: AnyRecipe, row: Mapping[str, float]) -> str:
    return (
        f"step {row['step']}/{recipe.train.steps}  loss {row['loss']:.4f}  "
        f"{recipe.figure.replace('_', ' ')} {row[recipe.figure]:.4f}"
    )
