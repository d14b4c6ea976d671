"""The obvious reader and decoder: every count anew from the rows, one literal and rule at a time.

Only the network, the codes and the length of a description are taken from the library.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gnri.counts.problem import Problem
from gnri.episode import Episode
from gnri.model.guided import inference as reader
from gnri.model.guided.architecture import Counts, GuidedNetwork, Step
from gnri.model.guided.critic import description_length
from gnri.model.guided.rule_decoder import CLAUSES, LITERALS, PATIENCE, STOP_BIASES
from tests.search.slow import truth

GRID = 1 << 20


class SlowRail(NamedTuple):
    """Cells of the literals in the order shown, and which rows are the target."""

    cells: NDArray[np.bool_]  # (literals, rows)
    target: NDArray[np.bool_]  # (rows,)
    codes: list[int]
    places: list[int]  # the class of each literal shown
    literals: int  # of the whole table

    def only(self, kept: list[int]) -> "SlowRail":
        """The rail with these of the literals shown."""
        codes, places = ([part[i] for i in kept] for part in (self.codes, self.places))
        return SlowRail(self.cells[kept], self.target, codes, places, self.literals)

    def count(self, mask: NDArray[np.bool_]) -> list[int]:
        return [int((mask & self.target).sum()), int((mask & ~self.target).sum())]


class SlowReading(NamedTuple):
    beliefs: list[float]  # by class
    noise: float
    rules: list[frozenset[frozenset[int]]]


def slow_read(network: GuidedNetwork, episode: Episode) -> list[SlowReading]:
    return [_reading(network, rail) for rail in slow_rails(episode)]


def slow_rails(episode: Episode) -> list[SlowRail]:
    table, labels = Problem.from_episode(episode), episode.labels[episode.labels != 0]
    rails = []
    for rail, sign in zip(table.rails, (1, -1), strict=True):
        codes = rail.codes.tolist()
        places = sorted(range(len(codes)), key=codes.__getitem__)
        cells = np.array([truth(episode, min(table.classes[i])) for i in places], bool)
        shown = [codes[i] for i in places]
        rails.append(SlowRail(cells, labels == sign, shown, places, len(codes)))
    return rails


def slow_anchors(rail: SlowRail, most: int) -> list[int]:
    """The literals that tell most by themselves, as far as they fit."""
    target, rest = rail.count(np.ones_like(rail.target))
    telling = []
    for cells in rail.cells:
        hits, others = rail.count(cells)
        telling.append(abs(hits * rest - others * target))
    return slow_first(telling, rail.codes, most)


def slow_first(scores: Sequence[float], codes: Sequence[int], most: int) -> list[int]:
    """Group after group of equal score and code, the highest score first, while they fit."""
    groups: dict[tuple[float, int], list[int]] = {}
    for i, (score, code) in enumerate(zip(scores, codes, strict=True)):
        groups.setdefault((-score, code), []).append(i)
    found: list[int] = []
    for _, group in sorted(groups.items()):
        if len(found) + len(group) > most:
            break
        found += group
    return found


def _reading(network: GuidedNetwork, rail: SlowRail) -> SlowReading:
    every = np.ones_like(rail.target)
    anchors = slow_anchors(rail, network.config.anchors)
    counts = Counts(
        _double([rail.count(cells) for cells in rail.cells]),
        _double([[rail.count(a & rail.cells[j]) for j in anchors] for a in rail.cells]).reshape(
            1, len(rail.cells), len(anchors), 2
        ),
        np.array([anchors], dtype=np.intp),
        _double(rail.count(every)),
    )
    tokens = network.tokens(counts)
    shown = [round(belief * GRID) / GRID for belief in network.beliefs(tokens)[0].tolist()]
    noise = 1 / (1 + math.exp(-network.noise_logit(tokens, counts.anchors)[0]))
    kept = sorted(slow_first(shown, rail.codes, reader.CHOICES))
    seen = network.policy_tokens(tokens[:, kept])
    rules = [_written(network, rail.only(kept), seen, bias) for bias in STOP_BIASES]
    beliefs = [shown[rail.places.index(i)] for i in range(len(shown))]
    return SlowReading(beliefs, round(noise * GRID) / GRID, rules)


def _written(
    network: GuidedNetwork, rail: SlowRail, tokens: NDArray[np.float64], stop_bias: float
) -> frozenset[frozenset[int]]:
    """One rule with one bias."""
    finished: list[list[int]] = []
    clause: list[int] = []
    ended = False
    while not ended:
        logits = _logits(network, rail, tokens, finished, clause)
        chosen = _choice(logits, rail.codes, stop_bias)
        if chosen is not None:
            clause.append(chosen)
        if (
            chosen is None
            or len(clause) == LITERALS
            or not rail.count(_open(rail, finished, clause))[1]
        ):
            ended = not clause or not rail.count(_open(rail, finished, clause))[0]
            if not ended:
                finished.append(clause)
                clause = []
                ended = _over(rail, finished)
    kept = finished[: _best_length(rail, finished)]
    return frozenset(frozenset(rail.places[i] for i in items) for items in kept)


def _over(rail: SlowRail, finished: list[list[int]]) -> bool:
    full = len(finished) == CLAUSES or not rail.count(_open(rail, finished, []))[1]
    return full or len(finished) - _best_length(rail, finished) == PATIENCE


def _best_length(rail: SlowRail, finished: list[list[int]]) -> int:
    """How many clauses make the shortest description, the fewest of those."""
    lengths = []
    for size in range(1, len(finished) + 1):
        hits, others = rail.count(_covered(rail, finished[:size]))
        errors = int(rail.target.sum()) - hits + others
        sizes = sorted(map(len, finished[:size]))
        lengths.append(description_length(errors, len(rail.target), sizes, rail.literals))
    return lengths.index(min(lengths)) + 1 if lengths else 0


def _choice(logits: list[float], codes: list[int], stop_bias: float) -> int | None:
    whole = [round(max(logit, -1e6) * GRID) for logit in logits]
    end, best = whole[-1] - round(stop_bias * GRID), max(whole[:-1], default=round(-1e6 * GRID))
    ranked = sorted(
        (-score, code, i) for i, (score, code) in enumerate(zip(whole[:-1], codes, strict=True))
    )
    twin = len(ranked) > 1 and ranked[0][:2] == ranked[1][:2]
    return None if best <= end or twin else ranked[0][2]


def _logits(
    network: GuidedNetwork,
    rail: SlowRail,
    tokens: NDArray[np.float64],
    finished: list[list[int]],
    clause: list[int],
) -> list[float]:
    every = np.ones_like(rail.target)
    free, cover = ~_covered(rail, finished), _cover(rail, clause)
    masks = [cover & free, cover, free, every]
    step = Step(
        _double([[rail.count(mask & cells) for mask in masks] for cells in rail.cells]).reshape(
            1, len(rail.cells), len(masks), 2
        ),
        _double([rail.count(mask) for mask in masks]),
        _double([len(clause), len(finished)]),
        np.array([[i in clause for i in range(len(rail.cells))]], dtype=np.bool_),
    )
    return network.actions(tokens, step, _double(rail.count(every)))[0].tolist()


def _cover(rail: SlowRail, clause: list[int]) -> NDArray[np.bool_]:
    return rail.cells[clause].all(0)


def _covered(rail: SlowRail, clauses: list[list[int]]) -> NDArray[np.bool_]:
    found = np.zeros_like(rail.target)
    for clause in clauses:
        found |= _cover(rail, clause)
    return found


def _open(rail: SlowRail, finished: list[list[int]], clause: list[int]) -> NDArray[np.bool_]:
    return _cover(rail, clause) & ~_covered(rail, finished)


def _double(numbers: list) -> NDArray[np.float64]:
    return np.array([numbers], dtype=np.float64)
