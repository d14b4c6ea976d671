"""What each part of guided + refine buys: the same search with one part taken away.

The critic still chooses among what the search found, unless it is the part taken away.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from gnri.counts.problem import Problem
from gnri.episode import Episode
from gnri.induction import best_rule, candidates, climb_shortest, search_candidates
from gnri.model.guided.candidates import Candidate, Guided, Scorer, shortest
from gnri.model.load import load_model
from gnri.model.nri.nri import NRI
from gnri.rules.dnf import SignedDNF
from gnri.search.limits import Limits, prices_from_logits, uniform_prices
from gnri.search.refine import climb_all


def _without_critic(scorer: Scorer, _: Episode) -> list[Candidate]:
    """Return the shortest description alone."""
    found = candidates(scorer)
    best = shortest(found)
    return [one for one in found if (one.length, one.key) == (best.length, best.key)]


def _from_nothing(scorer: Scorer, _: Episode) -> list[Candidate]:
    """Return the network's prices, but no rule of the decoder to start from or to choose."""
    first, second = (
        rail.with_prices(prices_from_logits(proposal.beliefs))
        for rail, proposal in zip(scorer.problem.rails, scorer.proposals, strict=True)
    )
    return _searched(scorer, replace(scorer.problem, rails=(first, second)))


def _at_flat_prices(scorer: Scorer, episode: Episode) -> list[Candidate]:
    """Search from nothing at one error a literal."""
    prices = np.broadcast_to(uniform_prices(episode.atoms), (2, episode.atoms, 2))
    return _searched(scorer, scorer.problem.with_prices(prices))


def _at_prices_of_gnri(scorer: Scorer, episode: Episode) -> list[Candidate]:
    """Search from nothing at the paper's prices: how sure its surest slot is of a literal."""
    gnri = load_model("gnri")
    assert isinstance(gnri, NRI)
    scores = gnri(episode)
    sure = np.clip((scores.literals * scores.gates[..., None, None]).max(axis=1), 1e-6, 1 - 1e-6)
    prices = prices_from_logits(np.log(sure / (1 - sure)))
    return _searched(scorer, scorer.problem.with_prices(prices))


Variant = Callable[[Scorer, Episode], list[Candidate]]

VARIANTS: dict[str, Variant] = {
    "no critic": _without_critic,
    "no decoder": _from_nothing,
    "no purity": lambda scorer, _: candidates(scorer, Limits(purity=False)),
    "no last climb": lambda scorer, _: search_candidates(scorer),  # at the network's prices
    "flat prices": _at_flat_prices,
    "gnri prices": _at_prices_of_gnri,
}

LEARNERS = ("guided+refine", *VARIANTS, "guided", "flat:1")  # in the order of the table


def rule_of(name: str, episode: Episode) -> SignedDNF | None:
    """Return the rule of the variant of this name."""
    guided = load_model("guided")
    assert isinstance(guided, Guided)
    table = Problem.from_episode(episode)
    if not table.is_learnable:
        return None
    return best_rule(table, VARIANTS[name](guided.scorer(table), episode))


def _searched(scorer: Scorer, priced: Problem) -> list[Candidate]:
    """Return what the searches find from nothing on each rail, and to say nothing."""
    found = [(rail, rule) for rail in (0, 1) for rule in climb_all(priced.rails[rail], ())]
    return climb_shortest(scorer, scorer.score([(0, frozenset()), (1, frozenset()), *found]))
