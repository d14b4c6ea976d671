"""Rows of figures as Markdown tables, by any two of their columns."""

from collections.abc import Callable, Iterable, Sequence
from statistics import mean, median

Rows = list[dict[str, str]]
Figures = dict[tuple[str, str], float]
"""The mean of a figure, by line and column."""


def figures(rows: Rows, line: str, column: str, figure: str) -> Figures:
    """The mean of `figure` over the rows of each line and column; empty cells are left out."""
    found: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        if row[figure]:
            found.setdefault((row[line], row[column]), []).append(float(row[figure]))
    return {place: mean(values) for place, values in found.items()}


def in_order(rows: Rows, name: str, first: Sequence[str] = ()) -> list[str]:
    """The values of a column, those of `first` before the others as they come."""
    found = dict.fromkeys(row[name] for row in rows)
    return [*(value for value in first if value in found), *(v for v in found if v not in first)]


def grid(
    found: Figures, lines: Sequence[str], columns: Sequence[str], show: Callable[[float], str]
) -> list[list[str]]:
    """A line of cells for each of `lines`, its name first; a dash where nothing was measured."""
    return [
        [line, *(show(found[line, c]) if (line, c) in found else "-" for c in columns)]
        for line in lines
    ]


def summary(
    found: Figures, name: str, columns: Sequence[str], show: Callable[[float], str]
) -> list[str]:
    """The mean, or the median, of each column; of how many lines, where some are missing."""
    average = {"mean": mean, "median": median}[name]
    values = {c: [value for (_, column), value in found.items() if column == c] for c in columns}
    most = max(map(len, values.values()), default=0)
    cells = [
        "-"
        if not some
        else show(average(some)) + (f" ({len(some)} of {most})" if len(some) < most else "")
        for some in values.values()
    ]
    return [f"**{name}**", *cells]


def markdown(head: Sequence[str], body: Iterable[Sequence[str]]) -> str:
    """A table whose first column is text and whose others are numbers.

    >>> print(markdown(["set", "cart"], [["car", "96.8"]]), end="")
    | set | cart |
    |---|---:|
    | car | 96.8 |
    """
    rule = "|---|" + "---:|" * (len(head) - 1)
    lines = [f"| {' | '.join(line)} |" for line in (head, *body)]
    return "\n".join([lines[0], rule, *lines[1:]]) + "\n"


def percent(share: float) -> str:
    """One place, as in 91.3."""
    return f"{100 * share:.1f}"


def short(number: float) -> str:
    """One place, or two where the number is below one."""
    return f"{number:.1f}" if number >= 1 else f"{number:.2f}"
