"""The drift study on paper: how many rules stay equivalent, by how far the forward drifted."""

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from studies.benchmarks.tables import in_order, markdown
from studies.paper import drawing
from studies.paper.spread import share_of
from studies.paper.study import Results, Rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NONE = "none"
TITLES = {
    "prediction": "By the drift of the prediction",
    "scores": "By the drift of the scores that are decoded",
}
VARIANTS = ("gnri", "native forward", "nri + canonical decode")
LOOKS = {
    "native forward": drawing.Look("#CC79A7", "gnri, ties cut by index", "--", "v"),
    "nri + canonical decode": drawing.Look("#D55E00", "nri, canonical decode", marker="s"),
}
WORDS = """# Where does the rule change?

Audited (episode, symmetry) pairs by how far the forward pass drifted: the share whose rules are
logically equivalent, and in brackets how many pairs there are. The margin argument bounds the rule
by the drift of the scores that are decoded; the drift of the prediction is what the paper groups
by. `within margin` are the pairs whose score drift is below half the distance to the nearest
decision: the rule cannot change there.
"""


def tables(results: Results) -> dict[str, str]:
    """A table for each kind of drift, a line for each bin and a column for each variant."""
    rows = results.rows("drift")
    if not rows:
        return {}
    variants = in_order(rows, "variant", VARIANTS)
    parts = [WORDS]
    for by, title in TITLES.items():
        counts = {variant: counted(rows, by, variant) for variant in variants}
        body = [
            [_named(where), *(_cell(counts[variant], where) for variant in variants)]
            for where in bins_of(rows, by)
        ]
        parts.append(f"## {title}\n\n{markdown(['drift', *variants], body)}")
    inside = [_cell(counted(rows, "within margin", variant), "") for variant in variants]
    parts.append(f"## Within the margin\n\n{markdown(['', *variants], [['equal', *inside]])}")
    return {"drift": "\n".join(parts)}


Counts = Mapping[str, tuple[int, int]]
"""By bin: pairs, and those whose rules are equivalent."""


def counted(rows: Rows, by: str, variant: str) -> Counts:
    """The pairs of all seeds and widths."""
    pairs, equal = Counter[str](), Counter[str]()
    for row in rows:
        if (row["by"], row["variant"]) == (by, variant):
            pairs[row["bin"]] += int(row["pairs"])
            equal[row["bin"]] += int(row["equal"])
    return {where: (count, equal[where]) for where, count in pairs.items()}


def bins_of(rows: Rows, by: str) -> list[str]:
    """The bins in order: no drift, then by powers of ten."""
    found = {row["bin"] for row in rows if row["by"] == by}
    return [NONE] * (NONE in found) + sorted(found - {NONE}, key=int)


def _named(where: str) -> str:
    return NONE if where == NONE else f"1e{where} to 1e{int(where) + 1}"


def _cell(counts: Counts, where: str) -> str:
    if where not in counts:
        return "-"
    pairs, equal = counts[where]
    return f"{share_of(equal / pairs)} ({pairs})"


def figures(results: Results) -> dict[str, "Figure"]:
    """Equivalent rules by drift, and how many pairs there are of each."""
    rows = results.rows("drift")
    if not rows:
        return {}
    figure = drawing.blank(11, 5)
    panels = figure.subplots(2, 2, height_ratios=(3, 1), sharex="col")
    for (top, bottom), (by, title) in zip(panels.T, TITLES.items(), strict=True):
        _panel(top, bottom, rows, by)
        top.set_title(title)
    panels[0, 0].set_ylabel("share of rules that are equivalent")
    panels[1, 0].set_ylabel("pairs")
    panels[0, 0].legend(loc="lower left")
    return {"drift": figure}


def _panel(top: "Axes", bottom: "Axes", rows: Rows, by: str) -> None:
    powers = [int(where) for where in bins_of(rows, by) if where != NONE] or [0]
    nowhere = min(powers) - 1  # pairs that did not drift stand left of the smallest drift
    for variant in in_order(rows, "variant", VARIANTS):
        found = {
            nowhere if where == NONE else int(where): counts
            for where, counts in counted(rows, by, variant).items()
        }
        places = sorted(found)
        shares = [found[place][1] / found[place][0] for place in places]
        look = LOOKS.get(variant) or drawing.look_of(variant)
        style: dict[str, Any] = {"color": look.colour, "marker": look.marker, "label": look.label}
        top.plot(places, shares, look.line, **style)
        bottom.plot(places, [found[place][0] for place in places], look.line, **style)
    ticks = range(nowhere, max(powers) + 1)
    top.set_ylim(-0.03, 1.05)
    bottom.set_yscale("log")
    bottom.minorticks_off()
    bottom.set_xticks(ticks, ["none", *(f"$10^{{{power}}}$" for power in ticks[1:])])
    bottom.set_xlabel("drift, at or above")
