"""How a frozen network fares as the table gets wider, beside anchors and our own learners."""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from gnri.episode import Episode
from gnri.estimator.baselines import RuleOf, cart
from gnri.induction import induce
from gnri.model.paper_export import canonical_export
from gnri.rules.dnf import Literal, SignedDNF
from studies import plotting
from studies.benchmarks.learners import one_thread, weights_of
from studies.markdown import distinct, markdown, spread_of
from studies.paper import PUBLISHED, episodes
from studies.paper.networks import SHIPPED, WIDE, network_of, scores_of
from studies.results import Row, Rows
from studies.study import Context, Piece, Settings, Study, pieces_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def majority(episode: Episode) -> None:
    """Give no rule at all: the answer is then the majority of the support labels."""


def best_literal(episode: Episode) -> SignedDNF | None:
    """Return the literal or constant of fewest errors; of an anchor, a tie may go by position."""
    agreement = episode.labels.astype(int) @ episode.values
    atom = int(np.abs(agreement).argmax())
    if abs(agreement[atom]) <= abs(int(episode.labels.sum())):
        return None
    return SignedDNF([[Literal(atom, bool(agreement[atom] > 0))]])


def guided(episode: Episode, *, refine: bool) -> SignedDNF | None:
    """Return the rule of our default model, in one pass or with the search that follows it."""
    with one_thread():
        return induce(episode, refine=refine).rule


ANCHORS: dict[str, RuleOf] = {
    "majority": majority,
    "best literal": best_literal,
    "cart": cart(),
    "guided": partial(guided, refine=False),
    "guided+refine": partial(guided, refine=True),
}
GUIDED = ("guided", "guided+refine")  # those that read weights


def pieces(settings: Settings) -> Sequence[Piece]:
    """Return a piece for each network or anchor and width, all widths of one network together."""
    answering: list[tuple[str, str | int]] = [(name, "") for name in settings.anchors]
    wide = (WIDE,) if settings.shipped else ()
    answering += [(name, seed) for name in (*settings.conditions, *wide) for seed in settings.seeds]
    answering += [(name, SHIPPED) for name in (*settings.shipped, *wide)]
    return [
        {"condition": name, "seed": seed, "atoms": atoms}
        for (name, seed), atoms in product(answering, settings.atoms)
    ]


def measure(piece: Piece, context: Context, study: str = "scaling") -> list[Row]:
    """Return the row of a network or of an anchor, which has no soft prediction to drift.

    A study without `draws` has no symmetries.
    """
    settings, atoms = context.protocol.section(study), int(piece["atoms"])
    name, draws = str(piece["condition"]), getattr(settings, "draws", 0)
    if name in ANCHORS:
        replies = partial(episodes.rule_replies, ANCHORS[name])
        found = episodes.figures(replies, atoms, settings.episodes, settings.fresh_rows)
        found |= dict.fromkeys(("label_jaccard", *DRIFTS) if draws else (), "")
        return [found | {"checkpoint": weights_of(name) if name in GUIDED else ""}]
    network, checkpoint = network_of(context, name, piece["seed"])
    found = episodes.network_figures(network, atoms, settings, draws)
    return [found | {"checkpoint": checkpoint}]


TITLES = {
    "support_accuracy": "Support accuracy",
    "fresh_fidelity": "Fresh fidelity",
    "coverage": "Coverage",
    "label_jaccard": "Jaccard under a label swap",
    "bn_max_dev": "Drift under reordered and negated atoms",
    "g_max_dev": "Drift under everything at once",
}
ORDER = (*ANCHORS, "nri", "eqarch", "gnri", f"gnri, {SHIPPED}", WIDE, f"{WIDE}, {SHIPPED}")
DRIFTS = ("bn_max_dev", "g_max_dev")


def page(rows: Rows, _: Context) -> list[str]:
    """Return every figure by width and model."""
    parts = [f"## {title}\n\n{_table(rows, figure)}" for figure, title in TITLES.items()]
    return ["![scaling](figures/scaling.svg)\n", *parts]


def _table(rows: Rows, figure: str, *, published: bool = True) -> str:
    found = {name: _figures(rows, name, figure) for name in columns_of(rows)}
    names = [name for name in found if found[name]]
    paper = PUBLISHED["headline"].get(figure, {}) if published else {}
    head = ["N", *names, *(["paper: nri", "paper: gnri"] if paper else [])]
    body = []
    for atoms in sorted({int(row["atoms"]) for row in rows}):
        cells = [_cell(found[name].get(atoms, []), figure) for name in names]
        known = paper.get(str(atoms))
        pairs = (known["baseline"], known["gnri"]) if known else ()
        cells += [f"{middle:.3f} ± {spread:.3f}" for middle, spread in pairs]
        body.append([str(atoms), *cells])
    return markdown(head, body)


def columns_of(rows: Rows) -> list[str]:
    """Return anchors, then the paper's conditions; bundled weights under a name of their own."""
    found = {_name(row) for row in rows}
    return [name for name in ORDER if name in found] + sorted(found - set(ORDER))


def _name(row: Mapping[str, str]) -> str:
    return f"{row['condition']}, {SHIPPED}" if row["seed"] == SHIPPED else row["condition"]


def _figures(rows: Rows, name: str, figure: str) -> dict[float, list[float]]:
    """Return the figures of all seeds by width."""
    found: dict[float, list[float]] = {}
    for row in rows:
        if _name(row) == name and row[figure]:
            found.setdefault(int(row["atoms"]), []).append(float(row[figure]))
    return found


def _cell(found: list[float], figure: str) -> str:
    if figure in DRIFTS and found and max(found) < 0.0005:
        return f"{sum(found) / len(found):.0e}"
    return spread_of(found)


def draw(rows: Rows) -> dict[str, "Figure"]:
    """Return the scaling curves, with a band of one deviation over the seeds."""
    figure = plotting.blank(11, 4.4)
    panels = figure.subplots(1, 2, sharey=True)
    for axes, column in zip(panels, ("support_accuracy", "fresh_fidelity"), strict=True):
        for name in columns_of(rows):
            found = _figures(rows, name, column)
            if found and SHIPPED not in name:
                plotting.curve(axes, found, name)
        plotting.widths(axes, sorted({int(row["atoms"]) for row in rows}))
        axes.set_title(TITLES[column])
        axes.set_ylim(0.35, 1.02)
    panels[0].set_ylabel("share of rows")
    panels[0].legend(fontsize=8)
    return {"scaling": figure}


# What `gnri-wide` was trained to reach, on average over eight seeds.
AIM = {12: 0.86, 32: 0.83, 128: 0.81, 512: 0.78, 1024: 0.77}
LEAST_COVERAGE = 0.97


def more_page(rows: Rows, context: Context) -> list[str]:
    """Return fidelity and coverage by width and model."""
    figures = ("fresh_fidelity", "coverage", "support_accuracy")
    parts = [
        f"## {TITLES[figure]}\n\n{_table(rows, figure, published=False)}" for figure in figures
    ]
    samples = context.rows("scaling"), rows
    head = ["N", "fidelity: aim", "100 tables", "800 tables"]
    head += ["coverage: aim", "100 tables", "800 tables"]
    body = []
    for atoms, aim in AIM.items():
        cells = [str(atoms)]
        for figure, wanted in (("fresh_fidelity", aim), ("coverage", LEAST_COVERAGE)):
            found = [_figures(some, WIDE, figure).get(atoms, []) for some in samples]
            cells += [f"{wanted:.2f}", *map(spread_of, found)]
        body.append(cells)
    return [*parts, f"## Aim, and two samples\n\n{markdown(head, body)}"]


def measure_clauses(piece: Piece, context: Context) -> list[Row]:
    """Return how the bundled G-NRI fares on hidden rules of so many clauses."""
    settings = context.protocol.section("bottleneck")
    network, checkpoint = network_of(context, "gnri", SHIPPED)
    size = int(piece["atoms"]), settings.episodes, settings.fresh_rows
    drawn, *unseen = episodes.synthetic_episodes(*size, clauses=int(piece["clauses"]))
    found = []
    for index, (scores, fresh, truth) in enumerate(
        zip(scores_of(network, drawn.batch), *unseen, strict=True)
    ):
        episode = drawn.batch.episode(index)
        rule = canonical_export(scores, episode).rule
        said = (episodes.answer(some, episode, fresh.numpy()) for some in (rule, None))
        found.append([np.mean(answers == truth.numpy()) for answers in said])
    right, majority = np.array(found).T
    shares = {"fresh_fidelity": right.mean(), "recovered": (right == 1).mean()}
    shares |= {"majority": majority.mean()}
    return [{name: float(share) for name, share in shares.items()} | {"checkpoint": checkpoint}]


def clauses_page(rows: Rows, _: Context) -> list[str]:
    """Return a line for each number of clauses, and what each width makes of it."""
    widths = distinct(rows, "atoms")
    names = ("fresh_fidelity", "majority", "recovered")
    places = [(atoms, name) for atoms in widths for name in names]
    found = {(r["clauses"], r["atoms"]): r for r in rows}
    body = [
        [clauses, *(f"{float(found[clauses, atoms][name]):.3f}" for atoms, name in places)]
        for clauses in distinct(rows, "clauses")
    ]
    head = [f"N = {atoms}: {name.replace('_', ' ')}" for atoms, name in places]
    return [markdown(["clauses", *head], body)]


STUDY = Study("scaling", page, pieces, measure, draw)
MORE_STUDY = Study("more_tables", more_page, pieces, partial(measure, study="more_tables"))
CLAUSES_STUDY = Study(
    "bottleneck",
    clauses_page,
    lambda s: pieces_of(clauses=s.clauses, atoms=s.atoms),
    measure_clauses,
)
