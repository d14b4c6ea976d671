"""The check of a report finds a learner that breaks the promise, and passes one that keeps it."""

from pathlib import Path

import numpy as np
import pytest

from gnri.episode import Episode
from gnri.induction import induce
from gnri.model.load import load_model
from gnri.report.facts import check_symmetry
from gnri.rules.dnf import SignedDNF

MODEL = load_model(Path(__file__).parents[1] / "data" / "tiny-model")
VALUES = np.random.default_rng(0).choice([-1, 1], (60, 5))
EPISODE = Episode(VALUES, np.where((VALUES[:, 0] > 0) & (VALUES[:, 1] > 0), 1, -1))


def ours(episode: Episode) -> SignedDNF | None:
    return induce(episode, MODEL).rule


def kept(learner, negations: bool = True) -> list[bool | None]:
    return list(check_symmetry([(EPISODE, learner(EPISODE))], learner, negations).values())


def test_our_rules_pass() -> None:
    assert kept(ours) == [True] * 5


def test_negations_that_are_not_allowed_are_not_promised() -> None:
    assert kept(ours, negations=False) == [True, True, None, True, True]


@pytest.mark.parametrize(
    ("learner", "broken"),
    [
        (lambda episode: SignedDNF([[(0, bool(episode.labels[0] > 0))]]), "rows"),
        (lambda episode: SignedDNF([[(0, True)]]), "columns"),
        (lambda episode: SignedDNF([[(i, True) for i in range(5)]]), "negated"),
        (lambda episode: SignedDNF([[(i, True)] for i in range(5)]), "swapped"),
    ],
)
def test_a_learner_that_looks_at_what_it_must_not_is_found(learner, broken: str) -> None:
    changes = ["rows", "columns", "negated", "swapped", "all"]
    verdicts = dict(zip(changes, kept(learner), strict=True))
    assert verdicts[broken] is False
    assert verdicts["all"] is False
