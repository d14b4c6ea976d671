"""Where does the rule change? Audited pairs by how far the forward pass drifted."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import floor, log10
from typing import TYPE_CHECKING, Any

import numpy as np

from gnri.episode import Episode
from gnri.symmetry.audit_report import same
from gnri.symmetry.transforms import TRANSFORMS
from studies import plotting
from studies.benchmarks.learners import one_thread
from studies.markdown import distinct, markdown, share_of
from studies.paper.episodes import synthetic_episodes
from studies.paper.networks import ScoredModel, load_variant
from studies.results import Row, Rows
from studies.study import Context, Piece, Study, pieces_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NONE = "none"  # the bin of pairs that did not drift at all


@dataclass(frozen=True, slots=True)
class Trial:
    """One episode under one symmetry."""

    prediction: float  # largest change of a row's prediction
    scores: float  # largest change of a score that the decoder reads
    margin: float  # distance to the decision that could change the rule
    equal: bool


def measure(piece: Piece, context: Context) -> list[Row]:
    """Count pairs and equivalent rules in each bin of drift, and within the margin."""
    settings = context.protocol.section("drift")
    inducer, weights = load_variant(context, str(piece["variant"]), piece["seed"])
    batch = synthetic_episodes(int(piece["atoms"]), settings.episodes, 1)[0].batch
    with one_thread():
        trials = [t for i in range(len(batch)) for t in trials_of(inducer, batch.episode(i), i)]
    inside = [trial for trial in trials if 2 * trial.scores < trial.margin]
    binned = [("prediction", bin_of(trial.prediction), trial.equal) for trial in trials]
    binned += [("scores", bin_of(trial.scores), trial.equal) for trial in trials]
    binned += [("within margin", "", trial.equal) for trial in inside]
    pairs = Counter((by, where) for by, where, _ in binned)
    equal = Counter((by, where) for by, where, kept in binned if kept)
    return [
        {"by": by, "bin": where, "pairs": count, "equal": equal[by, where], "checkpoint": weights}
        for (by, where), count in sorted(pairs.items())
    ]


def trials_of(inducer: ScoredModel, episode: Episode, index: int) -> Iterator[Trial]:
    """Yield the episode under each of the thirteen symmetries, as the audit draws them."""
    rng = np.random.default_rng([0, index])
    scores, prediction = inducer.scores(episode), inducer.predict(episode)
    exported = inducer(episode)
    for g in [transform(episode, rng=rng) for transform in TRANSFORMS.values()]:
        moved, wanted = g(episode), g(scores)
        found, after = inducer(moved), inducer.scores(moved)
        expected = 1 - prediction if g.label else prediction
        pairs = (wanted.literals, after.literals), (wanted.gates, after.gates)
        yield Trial(
            float(np.abs(inducer.predict(moved)[list(g.rows)] - expected).max()),
            max(float(np.abs(left - right).max()) for left, right in pairs),
            min(exported.margin, found.margin),
            same(g(exported.rule), found.rule, atoms=episode.atoms),
        )


def bin_of(drift: float) -> str:
    """Return the power of ten that a drift lies at or above, -2 for 0.02."""
    return NONE if drift == 0 else str(floor(log10(drift)))


TITLES = {
    "prediction": "By the drift of the prediction",
    "scores": "By the drift of the scores that are decoded",
}
LOOKS = {
    "native forward": plotting.Look("#CC79A7", "gnri, ties cut by index", "--", "v"),
    "nri + canonical decode": plotting.Look("#D55E00", "nri, canonical decode", marker="s"),
}
VARIANTS = ("gnri", "native forward", "nri + canonical decode")


def page(rows: Rows, _: Context) -> list[str]:
    """Return a table for each kind of drift, a line for each bin and a column for each variant."""
    variants = distinct(rows, "variant", VARIANTS)
    parts = []
    for by, title in TITLES.items():
        counts = [count_pairs(rows, by, variant) for variant in variants]
        body = [
            [
                where if where == NONE else f"1e{where} to 1e{int(where) + 1}",
                *(_cell(pairs, where) for pairs in counts),
            ]
            for where in bins_of(rows, by)
        ]
        parts.append(f"## {title}\n\n{markdown(['drift', *variants], body)}")
    inside = [_cell(count_pairs(rows, "within margin", variant), "") for variant in variants]
    parts.insert(0, "![drift](figures/drift.svg)\n")
    return [*parts, f"## Within the margin\n\n{markdown(['', *variants], [['equal', *inside]])}"]


Counts = Mapping[str, tuple[int, int]]  # by bin: pairs, and those whose rules are equivalent


def count_pairs(rows: Rows, by: str, variant: str) -> Counts:
    """Return the pairs of all seeds and widths."""
    found: dict[str, tuple[int, int]] = {}
    for row in rows:
        if (row["by"], row["variant"]) == (by, variant):
            pairs, equal = found.get(row["bin"], (0, 0))
            found[row["bin"]] = pairs + int(row["pairs"]), equal + int(row["equal"])
    return found


def bins_of(rows: Rows, by: str) -> list[str]:
    """Return the bins in order: no drift, then by powers of ten."""
    found = {row["bin"] for row in rows if row["by"] == by}
    return [NONE] * (NONE in found) + sorted(found - {NONE}, key=int)


def _cell(counts: Counts, where: str) -> str:
    if where not in counts:
        return "-"
    pairs, equal = counts[where]
    return f"{share_of(equal / pairs)} ({pairs})"


def draw_figures(rows: Rows) -> dict[str, "Figure"]:
    """Return equivalent rules by drift, and how many pairs there are of each."""
    figure = plotting.blank(11, 5)
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
    for variant in distinct(rows, "variant", VARIANTS):
        found = {
            nowhere if where == NONE else int(where): counts
            for where, counts in count_pairs(rows, by, variant).items()
        }
        places = sorted(found)
        shares = [found[place][1] / found[place][0] for place in places]
        look = LOOKS.get(variant) or plotting.look_of(variant)
        style: dict[str, Any] = {"color": look.colour, "marker": look.marker, "label": look.label}
        top.plot(places, shares, look.line, **style)
        bottom.plot(places, [found[place][0] for place in places], look.line, **style)
    ticks = range(nowhere, max(powers) + 1)
    top.set_ylim(-0.03, 1.05)
    bottom.set_yscale("log")
    bottom.minorticks_off()
    bottom.set_xticks(ticks, ["none", *(f"$10^{{{power}}}$" for power in ticks[1:])])
    bottom.set_xlabel("drift, at or above")


STUDY = Study(
    "drift",
    page,
    lambda s: pieces_of(variant=s.variants, seed=s.seeds, atoms=s.atoms),
    measure,
    draw_figures,
    on_cpu=True,
)
