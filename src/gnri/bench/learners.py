"""Learners by name, ours and others'."""

from collections.abc import Callable, Sequence

import numpy as np

from gnri.bench.fitted import Codes, Fitted, Learner, Values, majority, mean_size
from gnri.bench.others import OTHERS
from gnri.bench.posterior import posterior
from gnri.bench.variants import VARIANTS, rule_of
from gnri.episodes.episode import Episode
from gnri.errors import GnriError
from gnri.estimator.learning import Induce, Inducing, learn_rules
from gnri.logic.formula import SignedDNF
from gnri.schema import IsTrue, Schema

RuleOf = Callable[[Episode], SignedDNF | None]


def learner_named(name: str) -> Learner:
    """A learner by its short name.

    `flat:2` is the search alone at a price of 2 errors for each literal; `gnri` is a model's one
    pass and `gnri+refine` the search from it, for any model that `induce` knows by name or folder.
    The names in `VARIANTS` are guided + refine with a part taken away, and `posterior` knows the
    prior of random tasks.
    Where all rows are of one class there is nothing to learn, and each of them answers that class.
    """
    if name in OTHERS:
        other = OTHERS[name]
        return lambda values, codes: (other if np.ptp(codes) else majority)(values, codes)
    if name == "posterior":
        return posterior
    if name.startswith("flat:"):
        return by_rules(_flat(name))
    if name in VARIANTS:
        return by_rules(
            lambda episode: rule_of(name, episode), lambda some: _glances(some, "guided")
        )
    model = name.removesuffix("+refine")
    return by_rules(
        lambda episode: _induce(episode, model, refine=model != name),
        lambda episodes: _glances(episodes, model),
    )


def weights_of(name: str) -> str:
    """Which weights a learner reads: the start of their SHA-256, nothing where it has none."""
    if name in OTHERS or name == "posterior" or name.startswith("flat:"):
        return ""
    from gnri.model.loading import load_model

    model = "guided" if name in VARIANTS else name.removesuffix("+refine")
    return str(getattr(load_model(model), "sha256", ""))[:12]


def by_rules(rule_of: RuleOf, glances: Induce | None = None) -> Learner:
    """Rules as `RuleClassifier` has them: one for two classes, more are asked for in turn.

    `glances` gives quick rules by which several classes are put in order, `rule_of` if none.
    """
    inducing = Inducing(_each(rule_of), glances or _each(rule_of))

    def fit(values: Values, codes: Codes) -> Fitted:
        classes, places = np.unique(codes, return_inverse=True)
        if len(classes) == 1:
            return Fitted(majority(values, codes).predict, rules=(None,))
        schema = Schema(tuple(IsTrue(f"x{atom}") for atom in range(values.shape[1])))
        ruleset = learn_rules(schema, values, classes, places, inducing)
        return measured(lambda rows: classes[ruleset.choose(rows)], ruleset.rules, values)

    return fit


def measured(
    predict: Callable[[Values], Codes], rules: Sequence[SignedDNF | None], values: Values
) -> Fitted:
    """What was fitted to these rows, with the sizes of its rules."""
    found = [rule for rule in rules if rule is not None]
    return Fitted(
        predict,
        tuple(rules),
        clauses=mean_size([len(rule.clauses) for rule in found]),
        literals=mean_size([rule.size for rule in found]),
        distinct=mean_size([distinct_literals(rule, values) for rule in found]),
    )


def distinct_literals(rule: SignedDNF, values: Values) -> int:
    """The literals of a rule, those of one clause that are true on the same rows counted once.

    >>> twice = np.array([[1, 1], [-1, -1]], np.int8)
    >>> distinct_literals(SignedDNF([[(0, True), (1, True)]]), twice)
    1
    """
    return sum(
        len({(values[:, atom] == (1 if sign else -1)).tobytes() for atom, sign in clause})
        for clause in rule.clauses
    )


def _flat(name: str) -> RuleOf:
    from gnri.search.prices import flat
    from gnri.search.refine import refine

    try:
        errors = float(name.removeprefix("flat:"))
    except ValueError:
        raise GnriError(f"a flat price is a number of errors, as in flat:1, got {name!r}") from None
    return lambda episode: refine(episode, flat(episode.atoms, errors)).rule


def _each(rule_of: RuleOf) -> Induce:
    return lambda episodes: [rule_of(episode) for episode in episodes]


def _glances(episodes: Sequence[Episode], model: str) -> list[SignedDNF | None]:
    from gnri.induction import glances

    return glances(episodes, model)


def _induce(episode: Episode, model: str, *, refine: bool) -> SignedDNF | None:
    from gnri.induction import induce

    return induce(episode, model=model, refine=refine).rule
