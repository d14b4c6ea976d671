"""The promise, tried on the very table: change it, induce again, compare with ==."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from gnri.episode import Episode
from gnri.report.facts import Verdict
from gnri.rules.dnf import SignedDNF
from gnri.symmetry.group import Symmetry

CHANGES = (
    ("rows in another order", "the same rule", ("rows",)),
    ("columns in another order", "the same rule, its columns moved along", ("atoms",)),
    ("some columns negated", "the same rule, their literals negated", ("flips",)),
    ("the two labels swapped", "the complement of the rule", ("label",)),
    (
        "all of this at once",
        "the rule, changed in all these ways",
        ("rows", "atoms", "flips", "label"),
    ),
)


def check_symmetry(
    episodes: Sequence[Episode],
    rules: Sequence[SignedDNF | None],
    induce: Callable[[Episode], SignedDNF | None],
    *,
    negations: bool = True,
    rng: np.random.Generator,
) -> tuple[Verdict, ...]:
    """Whether `induce(g(episode)) == g(rule)`, for a random g of each kind on each episode.

    Without `negations` a clause may not say `not`, so nothing is promised of negated columns.
    """
    verdicts = []
    for change, promise, parts in CHANGES:
        moved = [part for part in parts if negations or part != "flips"]
        kept = None
        if moved:
            trials = [(_random(episode, moved, rng), episode) for episode in episodes]
            kept = all(
                induce(g(episode)) == g(rule)
                for (g, episode), rule in zip(trials, rules, strict=True)
            )
        verdicts.append(Verdict(change, promise, kept))
    return tuple(verdicts)


def _random(episode: Episode, parts: Sequence[str], rng: np.random.Generator) -> Symmetry:
    """A random element that always swaps the labels if it may, since else it might try nothing."""
    return replace(Symmetry.random(episode, rng=rng, parts=parts), label="label" in parts)
