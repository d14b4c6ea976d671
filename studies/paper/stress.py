"""How much the accuracy on the rows shown changes when atoms are reordered or negated."""

from collections import Counter
from itertools import product

import numpy as np

from gnri.episode import Episode
from gnri.symmetry.group import Symmetry
from studies.benchmarks.learners import one_thread
from studies.benchmarks.one_against_rest import one_vs_rest_episodes
from studies.benchmarks.public_tables import split, table
from studies.markdown import distinct, grid, markdown, mean_figures
from studies.paper import PUBLISHED
from studies.paper.baseline_networks import ConditionInducer
from studies.paper.networks import inducer_of, signal
from studies.results import Row, Rows
from studies.study import Context, Piece, Study, pieces_of
from studies.training.streams import stable_seed

TRANSFORMS = {"atoms": ("atoms",), "negations": ("flips",)}


def measure(piece: Piece, context: Context) -> list[Row]:
    """Return a row for each fold, transform and draw; the draws are the same for every network."""
    settings = context.protocol.section("stress")
    name = str(piece["set"])
    encoded, _ = table(name, context.data_dir)
    inducer = inducer_of(context, str(piece["condition"]), piece["seed"])
    rows: list[Row] = []
    with one_thread():
        for fold in settings.folds:
            shown, _ = split(encoded.codes, fold)
            (episode,) = one_vs_rest_episodes(encoded.values[shown], encoded.codes[shown], [1])
            rng = np.random.default_rng(stable_seed("stress", name, fold))
            before = support_accuracy(inducer, episode)
            for transform, draw in product(TRANSFORMS, range(settings.draws)):
                g = Symmetry.random(episode, rng=rng, parts=TRANSFORMS[transform])
                accuracy = {"before": before, "after": support_accuracy(inducer, g(episode))}
                facts: Row = {"fold": fold, "transform": transform, "draw": draw}
                rows.append(facts | accuracy | {"checkpoint": inducer.sha256})
    return rows


def support_accuracy(inducer: ConditionInducer, episode: Episode) -> float:
    """Return how often the soft prediction is right on the rows it was made from."""
    positive = signal(inducer.condition, inducer(episode), episode.values) >= 0
    return float(np.mean(positive == (episode.labels == 1)))


def with_changes(rows: Rows) -> Rows:
    """Return the rows with the absolute change of support accuracy, in points."""
    return [
        row | {"change": str(100 * abs(float(row["after"]) - float(row["before"])))} for row in rows
    ]


def page(rows: Rows, _: Context) -> list[str]:
    """Return mean change by transform and condition, the paper's behind it; then by table."""
    rows, conditions = with_changes(rows), distinct(rows, "condition")
    trials = Counter((row["transform"], row["condition"]) for row in rows)
    whole, by_table = [], []
    for transform, *cells in _means(rows, conditions):
        paper = (PUBLISHED["stress"][transform][condition] for condition in conditions)
        said = [f"{ours} / {theirs:.2f}" for ours, theirs in zip(cells, paper, strict=True)]
        whole.append([transform, str(trials[transform, conditions[0]]), *said])
    for name in distinct(rows, "set"):
        here = [row for row in rows if row["set"] == name]
        by_table += [[name, *line] for line in _means(here, conditions)]
    return [
        markdown(["transform", "trials", *conditions], whole),
        markdown(["table", "transform", *conditions], by_table),
    ]


def _means(rows: Rows, conditions: list[str]) -> list[list[str]]:
    found = mean_figures(rows, "transform", "condition", "change")
    return grid(found, list(TRANSFORMS), conditions, "{:.2f}".format)


STUDY = Study(
    "stress",
    page,
    lambda s: pieces_of(set=s.sets, condition=s.conditions, seed=s.seeds),
    measure,
    on_cpu=True,
)
