"""What a figure is worth: the majority class, one literal, a tree, and our own learners."""

from collections.abc import Callable

import numpy as np

from gnri.episode import Episode
from gnri.estimator.baselines import cart
from gnri.induction import induce
from gnri.model.threads import one_thread
from gnri.rules.dnf import Literal, SignedDNF

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


def guided(*, refine: bool) -> Learner:
    """Our default model, in one pass or with the search that follows it."""

    def rule_of(episode: Episode) -> SignedDNF | None:
        with one_thread():
            return induce(episode, refine=refine).rule

    return rule_of


ANCHORS: dict[str, Learner] = {
    "majority": majority,
    "best literal": best_literal,
    "cart": cart(),
    "guided": guided(refine=False),
    "guided+refine": guided(refine=True),
}
GUIDED = ("guided", "guided+refine")
"""Those that read weights."""
