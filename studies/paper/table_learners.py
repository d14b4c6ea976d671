"""What the networks are measured against on public tables, fitted to each of them.

A seed is an order of rows and columns: that is what such learners break their ties by, so another
order is another fit.
"""

from collections.abc import Callable

import numpy as np

from gnri.episode import Episode
from gnri.estimator.baselines import Codes, Fitted, Learner, Values, cart
from gnri.rules.dnf import Literal, SignedDNF
from gnri.symmetry.group import Symmetry
from studies.benchmarks.learners import learner_named
from studies.benchmarks.ripper import fit_ripper
from studies.paper.against_rest import against_the_rest
from studies.training.streams import stable_seed

RuleOf = Callable[[Episode], SignedDNF | None]


def fitted_by(name: str, seed: str | int) -> Learner:
    """A learner by name: `cart` and other names of the benchmarks, and logistic regression.

    Logistic regression is one against the rest, as the paper says of all that it does with more
    than two classes.
    """
    if name == "logistic":
        return _logistic
    if seed == "":
        return learner_named(name)
    return _reordered(learner_named(name), int(seed))


def rules_by(name: str, seed: int) -> Learner:
    """A tree or RIPPER read as a rule for each class, which then answers by its rules alone."""
    return against_the_rest(_moved(RULES[name], seed))


def ripper(episode: Episode) -> SignedDNF:
    """RIPPER's clauses; one that asks for a missing cell, which no literal can, is left out."""
    found = fit_ripper(episode.values, episode.labels == 1)
    return SignedDNF(
        [Literal(atom, cell == 1) for atom, cell in clause]
        for clause in found.clauses
        if all(cell for _, cell in clause)
    )


RULES: dict[str, RuleOf] = {"cart": cart(), "cart-16": cart(16), "ripper": ripper}


def _moved(rule_of: RuleOf, seed: int) -> RuleOf:
    """The rule found in another order of rows and atoms, said in the order that was given."""

    def found(episode: Episode) -> SignedDNF | None:
        g = Symmetry.random(episode, rng=_rng(seed), parts=("rows", "atoms"))
        return (~g)(rule_of(g(episode)))

    return found


def _reordered(learner: Learner, seed: int) -> Learner:
    def fit(values: Values, codes: Codes) -> Fitted:
        rng = _rng(seed)
        rows, atoms = rng.permutation(len(values)), rng.permutation(values.shape[1])
        fitted = learner(values[rows][:, atoms], codes[rows])
        return Fitted(lambda hidden: fitted.predict(hidden[:, atoms]), clauses=fitted.clauses)

    return fit


def _logistic(values: Values, codes: Codes) -> Fitted:
    from sklearn.linear_model import LogisticRegression
    from sklearn.multiclass import OneVsRestClassifier

    model = OneVsRestClassifier(LogisticRegression(max_iter=1000)).fit((values + 1) / 2, codes)
    return Fitted(lambda hidden: model.predict((hidden + 1) / 2))


def _rng(seed: int) -> np.random.Generator:
    return np.random.default_rng(stable_seed("order", seed))
