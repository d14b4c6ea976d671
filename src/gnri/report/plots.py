"""Plots of fitted rules with matplotlib, which is imported only here.

Names are drawn as they are: a dollar sign begins no formula.
"""

from collections.abc import Sequence
from textwrap import wrap
from typing import Any, NamedTuple

from matplotlib import pyplot

from gnri.errors import GnriError, escape
from gnri.estimator.fitting import Fitted
from gnri.estimator.summary import explain_no_rule, percent
from gnri.formats.conditions import format_value
from gnri.formats.text import headings
from gnri.report.coverage import find_coverage, measure_lines

HIT, MISS, SHADE, LINE = "#2a7f62", "#c4492d", "#6b707b", "#2b56a8"
WIDTH, ROW = 7.5, 0.3  # inches: of a figure, and of a line of it
WRAP, MOST_LINES = 44, 3  # characters of a label on a line, and lines of it


class Row(NamedTuple):
    """A line of a plot: its label, the lengths of its bar in two colours, and words behind it."""

    label: str
    hits: float = 0
    misses: float = 0
    words: str = ""
    heading: bool = False


def plot_rule(fitted: Fitted, ax: Any = None) -> Any:
    """Draw each clause with its rows and precision, or the points of each range or value."""
    points, rows = fitted.rule_list.unit is not None, list[Row]()
    titles = headings(fitted.minimized)
    if not fitted.minimized.steps:
        raise GnriError(f"there is no rule to draw. {explain_no_rule(fitted.statistics)}")
    for title, rule, lines in zip(titles, fitted.statistics, measure_lines(fitted), strict=False):
        rows.append(Row(title, heading=True))
        for clause in rule.clauses if not points else ():
            hits, covered = clause.figures.hits, clause.figures.covered
            words = f"{percent(clause.figures.precision)} % of {covered:,}"
            rows.append(Row(clause.text, hits, covered - hits, words))
        for name, cells in lines:
            rows.append(Row(name, heading=True))
            for cell in cells:
                words = f"{cell.points:g}"
                if cell.rows is not None:
                    share = "" if cell.share is None else f"{percent(cell.share)} % of "
                    words += f"   ({share}{cell.rows:,} rows)"
                more, less = max(cell.points, 0), min(cell.points, 0)
                rows.append(Row(cell.words, more, less, words))
    ax = _draw_rows(rows, ax, signed=points)
    if points:
        ax.set_xlabel("points\n(behind the bar: the share of the class among the training rows)")
    else:
        ax.set_xlabel("training rows that a clause covers")
        ax.legend(
            ("of the class it is for", "of others"), loc="upper right", ncols=2, frameon=False
        )
    return ax


def _draw_rows(rows: Sequence[Row], ax: Any, *, signed: bool) -> Any:
    """Draw a bar for each line, from the top down."""
    labels = ["\n".join(_shorten(one.label)) for one in rows]
    heights = [1 + 0.6 * label.count("\n") for label in labels]
    places = [sum(heights[:i]) + heights[i] / 2 for i in range(len(rows))]
    ax = _axes(ax, sum(heights))
    lefts = [0.0 if signed else one.hits for one in rows]
    ax.barh(places, [one.hits for one in rows], 0.62, color=HIT)
    ax.barh(places, [one.misses for one in rows], 0.62, left=lefts, color=MISS)
    for place, one in zip(places, rows, strict=True):
        end = max(one.hits, 0) if signed else one.hits + one.misses
        shift = {"xytext": (4, 0), "textcoords": "offset points", "va": "center"}
        ax.annotate(one.words, (end, place), **shift, fontsize=8, color=SHADE, parse_math=False)
    ax.set_yticks(places, labels, parse_math=False)
    for text, one in zip(ax.get_yticklabels(), rows, strict=True):
        text.set_fontweight("bold" if one.heading else "normal")
    ax.set_ylim(sum(heights), 0)
    ax.tick_params(axis="y", length=0)
    ax.margins(x=0.3)  # for the words behind the bars
    if signed:
        ax.axvline(0, color=SHADE, linewidth=0.8)
    else:
        ax.set_xlim(left=0)
    return ax


def plot_coverage(fitted: Fitted, ax: Any = None) -> Any:
    """Draw which training rows each clause covers, by class, and which are predicted wrong."""
    fitted.rows()  # raises without the training rows
    assert fitted.codes is not None and fitted.answers is not None, "they come with the rows"
    found = find_coverage(fitted.minimized, fitted.statistics, fitted.codes, fitted.answers)
    if not found.strips:
        raise GnriError("plot_coverage draws clauses, and there are none; see plot_rule()")
    classes = [
        f"{rule.target}: " if len(fitted.rule_list.steps) > 1 else "" for rule in fitted.statistics
    ]
    texts = [f"{classes[strip.rule]}{strip.text}" for strip in found.strips]
    labels = ["\n".join(_shorten(text)) for text in [*texts, "predicted wrong"]]
    ax = _axes(ax, 1.6 * len(labels) + 2)
    strips = [strip.bars for strip in found.strips] + [found.wrong]
    for place, bars in enumerate(strips):
        for bar in bars:
            colour = HIT if bar.right else MISS
            ax.barh(place, bar.end - bar.start, 0.8, bar.start, color=colour, alpha=bar.share)
    for (start, end), label in zip(found.sections, fitted.classes, strict=True):
        if end > start:
            name = escape(format_value(label.item() if hasattr(label, "item") else label))
            words = f"{name}\n{end - start:,} rows"
            middle = (start + end) / 2
            ax.text(middle, -0.7, words, ha="center", va="bottom", parse_math=False)
            ax.axvline(end, color=SHADE, linewidth=0.8)
    ax.set_yticks(range(len(labels)), labels, parse_math=False)
    ax.set_xlim(0, len(fitted.codes))
    ax.set_ylim(len(labels) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel("training rows, by class, then by the clauses that cover them")
    return ax


def plot_path(path: Sequence[dict[str, Any]], ax: Any = None) -> Any:
    """Draw held-out and training accuracy against the number of conditions."""
    if not path:
        raise GnriError("there is no rule, and so no path of rules to draw")
    ax = _axes(ax, 12)
    sizes = [one["conditions"] for one in path]
    for name, words, style in (("training", "training rows", "--"), ("held_out", "held out", "-")):
        shares, colour = [100 * one[name] for one in path], LINE if name == "held_out" else SHADE
        ax.plot(sizes, shares, style, marker="o", color=colour, label=words)
    majority = 100 * path[0]["majority"]
    ax.axhline(majority, color=SHADE, linewidth=0.8, linestyle=":", label="largest class")
    ax.set_xticks(sorted(set(sizes)))
    ax.set_xlabel("conditions")
    ax.set_ylabel("% of rows predicted right")
    ax.legend(frameon=False)
    return ax


def plot_operating_points(points: Sequence[dict[str, Any]], ax: Any = None) -> Any:
    """Draw precision over recall on rows held out, the chosen point marked."""
    ax, name = _axes(ax, 12), "total" if "total" in points[0] else "weight"
    drawn = [one for one in points if one["precision"] is not None]
    drawn.sort(key=lambda one: (one["recall"], -one["precision"]))
    for some, style in ((drawn, "o-" if name == "total" else "o"), (_chosen(drawn), "o")):
        places = [one["recall"] for one in some], [one["precision"] for one in some]
        ax.plot(*places, style, color=SHADE if some is drawn else LINE)
    for one in _chosen(drawn):
        place = one["recall"], one["precision"]
        ax.annotate(f"{name} {one[name]:g}", place, (6, 6), textcoords="offset points")
    ax.set(xlabel="recall on rows held out", ylabel="precision", xlim=(0, 1.02), ylim=(0, 1.05))
    return ax


def _chosen(points: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [one for one in points if one["chosen"]]


def _axes(ax: Any, lines: float) -> Any:
    """Return the axes, or those of a new figure for so many lines, without a frame around them."""
    if ax is None:
        _, ax = pyplot.subplots(figsize=(WIDTH, 1 + ROW * lines), layout="constrained")
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def _shorten(label: str) -> list[str]:
    """Return the lines of a label, the last cut off if there are too many."""
    lines = wrap(escape(label), WRAP, break_on_hyphens=False) or [""]
    return lines if len(lines) <= MOST_LINES else [*lines[: MOST_LINES - 1], f"{lines[2][:-1]}…"]
