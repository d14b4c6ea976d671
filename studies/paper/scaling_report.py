"""The scaling study on paper: a table for each figure, and the curves."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from studies.benchmarks.tables import markdown
from studies.paper import drawing
from studies.paper.checkpoints import SHIPPED
from studies.paper.published.rq2 import HEADLINE
from studies.paper.spread import spread_of
from studies.paper.study import Results, Rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TITLES = {
    "support_accuracy": "Support accuracy",
    "fresh_fidelity": "Fresh fidelity",
    "coverage": "Coverage",
    "label_jaccard": "Jaccard under a label swap",
    "bn_max_dev": "Drift under reordered and negated atoms",
    "g_max_dev": "Drift under everything at once",
}
ORDER = (
    *("majority", "best literal", "cart", "guided", "guided+refine"),
    *("nri", "eqarch", "gnri", f"gnri, {SHIPPED}"),
)
DRIFTS = ("bn_max_dev", "g_max_dev")
WORDS = """# Tables of growing width

Frozen networks, mean and deviation over the seeds; `gnri, shipped` is the one checkpoint that
comes with the package. Support accuracy scores the prediction on the rows that were shown, fresh
fidelity the exported rule on new rows. A drift is the largest change of a row's prediction,
averaged over episodes and random symmetries; under a label swap the rule and its complement are
compared by the literals they share. The paper's figures are those of tab:full_headline.
"""


def tables(results: Results) -> dict[str, str]:
    """Every figure by width and model."""
    rows = results.rows("scaling")
    if not rows:
        return {}
    parts = [WORDS]
    for figure, title in TITLES.items():
        parts.append(f"## {title}\n\n{_table(rows, figure)}")
    return {"scaling": "\n".join(parts)}


def _table(rows: Rows, figure: str) -> str:
    names = [name for name in columns_of(rows) if any(_figures(rows, name, figure).values())]
    paper = HEADLINE.get(figure, {})
    head = ["N", *names, *(["paper: nri", "paper: gnri"] if paper else [])]
    body = []
    for atoms in sorted({int(row["atoms"]) for row in rows}):
        cells = [_cell(_figures(rows, name, figure).get(atoms, []), figure) for name in names]
        known = paper.get(atoms)
        pairs = (known.baseline, known.gnri) if known else ()
        cells += [f"{middle:.3f} ± {spread:.3f}" for middle, spread in pairs]
        body.append([str(atoms), *cells])
    return markdown(head, body)


def columns_of(rows: Rows) -> list[str]:
    """Anchors, then the paper's conditions; bundled weights under a name of their own."""
    found = {_name(row) for row in rows}
    return [name for name in ORDER if name in found] + sorted(found - set(ORDER))


def _name(row: Mapping[str, str]) -> str:
    return f"{row['condition']}, {SHIPPED}" if row["seed"] == SHIPPED else row["condition"]


def _figures(rows: Rows, name: str, figure: str) -> dict[float, list[float]]:
    """The figures of all seeds by width."""
    found: dict[float, list[float]] = {}
    for row in rows:
        if _name(row) == name and row[figure]:
            found.setdefault(int(row["atoms"]), []).append(float(row[figure]))
    return found


def _cell(found: list[float], figure: str) -> str:
    if figure in DRIFTS and found and max(found) < 0.0005:
        return f"{sum(found) / len(found):.0e}"
    return spread_of(found)


def figures(results: Results) -> dict[str, "Figure"]:
    """The scaling curves, with a band of one deviation over the seeds, and the drifts."""
    rows = results.rows("scaling")
    if not rows:
        return {}
    drifting = [row for row in rows if row["bn_max_dev"]]  # anchors have no soft prediction
    drifts = {"scaling_drift": _drifts(drifting)} if drifting else {}
    return {"scaling": _curves(rows), **drifts}


def _curves(rows: Rows) -> "Figure":
    figure = drawing.blank(11, 4.4)
    left, right = figure.subplots(1, 2, sharey=True)
    for axes, name in ((left, "support_accuracy"), (right, "fresh_fidelity")):
        _draw(axes, rows, name)
        axes.set_ylim(0.35, 1.02)
        drawing.name_ends(axes)
    left.set_ylabel("share of rows")
    return figure


def _drifts(rows: Rows) -> "Figure":
    figure = drawing.blank(11, 4.2)
    for axes, name in zip(figure.subplots(1, 2, sharey=True), DRIFTS, strict=True):
        _draw(axes, rows, name)
        axes.set_yscale("symlog", linthresh=1e-8)
        axes.set_ylim(0, 2)
        axes.legend()
    return figure


def _draw(axes: "Axes", rows: Rows, figure: str) -> None:
    for name in columns_of(rows):
        found = _figures(rows, name, figure)
        if found and SHIPPED not in name:
            drawing.curve(axes, found, name)
    drawing.widths(axes, sorted({int(row["atoms"]) for row in rows}))
    axes.set_title(TITLES[figure])
