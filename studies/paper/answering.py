"""A frozen network on a fold of a public table: its rules, and what it says of rows held out."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gnri.episode import Episode
from gnri.estimator.baselines import Codes, Values
from gnri.model.nri.config import Condition
from gnri.model.nri.nri import Inducer
from gnri.model.paper_export import export_of
from gnri.model.soft_truth import UNIT, soft_truth
from gnri.rules.dnf import SignedDNF
from gnri.scores import Scores
from studies.paper.checkpoints import network_of
from studies.paper.study import Place


def inducer_of(place: Place, condition: str, seed: str | int) -> Inducer:
    """The network of a condition and seed as it answers one table, on the CPU."""
    network, checkpoint = network_of(replace(place, device="cpu"), condition, seed)
    return Inducer(network, condition, checkpoint)


class Reader:
    """Reads episodes one after another, and remembers the scores of each."""

    def __init__(self, inducer: Inducer) -> None:
        self.inducer = inducer
        self.scores: list[Scores] = []

    def rule(self, episode: Episode) -> SignedDNF | None:
        """The exported rule, None where the network abstains."""
        scores = self.inducer(episode)
        self.scores.append(scores)
        return export_of(self.inducer.condition)(scores, episode).rule


def signal(condition: Condition, scores: Scores, values: Values) -> NDArray[np.int64]:
    """The soft prediction of each row, above or at zero where it is for the positive class.

    R_avg >= 1/2 is R(X, Y) >= R(X, 1 - Y); without label average it is R >= 1/2.
    """
    given, swapped = soft_truth(scores, values)
    return given - swapped if condition.label_average else 2 * given - UNIT


def highest(signals: NDArray[np.int64], codes: Codes) -> Codes:
    """The class with the highest signal in each row; of equal ones the larger, then the earlier.

    `signals` is (classes, rows), the classes those of the training `codes` in order.

    >>> highest(np.array([[1, 5], [1, 7]]), np.array([0, 4, 4]))
    array([4, 4])
    """
    classes, sizes = np.unique(codes, return_counts=True)
    order = np.argsort(-sizes, kind="stable")
    return classes[order][signals[order].argmax(0)]
