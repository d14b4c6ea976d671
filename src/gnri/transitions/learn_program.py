"""Learn a logic program: for each variable, when it is true next."""

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
    """The rule of each defined variable; all rules are positive, as in logic programs.

    A rule without clauses never holds, one with an empty clause always.
    """

    variables: tuple[str, ...]
    rules: Mapping[str, SignedDNF]

    def step(self, states: NDArray[np.int8]) -> NDArray[np.int8]:
        """Return the next values (rows, defined) of each state (rows, variables), +1 and -1."""
        return np.stack([rule.evaluate(states) for rule in self.rules.values()], axis=1)

    def reproduced(self, transitions: Transitions) -> int:
        """Return the number of transitions that the program reproduces."""
        return int((self.step(transitions.now) == transitions.next).all(axis=1).sum())


LITERAL_PRICE = 1 / 64  # in errors, where the usual price leaves errors
MAX_SEARCH_CLAUSES = 200  # longer rules are not shortened, as that takes minutes
MAX_COMPLEMENT_CLAUSES = 2_000


def learn(transitions: Transitions) -> Program:
    """Return for each variable the first of these rules that makes no error.

    1. The literals that are always equal to it.
    2. The rule of `induce`.
    3. The prime implicants of the states before it was true, shortened by a search.
    4. All of these prime implicants.
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
    raise AssertionError("the prime implicants of the states make no error")


def _candidates(episode: Episode) -> Iterator[SignedDNF | None]:
    yield _equal_literals(episode)
    yield _to_positive(induce(episode).rule)
    implicants = _prime_implicants(episode)
    if len(implicants.clauses) <= MAX_SEARCH_CLAUSES:
        limits = Limits(max_clauses=len(implicants.clauses), max_literals=episode.atoms)
        prices = uniform_prices(episode.atoms, LITERAL_PRICE)
        yield _to_positive(refine(episode, prices, starts=[implicants], limits=limits).rule)
    yield implicants


def _prime_implicants(episode: Episode) -> SignedDNF:
    """Return the prime implicants of the states before the variable was true, or those states."""
    before = episode.values[episode.labels == 1]
    states = SignedDNF([Literal(i, bool(x > 0)) for i, x in enumerate(state)] for state in before)
    try:
        return blake(states)
    except RuleError:  # too many prime implicants
        return states


def _equal_literals(episode: Episode) -> SignedDNF | None:
    """Return the literals that are true exactly where the label is, as one clause, if any."""
    signed = episode.values * episode.labels[:, None]
    same = np.flatnonzero((signed == signed[0]).all(axis=0)).tolist()
    return SignedDNF([[Literal(i, bool(signed[0, i] == 1)) for i in same]]) if same else None


def _to_positive(rule: SignedDNF | None) -> SignedDNF | None:
    """Return an equivalent positive rule, or None if it has too many clauses.

    ~(a & b | c) becomes ~a & ~c | ~b & ~c.
    """
    if rule is None or rule.positive:
        return rule
    product = SignedDNF([[]])
    for clause in sorted(rule.clauses, key=len):
        product = simplify(
            SignedDNF(chosen | {~literal} for chosen in product.clauses for literal in clause)
        )
        if len(product.clauses) > MAX_COMPLEMENT_CLAUSES:
            return None
    return product
