"""The figures of whatever answers the synthetic episodes: networks, anchors, the hidden rule."""

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from gnri.episode import Episode
from gnri.model.nri.gram_statistics import Batch
from gnri.model.nri.nri import Network
from gnri.model.paper_export import export_of
from gnri.rules.dnf import SignedDNF
from gnri.scores import Scores
from studies.benchmarks.results import Row
from studies.paper.reading import Predictions
from studies.paper.tasks import episodes_of

Reply = tuple[SignedDNF | None, NDArray[np.int8]]
"""The rule for an episode, and what is predicted for its own rows."""


def figures(
    replies: Callable[[Batch], Iterable[Reply]], atoms: int, count: int, fresh_rows: int
) -> Row:
    """Support accuracy scores the prediction for the rows that were shown, fresh fidelity the
    rule on new rows labelled by the hidden one, coverage how often there is a rule.
    """
    drawn, fresh, truth = episodes_of(atoms, count, fresh_rows)
    support, fidelity, covered = [], [], []
    for index, (rule, predicted) in enumerate(replies(drawn.batch)):
        episode = drawn.batch.episode(index)
        shown = episode.labels != 0
        support.append(np.mean(predicted[shown] == episode.labels[shown]))
        said = answer(rule, episode, fresh[index].numpy())
        fidelity.append(np.mean(said == truth[index].numpy()))
        covered.append(rule is not None)
    return {
        "support_accuracy": float(np.mean(support)),
        "fresh_fidelity": float(np.mean(fidelity)),
        "coverage": float(np.mean(covered)),
    }


def network_replies(
    network: Network, batch: Batch, scores: list[Scores], predictions: Predictions
) -> Iterable[Reply]:
    """The exported rule of each episode, and the sign of its soft prediction."""
    export = export_of(network.condition)
    labels = predictions.labels(network.condition).to(dtype=batch.labels.dtype).numpy()
    for index, given in enumerate(scores):
        yield export(given, batch.episode(index)).rule, labels[index]


def rule_replies(learner: Callable[[Episode], SignedDNF | None], batch: Batch) -> Iterable[Reply]:
    """The rule of a learner, which predicts by it alone."""
    for index in range(len(batch)):
        episode = batch.episode(index)
        rule = learner(episode)
        yield rule, answer(rule, episode, episode.values)


def answer(rule: SignedDNF | None, episode: Episode, values: NDArray[np.int8]) -> NDArray[np.int8]:
    """What a rule says of new rows; where it abstains, the majority of the support labels."""
    if rule is None:
        return np.full(len(values), 1 if episode.labels.sum() >= 0 else -1, np.int8)
    return rule.evaluate(values)
