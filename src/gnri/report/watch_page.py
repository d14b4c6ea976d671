"""A `WatchReport` as plain text and as one HTML page with small plots."""

from collections.abc import Sequence
from typing import NamedTuple

from gnri.errors import plural
from gnri.estimator.statistics import wilson
from gnri.estimator.summary import percent
from gnri.report.change_checks import Check, Part
from gnri.report.change_tests import Share, psi, ratio
from gnri.report.monitoring import WatchReport

SENTENCES = {
    "precision": "{what}: {now} of its rows are right, {then} expected",
    "coverage": "{what}: it covers {now} of the rows, {then} then",
    "class": "class {what}: {now} of the labels, {then} then",
    "open": "{what}: missing cells leave it open on {now} of the rows, {then} then",
    "missing": "column {what}: {now} of the cells are empty, {then} then",
    "unseen": "column {what}: {now} of the cells are categories that no training row had",
    "outside": "column {what}: {now} of the numbers are outside their range in training",
    "label": "{what}: {now} of the labels",
}
WIDTH, HEIGHT, EDGE = 176, 42, 4  # of a plot


class Plot(NamedTuple):
    """Shares in time: points with the ends of their intervals, and the share then."""

    points: list[tuple[float, float, float, float]]  # x, y, and the ends
    then: float
    since: float | None
    words: str


def describe_check(report: WatchReport, check: Check) -> str:
    """Return a sentence on a change."""
    said = SENTENCES[check.kind].format(
        what=check.what, then=_percent(check.then), now=_percent(check.now)
    )
    since = "" if check.since is None else f", since {report.slices[check.since].name}"
    return f"{said} (p = {check.p:.2g}{since})"


def write_text(report: WatchReport) -> str:
    """Return the figures of each part of the rules, then the alarms."""
    lines = [_first_line(report), ""]
    heads = ["covers then", "now", "psi", "right then", "now", "95 % interval", ""]
    table = [heads, *map(_cells, report.parts)]
    if all(part.labelled is None for part in report.parts):
        table = [[*row[:3], row[-1]] for row in table]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for row in table:
        *figures, text = row
        cells = map(str.rjust, figures, widths)
        lines.append(f"    {'  '.join(cells)}  {text}".rstrip())
    lines += ["", *report.notes]
    if report.broke_first is not None:
        lines.append(f"broke first: {report.broke_first.what}")
    if not report.alarms:
        lines.append("no alarm")
    return "\n".join([*lines, *(f"alarm: {describe_check(report, one)}" for one in report.alarms)])


def _first_line(report: WatchReport) -> str:
    now, labelled = report.now.counts.rows, report.now.labelled
    labels = "no labels" if labelled is None else f"{labelled.rows:,} with a label"
    return f"{plural(now, 'new row')} ({labels}), compared with {report.then.rows:,} then"


def _cells(part: Part) -> list[str]:
    old, new = part.then, part.now
    size = psi(old.coverage, new.coverage)
    cells = [_percent(old.coverage), _percent(new.coverage), f"{size:.3f}", "", "", "", part.text]
    if part.labelled is not None:
        low, high = wilson(*part.labelled.precision)
        now, interval = _percent(part.labelled.precision), f"{percent(low)} to {percent(high)} %"
        cells[3:6] = _percent(old.precision), now, interval
    return cells


def _percent(share: Share) -> str:
    return f"{percent(ratio(share))} %" if share[1] else "-"


def write_page(report: WatchReport) -> str:
    """Return the page; its content policy forbids scripts and loading."""
    from gnri.report.templates import render_template

    since = {(one.part, one.kind): one.since for one in report.alarms}
    rows = []
    for i, part in enumerate(report.parts):
        coverage = _plot(part.coverages, part.then.coverage, since.get((i, "coverage")))
        precision = None
        if part.labelled is not None:
            start = since.get((i, "precision"))
            precision = _plot(part.precisions, part.then.precision, start, intervals=True)
        rows.append((part, _cells(part), coverage, precision))
    return render_template(
        "watch.html.j2",
        report=report,
        head=_first_line(report),
        alarms=[describe_check(report, one) for one in report.alarms],
        checks=[(one, describe_check(report, one)) for one in report.checks if one.part is None],
        rows=rows,
    )


def _plot(
    shares: Sequence[Share], then: Share, since: int | None, *, intervals: bool = False
) -> Plot:
    """Return the plot of shares: with intervals up to 1, else as high as the largest of them."""
    old = ratio(then)
    top = 1.0 if intervals else max(0.01, old, *map(ratio, shares))
    step = (WIDTH - 2 * EDGE) / max(1, len(shares) - 1)

    def height(share: float) -> float:
        return HEIGHT - EDGE - (HEIGHT - 2 * EDGE) * min(share / top, 1.0)

    points = []
    for i, (a, n) in enumerate(shares):
        if n:
            low, high = wilson(a, n) if intervals else (a / n, a / n)
            points.append((EDGE + i * step, height(a / n), height(low), height(high)))
    words = ", ".join(_percent(one) for one in shares)
    start = None if since is None else max(0.0, EDGE + (since - 0.5) * step)
    return Plot(points, height(old), start, f"then {_percent(then)}; now {words}")
