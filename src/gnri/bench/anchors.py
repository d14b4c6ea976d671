"""What a figure is worth: the majority class, one literal, and a tree fitted to each table."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from gnri.auditing.learners import cart
from gnri.bench.results import Row, append, provenance
from gnri.bench.scaling import ATOMS, EPISODES, Reply, answer, figures
from gnri.episodes.batch import Batch
from gnri.episodes.episode import Episode
from gnri.logic.formula import Literal, SignedDNF

Learner = Callable[[Episode], SignedDNF | None]


def majority(episode: Episode) -> None:
    """No rule at all: the answer is then the majority of the support labels."""


def best_literal(episode: Episode) -> SignedDNF | None:
    """The one literal, or constant, with the fewest errors on the support; an anchor, so a tie
    may go by position.
    """
    agreement = episode.labels.astype(int) @ episode.values
    atom = int(np.abs(agreement).argmax())
    if abs(agreement[atom]) <= abs(int(episode.labels.sum())):
        return None
    return SignedDNF([[Literal(atom, bool(agreement[atom] > 0))]])


ANCHORS: dict[str, Learner] = {
    "majority": majority,
    "best literal": best_literal,
    "cart": cart(),
}


def evaluate(learner: Learner, atoms: int, count: int = EPISODES) -> Row:
    """The figures of a learner, which predicts by its rule alone."""

    def replies(batch: Batch) -> Iterator[Reply]:
        for index in range(len(batch)):
            episode = batch.episode(index)
            rule = learner(episode)
            yield rule, answer(rule, episode, episode.values)

    return figures(replies, atoms, count)


def measure(results: Path) -> None:
    """Add a row for each anchor and width to `results`."""
    for name, learner in ANCHORS.items():
        facts: Row = {"condition": name, "seed": "", "batch_size": "", "checkpoint": ""}
        for atoms in ATOMS:
            append(results, [facts | evaluate(learner, atoms) | provenance("cpu")])
