"""Tables and the dumbbell figure of `capability`, ours beside the paper's."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import mean
from typing import TYPE_CHECKING

from studies.benchmarks.tables import Rows, in_order, markdown
from studies.paper.drawing import blank, look_of
from studies.paper.published.rq3 import CAPABILITY, NOT_ORIGINAL
from studies.paper.study import Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NETWORKS = ("nri", "eqarch", "gnri")
LEARNERS = ("majority", "logistic", "cart")
OURS = ("guided", "guided+refine")

Means = dict[tuple[str, str], float]
"""Accuracy in % by table and condition, over folds and seeds."""


def means(rows: Rows, column: str = "accuracy") -> Means:
    """The mean of a column for each table and condition; bundled weights are left out."""
    found: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        if row["seed"] != "shipped":
            found.setdefault((row["set"], row["condition"]), []).append(float(row[column]))
    return {key: 100 * mean(values) for key, values in found.items()}


def tables(results: Results) -> dict[str, str]:
    """Accuracy by table and condition, the paper's figure behind ours; then what is hidden."""
    rows = results.rows("capability")
    if not rows:
        return {}
    found = means(rows)
    sets = in_order(rows, "set")
    parts = [
        "# Public tables\n",
        "Accuracy, %, five stratified folds; networks and CART over the seeds. Behind the stroke "
        "stands the paper's figure (tab:realdata-perds). Networks are frozen, the others fitted "
        "to each table. MUTAG's features and the scenes of CLEVR-Hans3 are not the paper's.\n",
        _accuracies(found, sets),
        _anchors(found, sets),
        _below_majority(found, sets),
        _several_classes(rows, sets),
        _shipped(rows),
        "![dumbbells](figures/capability.svg)\n",
    ]
    return {"capability": "\n".join(part for part in parts if part)}


def _accuracies(found: Means, sets: Sequence[str]) -> str:
    columns = [c for c in (*LEARNERS, *NETWORKS, *OURS) if any(c == name for _, name in found)]
    body = [[name, *(_cell(found, name, column) for column in columns)] for name in sets]
    body.append(["**mean**", *(_mean_cell(found, sets, column) for column in columns)])
    return markdown(["table", *columns], body)


def _cell(found: Means, name: str, column: str) -> str:
    ours = f"{found[name, column]:.1f}" if (name, column) in found else "-"
    return ours if column in OURS else f"{ours} / {_paper(name, column):.1f}"


def _paper(name: str, column: str) -> float:
    return float(getattr(CAPABILITY[name], column))


def _mean_cell(found: Means, sets: Sequence[str], column: str) -> str:
    measured = [name for name in sets if (name, column) in found]
    ours = f"{mean(found[name, column] for name in measured):.1f}"
    if len(measured) < len(sets):
        return f"{ours} ({len(measured)} of {len(sets)})"
    if column in OURS:
        return ours
    return f"{ours} / {mean(_paper(name, column) for name in sets):.1f}"


def far_anchors(found: Means, sets: Iterable[str]) -> list[tuple[str, str, float]]:
    """Anchors more than a point from the paper's on tables that are the paper's own."""
    return [
        (name, column, found[name, column] - _paper(name, column))
        for column in LEARNERS
        for name in sets
        if name not in NOT_ORIGINAL
        and (name, column) in found
        and abs(found[name, column] - _paper(name, column)) > 1
    ]


def _anchors(found: Means, sets: Sequence[str]) -> str:
    if not any((name, column) in found for name in sets for column in LEARNERS):
        return ""
    far = [f"{column} on {name} ({gap:+.1f})" for name, column, gap in far_anchors(found, sets)]
    said = ", ".join(far) if far else "none"
    return f"Anchors more than a point from the paper's, on the tables that are its own: {said}.\n"


def _below_majority(found: Means, sets: Sequence[str]) -> str:
    lines = []
    for column in (*NETWORKS, *OURS):
        below = [
            name
            for name in sets
            if found.get((name, column), 100.0) < found.get((name, "majority"), 0.0)
        ]
        if any(name == column for _, name in found):
            lines.append(f"- {column}: {', '.join(below) if below else 'none'}")
    if not lines:
        return ""
    return "\n".join(["Tables on which always answering the majority is better:\n", *lines, ""])


def _several_classes(rows: Rows, sets: Sequence[str]) -> str:
    """The two ways to join the rules of several classes."""
    several = {row["set"] for row in rows if int(row["classes"]) > 2}
    soft, voted = means(rows), means(rows, "voted")
    body = [
        [name, column, f"{soft[name, column]:.1f}", f"{voted[name, column]:.1f}"]
        for name in sets
        if name in several
        for column in NETWORKS
        if (name, column) in soft
    ]
    if not body:
        return ""
    return (
        "Of several classes the table above takes that of the highest soft score, as we read the "
        "paper. Answered by the exported rules alone, each class by how often its rule was "
        "right:\n\n" + markdown(["table", "condition", "soft score", "exported rules"], body)
    )


def _shipped(rows: Rows) -> str:
    bundled = [row for row in rows if row["seed"] == "shipped"]
    if not bundled:
        return ""
    by_table = means([row | {"seed": ""} for row in bundled])
    return f"The bundled `gnri` weights: {mean(by_table.values()):.1f} on average.\n"


def figures(results: Results) -> Mapping[str, "Figure"]:
    """A line from the baseline to G-NRI for each table, widest first, with what it is worth."""
    rows = results.rows("capability")
    found = means(rows)
    ends = (
        ("nri", "gnri") if any(name == "nri" for _, name in found) else ("guided", "guided+refine")
    )
    sets = [name for name in in_order(rows, "set") if all((name, end) in found for end in ends)]
    if not sets:
        return {}
    atoms = {row["set"]: int(row["atoms"]) for row in rows}
    sets.sort(key=lambda name: (atoms[name], name))
    figure = blank(7.6, 0.3 * len(sets) + 1.3)
    axes = figure.add_subplot(xlabel="accuracy on rows held out, %")
    _dumbbells(axes, found, sets, ends)
    axes.set_yticks(range(len(sets)), [f"{name}  ({atoms[name]})" for name in sets])
    axes.set_ylim(-0.7, len(sets) - 0.3)
    axes.grid(False, axis="y")
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)
    figure.legend(loc="outside upper center", ncols=5, fontsize=8, handletextpad=0.4)
    return {"capability": figure}


def _dumbbells(axes: "Axes", found: Means, sets: Sequence[str], ends: tuple[str, str]) -> None:
    low, high = ends
    for height, name in enumerate(sets):
        better = found[name, high] >= found[name, low]
        axes.plot(
            [found[name, low], found[name, high]],
            [height, height],
            color=look_of(high if better else low).colour,
            linewidth=3,
            alpha=0.35,
            solid_capstyle="round",
            zorder=2,
        )
    for end in ends:
        _marks(axes, [found[name, end] for name in sets], end, look_of(end).marker, 42)
    worth = {"majority": ("|", 90), "cart": ("d", 34), "guided+refine": ("X", 44)}
    for end, (marker, size) in worth.items():
        if end not in ends and all((name, end) in found for name in sets):
            _marks(axes, [found[name, end] for name in sets], end, marker, size)


def _marks(axes: "Axes", places: Sequence[float], name: str, marker: str, size: float) -> None:
    look, stroke = look_of(name), marker == "|"
    axes.scatter(
        places,
        range(len(places)),
        s=size,
        color=look.colour,
        marker=marker,
        zorder=3 if stroke else 4 + (size < 40),  # a small mark is seen on a large one
        label=look.label,
        edgecolors=None if stroke else "white",
        linewidths=1.6 if stroke else 0.6,
    )
