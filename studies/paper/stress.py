"""How much the accuracy on the rows shown changes when atoms are reordered or negated."""

from collections.abc import Iterator, Sequence
from statistics import mean

import numpy as np

from gnri.episode import Episode
from gnri.estimator.multiclass import one_vs_rest_episodes
from gnri.model.threads import one_thread
from gnri.symmetry.group import Symmetry
from studies.benchmarks.public_tables import split, table
from studies.markdown import distinct, markdown
from studies.paper import page
from studies.paper.baseline_networks import ConditionInducer
from studies.paper.networks import inducer_of, signal
from studies.paper.published import STRESS
from studies.results import Row, Rows
from studies.study import Context, Piece, Protocol, Study, pieces_of
from studies.training.streams import stable_seed

TRANSFORMS = {"atoms": ("atoms",), "negations": ("flips",)}


def pieces(protocol: Protocol) -> Sequence[Piece]:
    """Return a piece for each table, condition and seed."""
    settings = protocol.section("stress")
    return pieces_of(set=settings.sets, condition=settings.conditions, seed=settings.seeds)


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
            (episode,) = one_vs_rest_episodes(encoded.values[shown], encoded.codes[shown], 2)
            rng = np.random.default_rng(stable_seed("stress", name, fold))
            found = _changes(inducer, episode, settings.draws, rng)
            rows += [{"fold": fold, **row, "checkpoint": inducer.sha256} for row in found]
    return rows


def _changes(
    inducer: ConditionInducer, episode: Episode, draws: int, rng: np.random.Generator
) -> Iterator[Row]:
    before = support_accuracy(inducer, episode)
    for transform, parts in TRANSFORMS.items():
        for draw in range(draws):
            moved = Symmetry.random(episode, rng=rng, parts=parts)(episode)
            after = support_accuracy(inducer, moved)
            yield {"transform": transform, "draw": draw, "before": before, "after": after}


def support_accuracy(inducer: ConditionInducer, episode: Episode) -> float:
    """Return how often the soft prediction is right on the rows it was made from."""
    positive = signal(inducer.condition, inducer(episode), episode.values) >= 0
    return float(np.mean(positive == (episode.labels == 1)))


def changes(rows: Rows, transform: str, condition: str) -> list[float]:
    """Return the absolute changes of support accuracy, in points."""
    return [
        100 * abs(float(row["after"]) - float(row["before"]))
        for row in rows
        if (row["transform"], row["condition"]) == (transform, condition)
    ]


def tables(context: Context) -> dict[str, str]:
    """Return mean change by transform and condition, the paper's behind it; then by table."""
    rows = context.rows("stress")
    if not rows:
        return {}
    conditions = distinct(rows, "condition")
    whole = [
        [transform, str(len(changes(rows, transform, conditions[0])))]
        + [
            f"{_mean(rows, transform, condition)} / {paper[condition]:.2f}"
            for condition in conditions
        ]
        for transform, paper in STRESS.items()
    ]
    by_table = [
        [name, transform]
        + [
            _mean([row for row in rows if row["set"] == name], transform, condition)
            for condition in conditions
        ]
        for name in distinct(rows, "set")
        for transform in TRANSFORMS
    ]
    return page(
        "stress",
        markdown(["transform", "trials", *conditions], whole),
        markdown(["table", "transform", *conditions], by_table),
    )


def _mean(rows: Rows, transform: str, condition: str) -> str:
    found = changes(rows, transform, condition)
    return f"{mean(found):.2f}" if found else "-"


STUDY = Study("stress", pieces, measure, tables, on_cpu=True)
