"""Rows of figures as Markdown tables, and tables inside a page of prose."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from math import inf
from pathlib import Path
from statistics import mean, median, stdev

from gnri.atomic_write import write_atomically
from gnri.errors import GnriError
from studies.results import Rows

Figures = dict[tuple[str, str], float]  # the mean of a figure, by line and column
Show = Callable[[float], str]
SECTION = re.compile(r"(<!-- begin (\S+) -->\n)(.*?)(<!-- end \2 -->)", re.DOTALL)
HEADING = re.compile(r"\A# .*\n+")


def mean_figures(rows: Rows, line: str, column: str, figure: str) -> Figures:
    """Return the mean of `figure` for each line and column; empty cells are left out."""
    found = defaultdict(list)
    for row in rows:
        if row.get(figure):
            found[row[line], row[column]].append(float(row[figure]))
    return {place: mean(values) for place, values in found.items()}


def distinct(rows: Rows, name: str, first: Sequence[str] = ()) -> list[str]:
    """Return the values of a column, those of `first` before the others as they come."""
    found = dict.fromkeys(row[name] for row in rows)
    return [*(value for value in first if value in found), *(v for v in found if v not in first)]


def grid(
    found: Figures, lines: Sequence[str], columns: Sequence[str], show: Show
) -> list[list[str]]:
    """Return cells for each of `lines`, its name first; a dash where nothing was measured."""
    return [
        [line, *(show(found[line, c]) if (line, c) in found else "-" for c in columns)]
        for line in lines
    ]


def summary(found: Figures, name: str, columns: Sequence[str], show: Show) -> list[str]:
    """Return the mean, or the median, of each column; of how many lines, where some lack."""
    average = {"mean": mean, "median": median}[name]
    values = {c: [value for (_, column), value in found.items() if column == c] for c in columns}
    most = max(map(len, values.values()), default=0)
    cells = []
    for some in values.values():
        few = f" ({len(some)} of {most})" if len(some) < most else ""
        cells.append(show(average(some)) + few if some else "-")
    return [f"**{name}**", *cells]


def table(
    rows: Rows,
    keys: tuple[str, str],
    figure: str,
    show: Show,
    order: tuple[Sequence[str], Sequence[str]],
    averages: Sequence[str] = (),
) -> str:
    """Return the means of a figure by the `keys` of a line and a column; measured columns only."""
    found, (lines, columns) = mean_figures(rows, *keys, figure), order
    kept = [name for name in columns if any(column == name for _, column in found)]
    body = grid(found, lines, kept, show)
    return markdown([keys[0], *kept], body + [summary(found, a, kept, show) for a in averages])


def below_majority(
    found: Figures, lines: Sequence[str], columns: Sequence[str]
) -> dict[str, list[str]]:
    """Return for each column the lines on which always answering the majority is better."""
    least = {line: found.get((line, "majority"), -inf) for line in lines}
    return {
        column: [line for line in lines if found.get((line, column), inf) < least[line]]
        for column in columns
    }


def markdown(head: Sequence[str], body: Iterable[Sequence[str]]) -> str:
    """Return a table whose first column is text and whose others are numbers."""
    rule = "|---|" + "---:|" * (len(head) - 1)
    lines = [f"| {' | '.join(line)} |" for line in (head, *body)]
    return "\n".join([lines[0], rule, *lines[1:]]) + "\n"


def percent(share: float) -> str:
    """Return a share with one place, as in 91.3."""
    return f"{100 * share:.1f}"


def short(number: float) -> str:
    """Return a number with one place, or two where it is below one."""
    return f"{number:.1f}" if number >= 1 else f"{number:.2f}"


def spread_of(found: Sequence[float]) -> str:
    """Return mean and deviation; the figure alone where there is one, else a dash."""
    if not found:
        return "-"
    middle = f"{mean(found):.3f}"
    return middle if len(found) == 1 else f"{middle} ± {stdev(found):.3f}"


def share_of(share: float) -> str:
    """Return three places, cut and not rounded, so that only an exact 1 reads as 1.000."""
    return f"{int(share * 1000) / 1000:.3f}"


def fill_page(text: str, results: Path) -> str:
    """Return the page with NAME.md between the marks of each section NAME, without its title."""
    return SECTION.sub(lambda found: found[1] + _section(found[2], results) + found[4], text)


def refresh_page(page: Path, results: Path) -> None:
    """Fill the page anew; do nothing where there is none."""
    if page.exists():
        write_atomically(page, fill_page(page.read_text(encoding="utf-8"), results).encode())


def _section(name: str, results: Path) -> str:
    if "/" in name:
        raise GnriError(f"a section is the name of a table in {results}, got {name!r}")
    path = results / f"{name}.md"
    if not path.exists():
        return "Not measured yet.\n"
    text = HEADING.sub("", path.read_text(encoding="utf-8"))
    text = re.sub(r"^#", "##", text, flags=re.MULTILINE)
    return text.rstrip("\n").replace("](figures/", "](../results/figures/") + "\n"
