"""A program says for each variable when it is true next, and takes every transition as given."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gnri.episode import Episode
from gnri.errors import RuleError
from gnri.induction import induce
from gnri.rules.dnf import Literal, SignedDNF
from gnri.rules.simplify import blake, simplify
from gnri.search.limits import Limits, uniform_prices
from gnri.search.refine import refine
from gnri.transitions.state_pairs import Transitions


@dataclass(frozen=True, slots=True)
class Program:
    """The rule of each defined variable; without clauses it never holds, with an empty one always.

    Rules are positive, as logic programs have no other.
    """

    variables: tuple[str, ...]
    rules: Mapping[str, SignedDNF]

    def step(self, states: NDArray[np.int8]) -> NDArray[np.int8]:
        """Return the next values (rows, defined) of each state (rows, variables), +1 and -1."""
        return np.stack([rule.evaluate(states) for rule in self.rules.values()], axis=1)

    def reproduced(self, transitions: Transitions) -> int:
        """Count the transitions that it takes exactly as they were given."""
        return int((self.step(transitions.now) == transitions.next).all(axis=1).sum())


PRICE = 1 / 64
"""What a literal costs, in errors, where the price for noisy tables leaves errors."""

LONGEST = 200
"""Rules of more clauses are not shortened, as that takes minutes."""

MOST_CLAUSES = 2_000
"""A complement that would take more clauses to write is not written out."""


def learn(transitions: Transitions) -> Program:
    """Return for each variable the first of these rules that errs nowhere.

    All literals that tell it by themselves, the rule of `induce`, the prime implicants of the
    states before it was true, as far as a search at next to no price shortens them, and as many
    of them as there are.
    """
    rules = {
        name: _rule(transitions.now, labels)
        for name, labels in zip(transitions.defined, transitions.next.T, strict=True)
    }
    return Program(transitions.variables, rules)


def _rule(states: NDArray[np.int8], labels: NDArray[np.int8]) -> SignedDNF:
    if (labels == -1).all():
        return SignedDNF()
    if (labels == 1).all():
        return SignedDNF([[]])
    for rule in _candidates(Episode(states, labels)):
        if rule is not None and (rule.evaluate(states) == labels).all():
            return rule
    raise AssertionError("the list of the states themselves errs nowhere")


def _candidates(episode: Episode) -> Iterator[SignedDNF | None]:
    yield _copy(episode)
    yield _positive(induce(episode).rule)
    listed = _listed(episode)
    if len(listed.clauses) <= LONGEST:
        limits = Limits(max_clauses=len(listed.clauses), max_literals=episode.atoms)
        cheap = uniform_prices(episode.atoms, PRICE)
        yield _positive(refine(episode, cheap, starts=[listed], limits=limits).rule)
    yield listed


def _listed(episode: Episode) -> SignedDNF:
    """Return the prime implicants of the states before the variable was true, or those states."""
    before = episode.values[episode.labels == 1]
    states = SignedDNF([Literal(i, bool(x > 0)) for i, x in enumerate(state)] for state in before)
    try:
        return blake(states)
    except RuleError:  # too many prime implicants
        return states


def _copy(episode: Episode) -> SignedDNF | None:
    """Return the literals that are true exactly where the label is, as one clause."""
    signed = episode.values * episode.labels[:, None]
    same = np.flatnonzero((signed == signed[0]).all(axis=0)).tolist()
    return SignedDNF([[Literal(i, bool(signed[0, i] == 1)) for i in same]]) if same else None


def _positive(rule: SignedDNF | None) -> SignedDNF | None:
    """Return the rule without a sign: a complement is multiplied out, clause by clause.

    ~(a & b | c) is ~a & ~c | ~b & ~c. None if it takes too many clauses.
    """
    if rule is None or rule.positive:
        return rule
    product = SignedDNF([[]])
    for clause in sorted(rule.clauses, key=len):
        product = simplify(
            SignedDNF(chosen | {~literal} for chosen in product.clauses for literal in clause)
        )
        if len(product.clauses) > MOST_CLAUSES:
            return None
    return product
