"""What the growth of time and memory was, drawn from the CSV file; never typed."""

from pathlib import Path

import numpy as np

from studies.benchmarks.bandwidth import Bandwidth
from studies.benchmarks.picture import figure_for, write_svg
from studies.benchmarks.scale import COMPARED, GROWING
from studies.benchmarks.tables import Rows, in_order, markdown, short

_LARGE = {"rows": 10_000, "atoms": 1_000}
"""From where growth is fitted: below, what a fit takes on any table hides it."""


def report(rows: Rows, band: Bandwidth | None = None) -> str:
    """Seconds, memory, accuracy and size side by side, then growth."""
    learners = in_order(rows, "learner")
    parts = [
        "# Time and memory\n",
        "Fair coins with a rule of three clauses, wrong of one row in twenty; seconds of one "
        "processor, the peak of memory of a process of its own, accuracy by the hidden rule on "
        "new rows.\n",
    ]
    for figure, title in _TITLES.items():
        parts += [f"## {title}\n", _side_by_side(rows, learners, figure)]
    parts += ["## Growth\n", _growth(rows), _curve(rows, "rows"), _curve(rows, "atoms")]
    if band is not None:
        parts += ["## Beside the memory\n", _band(band)]
    return "\n".join(parts)


_TITLES = {
    "seconds": "Seconds",
    "peak_mb": "Peak of memory, MB",
    "accuracy": "Accuracy",
    "clauses": "Clauses, or leaves",
}


def exponent(rows: Rows, learner: str, axis: str) -> float | None:
    """The slope of log seconds by log rows, or log atoms, on the larger tables."""
    points = [
        (int(row[axis]), float(row["seconds"]))
        for row in curve(rows, learner, axis)
        if int(row[axis]) >= _LARGE[axis]
    ]
    if len(points) < 2:
        return None
    x, y = np.log(np.array(points)).T
    return float(np.polyfit(x, y, 1)[0])


def curve(rows: Rows, learner: str, axis: str) -> Rows:
    """The measured rows along one axis, the other one held."""
    other, held = {"rows": ("atoms", "32"), "atoms": ("rows", "1000")}[axis]
    found = [row for row in rows if row["learner"] == learner and row[other] == held]
    return sorted((row for row in found if row["seconds"]), key=lambda row: int(row[axis]))


def draw(rows: Rows, path: Path) -> None:
    """Seconds by rows and by atoms, both on logarithmic axes, as SVG."""
    figure = figure_for(path, (9, 4))
    for place, axis in enumerate(("rows", "atoms"), start=1):
        label = {"rows": "rows of 32 atoms", "atoms": "atoms, 1,000 rows"}[axis]
        axes = figure.add_subplot(1, 2, place, xlabel=label, ylabel="seconds of one processor")
        for learner in in_order(rows, "learner"):
            points = curve(rows, learner, axis)
            if len(points) > 1:
                x, y = ([float(row[name]) for row in points] for name in (axis, "seconds"))
                axes.loglog(x, y, marker="o", markersize=3, label=learner)
        axes.grid(alpha=0.3)
        if axes.lines:
            axes.legend(fontsize="small")
    write_svg(figure, path)


def _side_by_side(rows: Rows, learners: list[str], figure: str) -> str:
    found = {(row["learner"], int(row["rows"]), int(row["atoms"])): row for row in rows}
    body = [
        [f"{long:,} x {wide}", *(_cell(found.get((name, long, wide)), figure) for name in learners)]
        for long, wide in COMPARED
    ]
    return markdown(["rows x atoms", *learners], body)


def _cell(row: dict[str, str] | None, figure: str) -> str:
    if row is None or not (row[figure] or row["why"]):
        return "-"
    if row["why"]:
        return row["why"] if figure == "seconds" else "-"
    number = float(row[figure])
    return {"seconds": short, "accuracy": "{:.3f}".format}.get(figure, "{:,.0f}".format)(number)


def _growth(rows: Rows) -> str:
    body = [
        [name, *("-" if e is None else f"{e:.2f}" for e in exponents)]
        for name in GROWING
        if any(exponents := [exponent(rows, name, axis) for axis in ("rows", "atoms")])
    ]
    least = f"from {_LARGE['rows']:,} rows and from {_LARGE['atoms']:,} atoms"
    table = markdown(["learner", "in rows", "in atoms"], body)
    return f"Exponents of seconds, fitted {least} up.\n\n{table}"


def _curve(rows: Rows, axis: str) -> str:
    names = [name for name in GROWING if curve(rows, name, axis)]
    by_size = {name: {row[axis]: row for row in curve(rows, name, axis)} for name in names}
    sizes = sorted({size for found in by_size.values() for size in found}, key=int)
    head = [axis, *(f"{name}, {what}" for name in names for what in ("s", "MB"))]
    body = [
        [
            f"{int(size):,}",
            *(
                _cell(by_size[name].get(size), figure)
                for name in names
                for figure in ("seconds", "peak_mb")
            ),
        ]
        for size in sizes
    ]
    return markdown(head, body)


def _band(band: Bandwidth) -> str:
    return (
        f"One core reads {band.memory / 1e9:.1f} GB of memory a second. A count of 64 literals for "
        f"one selection reads {band.counting / 1e9:.1f} GB of packed rows a second, "
        f"{100 * band.counting / band.memory:.0f} % of that: {band.rows / 1e6:,.0f} million rows a "
        "second.\n"
    )
