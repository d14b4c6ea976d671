"""The best that any learner can expect on random tasks: a vote of rules drawn from the posterior.

It knows the prior of the tasks, which no learner does. Rules are drawn by Gibbs sampling: one
clause of six at a time, given the others, out of all there are.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, product
from math import comb, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.errors import GnriError
from gnri.estimator.cross_validation import Codes, Values
from studies.benchmarks.fitted import Fitted, majority
from studies.training.coin_tables import PriorConfig

MOST_ATOMS, MOST_ROWS = 12, 64  # every clause is weighed at every draw, its rows in one word
CHAINS, SWEEPS = 2, 600
WARM = 0.3  # of the sweeps: errors come to score what they do in the end
LEAST, FULL = 0.5, 6.0  # weight of an error in the beginning and in the end, in nats

_PRIOR = PriorConfig()
_NONE = -1


def posterior(values: Values, codes: Codes) -> Fitted:
    """Let rules vote that make no error on the rows; the majority where none was drawn."""
    rows, atoms = values.shape
    if atoms > MOST_ATOMS or rows > MOST_ROWS:
        raise GnriError(
            f"the posterior is drawn for at most {MOST_ATOMS} atoms and {MOST_ROWS} rows, got "
            f"{atoms} and {rows}; leave the learner posterior out for wider tasks"
        )
    rng = np.random.default_rng(0)
    drawn = [rule for _ in range(CHAINS) for rule in _chain(values, codes == 1, rng)]
    if not drawn:
        return majority(values, codes)

    def predict(fresh: Values) -> Codes:
        covers = clauses_over(atoms).cover(fresh)
        share = np.mean([covers[rule].any(0) for rule in drawn], axis=0)
        return (share > 0.5).astype(np.intp)

    return Fitted(predict)


@dataclass(frozen=True, eq=False)
class Clauses:
    """All clauses of the prior over some atoms."""

    literals: NDArray[np.intp]  # (clauses, most literals): 2 * atom + negated, filled up at the end
    nats: NDArray[np.float64]  # (clauses,): the logarithm of the chance of each

    def cover(self, values: Values) -> NDArray[np.bool_]:
        """Return whether each clause holds on each row: (clauses, rows)."""
        truth = np.stack([values > 0, values < 0], -1).reshape(len(values), -1)
        truth = np.concatenate([truth, np.ones((len(values), 1), bool)], 1)
        holds: NDArray[np.bool_] = np.all(truth.T[self.literals], axis=1)
        return holds


@lru_cache
def clauses_over(atoms: int) -> Clauses:
    """Return the clauses of every size of the prior."""
    low, high = _PRIOR.literals
    rows, nats = [], []
    for size in range(low, min(high, atoms) + 1):
        found = [
            [2 * atom + sign for atom, sign in zip(chosen, signs, strict=True)]
            for chosen in combinations(range(atoms), size)
            for signs in product((0, 1), repeat=size)
        ]
        rows += [literals + [2 * atoms] * (high - size) for literals in found]
        nats += [-log((high - low + 1) * len(found))] * len(found)  # every size is as likely
    return Clauses(np.array(rows), np.array(nats))


def _chain(
    values: Values, labels: NDArray[np.bool_], rng: np.random.Generator
) -> Iterator[NDArray[np.intp]]:
    """Yield the rules of one chain that make no error, once errors score what they should."""
    clauses = clauses_over(values.shape[1])
    rows = Rows(_words(clauses.cover(values)), _words(labels), _words(~labels))
    rule = np.full(_PRIOR.clauses[1], _NONE)
    rule[0] = rng.integers(len(rows.covers))
    for sweep in range(SWEEPS):
        weight = min(FULL, LEAST + FULL * sweep / (WARM * SWEEPS))
        for slot in range(len(rule)):
            chances = _chances(clauses, rows, np.delete(rule, slot), weight)
            sums = np.cumsum(np.exp(chances - chances.max()))
            place = int(np.searchsorted(sums, rng.random() * sums[-1]))
            rule[slot] = _NONE if place == len(chances) - 1 else place
        if weight == FULL and not rows.errors(rule):
            yield rule[rule != _NONE]


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows of a task as bits of a word: those that each clause covers, and those of a label."""

    covers: NDArray[np.uint64]  # (clauses,)
    target: np.uint64
    rest: np.uint64

    def covered(self, rule: NDArray[np.intp]) -> np.uint64:
        """Return the rows that a rule covers."""
        return np.bitwise_or.reduce(self.covers[rule[rule != _NONE]], initial=np.uint64(0))

    def errors(self, rule: NDArray[np.intp]) -> int:
        """Return the number of rows that a rule gets wrong."""
        covered = self.covered(rule)
        return int(np.bitwise_count(covered & self.rest | self.target & ~covered))


def _chances(
    clauses: Clauses, rows: Rows, others: NDArray[np.intp], weight: float
) -> NDArray[np.float64]:
    """Return the log chance of each clause in a slot beside others, and of none in the end."""
    covered, slots, used = rows.covered(others), len(others) + 1, int((others != _NONE).sum())
    wrong = np.bitwise_count(rows.covers & (rows.rest & ~covered)).astype(np.int64)
    right = np.bitwise_count(rows.covers & (rows.target & ~covered))
    chances = clauses.nats - weight * (wrong - right) - log(comb(slots, used + 1))
    return np.append(chances, -log(comb(slots, used)) if used else -np.inf)


def _words(truth: NDArray[np.bool_]) -> Any:
    """Return up to 64 rows (..., rows) as the bits of a word."""
    bits = np.left_shift(np.uint64(1), np.arange(truth.shape[-1], dtype=np.uint64))
    return (truth * bits).sum(-1, dtype=np.uint64)
