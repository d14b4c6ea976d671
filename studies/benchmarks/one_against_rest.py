"""Several classes as in the paper: a rule for each against the rest, and the best score wins.

A class scores (t + 1) / (n + 2): t of the n training rows on which its rule says the same are of
the class, where the rule is unknown or absent t of all n. Of equal scores that of the larger class
wins, and of equally large classes the first.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.counts.counter import Counter
from gnri.episode import Episode
from gnri.estimator import baselines
from gnri.estimator.baselines import RuleOf
from gnri.estimator.cross_validation import Codes, Values
from gnri.estimator.multiclass import Tasks
from gnri.rules.dnf import Literal, SignedDNF
from gnri.symmetry.group import Symmetry
from studies.benchmarks.fitted import Fitted, majority, measured
from studies.benchmarks.rule_learners import RipperRule, fit_ripper
from studies.training.streams import stable_seed

Rule = SignedDNF | RipperRule | None


def one_vs_rest_episodes(
    values: NDArray[np.int8], codes: NDArray[np.intp], kinds: Sequence[int]
) -> list[Episode]:
    """Return the episode of each of these classes, by index, against all others."""
    counter = Counter.from_values(values, codes, max(int(codes.max()), *kinds) + 1)
    return Tasks(counter, values.shape[1], kinds).episodes()


def one_against_rest(rule_of: Callable[[Episode], Any]) -> Callable[[Values, Codes], Fitted]:
    """Return a learner of `Rule`s: one for two classes, one for each of more."""

    def fit(values: Values, codes: Codes) -> Fitted:
        classes, places = np.unique(codes, return_inverse=True)
        if len(classes) == 1:
            return Fitted(majority(values, codes).predict, rules=(None,))
        kinds = [1] if len(classes) == 2 else range(len(classes))
        episodes = one_vs_rest_episodes(values, places, kinds)
        rules = tuple(rule_of(episode) for episode in episodes)
        ranks = ranks_of([_scores(*pair) for pair in zip(rules, episodes, strict=True)])
        larger = int(2 * places.sum() > len(places))

        def predict(rows: Values) -> Codes:
            truths = [_truth(rule, rows) for rule in rules]
            if len(classes) == 2:
                return classes[np.select([truths[0] == 1, truths[0] == -1], [1, 0], larger)]
            said = [of[truth + 1] for truth, of in zip(truths, ranks, strict=True)]
            return classes[np.argmax(said, axis=0)]

        return measured(predict, rules, values)

    return fit


Score = tuple[Fraction, int]  # how likely a class is, and how many rows it has


def ranks_of(scores: Sequence[Sequence[Score]]) -> NDArray[np.int64]:
    """Return the scores (classes, truths) as whole numbers that differ between classes.

    >>> half, whole = (Fraction(1, 2), 4), (Fraction(1), 4)
    >>> ranks_of([[half, half, whole], [half, whole, whole]]).tolist()
    [[1, 1, 3], [0, 2, 2]]
    """
    keys = [[(*score, -kind) for score in row] for kind, row in enumerate(scores)]
    order = {key: i for i, key in enumerate(sorted({key for row in keys for key in row}))}
    return np.array([[order[key] for key in row] for row in keys])


def _scores(rule: Rule, episode: Episode) -> list[Score]:
    """Return the scores where the rule is false, unknown and true."""
    member, truth = episode.labels == 1, _truth(rule, episode.values)
    sides = [member if said == 0 else member[truth == said] for said in (-1, 0, 1)]
    size = int(member.sum())
    return [(Fraction(int(side.sum()) + 1, len(side) + 2), size) for side in sides]


def _truth(rule: Rule, rows: Values) -> NDArray[np.int8]:
    return np.zeros(len(rows), np.int8) if rule is None else rule.evaluate(rows)


def rule_learner(name: str, seed: int) -> Callable[[Values, Codes], Fitted]:
    """Return a tree or RIPPER as a rule for each class, which answers by its rules alone."""
    rule_of = RULES[name]

    def found(episode: Episode) -> SignedDNF | None:
        rng = np.random.default_rng(stable_seed("order", seed))
        g = Symmetry.random(episode, rng=rng, parts=("rows", "atoms"))
        return (~g)(rule_of(g(episode)))

    return one_against_rest(found)


def ripper(episode: Episode) -> SignedDNF:
    """Return RIPPER's clauses without those that ask for a missing cell, as no literal can."""
    found = fit_ripper(episode.values, episode.labels == 1)
    return SignedDNF(
        [Literal(atom, cell == 1) for atom, cell in clause]
        for clause in found.clauses
        if all(cell for _, cell in clause)
    )


RULES: dict[str, RuleOf] = {
    "cart": baselines.cart(),
    "cart-16": baselines.cart(16),
    "ripper": ripper,
}
