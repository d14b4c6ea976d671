"""Learners by name, ours and others'."""

from collections.abc import Sequence

import numpy as np

from gnri.episode import Episode
from gnri.errors import GnriError
from gnri.estimator.baselines import Learner, RuleOf, by_rules, majority
from gnri.rules.dnf import SignedDNF
from studies.benchmarks.others import OTHERS
from studies.benchmarks.posterior import posterior
from studies.benchmarks.variants import VARIANTS, rule_of


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
    from gnri.model.load import load_model

    model = "guided" if name in VARIANTS else name.removesuffix("+refine")
    return str(getattr(load_model(model), "sha256", ""))[:12]


def _flat(name: str) -> RuleOf:
    from gnri.search.prices import flat
    from gnri.search.refine import refine

    try:
        errors = float(name.removeprefix("flat:"))
    except ValueError:
        raise GnriError(f"a flat price is a number of errors, as in flat:1, got {name!r}") from None
    return lambda episode: refine(episode, flat(episode.atoms, errors)).rule


def _glances(episodes: Sequence[Episode], model: str) -> list[SignedDNF | None]:
    from gnri.induction import glances

    return glances(episodes, model)


def _induce(episode: Episode, model: str, *, refine: bool) -> SignedDNF | None:
    from gnri.induction import induce

    return induce(episode, model=model, refine=refine).rule
