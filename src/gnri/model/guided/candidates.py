"""The model `guided`: the choice between rules, by what no symmetry changes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.counts.problem import Problem
from gnri.counts.rail import Clause, Masks, Rail
from gnri.model.guided.architecture import GuidedNetwork
from gnri.model.guided.critic import (
    FEW,
    Facts,
    description_length,
    literal_price,
    predict_shares,
    rule_nats,
    share_of,
)
from gnri.model.guided.inference import Proposal, propose
from gnri.model.guided.rule_decoder import STOP_BIASES
from gnri.model.layers import GRID, Weights, one_thread, require_finite

NATS = 3.0
"""How much longer than the shortest a description may be for the critic to choose it."""

RailRule = tuple[int, frozenset[Clause]]
"""A rail, and clauses of its literal classes."""

_KEY = attrgetter("key")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A rule on a rail; its `key` does not depend on any order."""

    rail: int
    clauses: frozenset[Clause]
    length: int
    errors: int  # on the rows of the problem
    key: tuple[int, ...]  # the lower, the better
    says: bytes  # a key of the rows on which it says yes


def choose(candidates: Sequence[Candidate]) -> tuple[Candidate | None, float]:
    """Return the best short candidate, None if the rails tie; and its distance to the next.

    Of equal keys on one rail the first is taken: candidates come in the order of the starts that
    they were found from, which no symmetry changes.
    """
    short = shortlist(candidates)
    first = min(short, key=_KEY)
    same = [candidate for candidate in candidates if candidate.says == first.says]
    # Of rules that say the same, the simplest.
    best = min(same, key=lambda one: (sum(map(len, one.clauses)), len(one.clauses), *one.key))
    keys = {(1 - one.rail, one.key) for one in (first, best)}
    if any((other.rail, other.key) in keys for other in candidates):
        return None, 0.0
    rivals = [abs(other.key[0] - best.key[0]) for other in short if other.says != best.says]
    return best, min(rivals, default=GRID) / GRID


def shortest(candidates: Iterable[Candidate]) -> Candidate:
    """Return the candidate of shortest description."""
    return min(candidates, key=attrgetter("length", "key"))


def shortlist(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates whose description is hardly longer than the shortest."""
    most = shortest(candidates).length + round(NATS * GRID)
    return [candidate for candidate in candidates if candidate.length <= most]


@dataclass(frozen=True, eq=False)
class Scorer:
    """Scores rules for a problem by the proposals of the network."""

    critic: Weights
    problem: Problem
    proposals: Sequence[Proposal]

    @cached_property
    def written(self) -> list[Candidate]:
        """Return what the decoder wrote, and on each rail the rule without clauses."""
        rules = [dict.fromkeys([frozenset[Clause](), *one.rules]) for one in self.proposals]
        return self.score([(rail, rule) for rail in (0, 1) for rule in rules[rail]])

    def starts(self) -> dict[int, list[frozenset[Clause]]]:
        """Return the written rules to search from: on each rail the best, and the shortest.

        Clauses cost little here, as the search can drop them.
        """
        found = self.written
        written = [[c for c in found if c.rail == rail and c.clauses] for rail in (0, 1)]
        keys = self._at_first, _KEY
        return {
            rail: list(dict.fromkeys(min(rules, key=by).clauses for by in keys if rules))
            for rail, rules in enumerate(written)
        }

    def literal_price(self, rule: Candidate) -> float:
        """Return what a literal of the rule costs in its description, as a number of errors."""
        sizes = list(map(len, rule.clauses))
        literals = len(self.problem.rails[rule.rail].words)
        errors = rule.errors / self._copies
        return literal_price(errors, self._rows, sizes, literals, self._share)

    def score(self, rules: Sequence[RailRule]) -> list[Candidate]:
        """Return the rules, each (rail, clauses), as candidates."""
        run = self._run(rules)
        told = [self._facts(*rule, run[rule][0]) for rule in rules]
        facts = np.array(told).reshape(len(told), len(Facts._fields))
        with one_thread():
            worths = require_finite(predict_shares(self.critic, Facts(*facts.T))).tolist()
        return [
            self._candidate(rule, *run[rule], worth)
            for rule, worth in zip(rules, worths, strict=True)
        ]

    def _run(self, rules: Sequence[RailRule]) -> dict[RailRule, tuple[tuple[int, int], bytes]]:
        """Return the target rows and others that each rule covers, and a key of its answers."""
        found: dict[RailRule, tuple[tuple[int, int], bytes]] = {}
        for number, rail in enumerate(self.problem.rails):
            mine = [rule for rule in rules if rule[0] == number]
            if not mine:
                continue
            covered = np.stack([_union(rail, clauses) for _, clauses in mine])
            sizes = zip(*(part.tolist() for part in rail.size(covered)), strict=True)
            said = rail.mask_keys(rail.everything & ~covered if number else covered)
            found |= zip(mine, zip(sizes, said, strict=True), strict=True)
        return found

    def _candidate(
        self, rule: RailRule, size: tuple[int, int], says: bytes, worth: float
    ) -> Candidate:
        number, clauses = rule
        hits, false_alarms = size
        errors = self.problem.rails[number].target - hits + false_alarms
        length = self._length(number, errors, clauses, self._share)
        sizes = sum(map(len, clauses)), len(clauses), errors
        codes = sorted(map(self.problem.rails[number].code, clauses))
        key = -round(worth * GRID), length, *sizes, *codes
        return Candidate(number, clauses, length, errors, key, says)

    def _at_first(self, rule: Candidate) -> tuple[int, ...]:
        """Return the length by which the decoder cuts a rule back, then the key."""
        return self._length(rule.rail, rule.errors, rule.clauses, FEW), *rule.key

    def _length(self, rail: int, errors: int, clauses: frozenset[Clause], share: float) -> int:
        sizes, literals = list(map(len, clauses)), len(self.problem.rails[rail].words)
        nats = description_length(errors / self._copies, self._rows, sizes, literals, share)
        if self.problem.factors is not None and clauses:
            factors = self.problem.factors[rail]
            more = sum(factors[literal] - 1 for clause in clauses for literal in clause)
            nats += float(more / sum(sizes)) * rule_nats(sizes, literals, share)
        return round(nats * GRID)

    @property
    def _copies(self) -> float:
        return self.problem.rails[0].row_copies

    @cached_property
    def _rows(self) -> float:
        return (self.problem.rails[0].target + self.problem.rails[0].rest) / self._copies

    @cached_property
    def _share(self) -> float:
        rail = self.problem.rails[0]
        return share_of(rail.target / self._copies, rail.rest / self._copies)

    def facts(self, number: int, clauses: frozenset[Clause]) -> list[float]:
        """Return the facts of a rule on a rail, in the order of `Facts`."""
        return self._facts(number, clauses, self._run([(number, clauses)])[number, clauses][0])

    def _facts(self, number: int, clauses: frozenset[Clause], size: tuple[int, int]) -> list[float]:
        rail, proposal = self.problem.rails[number], self.proposals[number]
        hits, false_alarms = size
        literals = [literal for clause in clauses for literal in clause]
        distinct = list(set(literals))
        surprise = np.logaddexp(0.0, -proposal.beliefs)
        chances = np.exp(-surprise)
        return [
            hits,
            false_alarms,
            rail.target - hits,
            rail.rest - false_alarms,
            len(clauses),
            len(literals),
            len(distinct),
            max(map(len, clauses), default=0),
            _total(proposal.beliefs[literals]),
            _total(surprise[literals]),
            _total(surprise[distinct]),
            proposal.noise,
            self.proposals[1 - number].noise,
            _total(chances),
            len(rail.words),
        ]


def _union(rail: Rail, clauses: frozenset[Clause]) -> Masks:
    covers = [rail.cover(clause) for clause in clauses]
    return np.bitwise_or.reduce(covers) if covers else np.zeros_like(rail.everything)


def _total(values: NDArray[np.float64]) -> float:
    """Return the sum, in an order that depends on the values alone."""
    return float(np.sort(values).sum())


@dataclass(frozen=True, eq=False)
class Guided:
    """The guided network with its name.

    `sha256` and `recipe` say which weights these are and how they were trained.
    """

    network: GuidedNetwork
    name: str = "guided"
    sha256: str = ""
    recipe: dict[str, Any] | None = None

    def scorer(self, problem: Problem) -> Scorer:
        """Return a scorer of rules for a problem, with the rules that the network proposes."""
        return self._scorers([problem], STOP_BIASES)[0]

    def quick_scorers(self, problems: Sequence[Problem]) -> list[Scorer | None]:
        """Return scorers with one proposed rule on each rail; None if undecidable."""
        learnable = [one for one in problems if one.is_learnable]
        scorers = iter(self._scorers(learnable, STOP_BIASES[:1]))
        return [next(scorers) if one.is_learnable else None for one in problems]

    def _scorers(self, problems: Sequence[Problem], stop_biases: Sequence[float]) -> list[Scorer]:
        rails = [rail for problem in problems for rail in problem.rails]
        with one_thread():
            proposals = propose(self.network, rails, stop_biases)
        pairs = zip(problems, proposals[::2], proposals[1::2], strict=True)
        return [Scorer(self.network.critic, problem, both) for problem, *both in pairs]
