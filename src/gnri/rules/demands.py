"""Necessary conditions for a change of cells to give another answer of a rule list.

A demand is a list of sums: over the columns that change, the gains must add up to what is needed.
It tells which sets of columns can suffice, and which states of a column help. Every change that
reaches the answer with the fewest columns meets a demand, so nothing else has to be tried.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, islice, product
from math import prod

import numpy as np
from numpy.typing import NDArray

from gnri.rules.dnf import Clause, SignedDNF
from gnri.rules.rule_list import RuleList
from gnri.rules.scorecard import AnyRule, Scorecard

MOST = 1_000  # demands for one answer; with more, some of what must hold is left out
_CHUNK = 1 << 14  # sets of columns that are looked at together


Sum = tuple[int, dict[int, int]]
"""What is needed, and the gains by column that must add up to it."""

Useful = tuple[int, NDArray[np.bool_]]
"""A column, and which of its states can raise a sum."""

Need = tuple[list[Sum], list[Useful]]
"""Sums that must all be reached, and the states of columns that help."""


@dataclass(frozen=True, eq=False)
class Demand:
    """Sums of gains that are needed, and the states of each column that can raise them.

    A gain is an upper bound on what a change of the column adds, whatever the others do.
    """

    needs: NDArray[np.int64]  # (sums,)
    gains: NDArray[np.int64]  # (sums, columns)
    useful: tuple[NDArray[np.bool_], ...]  # for each column, of its states

    def column_sets(self, size: int) -> Iterator[tuple[int, ...]]:
        """Yield the sets of so many columns that can meet the needs."""
        able = [i for i, some in enumerate(self.useful) if some.any()]
        best = np.sort(self.gains, axis=1)[:, ::-1][:, :size].sum(axis=1)
        if len(able) < size or (best < self.needs).any():
            return
        sets = combinations(able, size)
        while chunk := list(islice(sets, _CHUNK)):
            total = self.gains[:, np.array(chunk)].sum(axis=2)
            yield from (
                chunk[i] for i in np.flatnonzero((total >= self.needs[:, None]).all(axis=0))
            )


class Situation:
    """The truths of a row, and those that each column can have in its place."""

    def __init__(
        self,
        row: NDArray[np.int8],
        atoms: Sequence[NDArray[np.intp]],
        answers: Sequence[NDArray[np.int8]],
    ) -> None:
        """Take the atoms of each column, and the answers to them in each state (states, atoms)."""
        self.row = row
        self.place = {int(a): (c, i) for c, own in enumerate(atoms) for i, a in enumerate(own)}
        self.answers = [
            np.vstack([row[own], some]) for own, some in zip(atoms, answers, strict=True)
        ]

    def parts(self, clause: Clause) -> tuple[int, dict[int, NDArray[np.int8]]]:
        """Return the truth of the literals that cannot change, and of those of each column.

        The latter is first that of the row, then that of each state.
        """
        fixed, parts = 1, dict[int, NDArray[np.int8]]()
        for atom, positive in clause:
            sign = 1 if positive else -1
            if atom not in self.place:
                fixed = min(fixed, sign * int(self.row[atom]))
                continue
            column, i = self.place[atom]
            own = sign * self.answers[column][:, i]
            parts[column] = np.minimum(parts[column], own) if column in parts else own
        return fixed, parts

    def demand(self, parts: Sequence[Need], every_state: bool) -> Demand:
        """Return the demand of all needs; with `every_state`, any state may be useful."""
        sums = [one for some, _ in parts for one in some]
        gains = np.zeros((len(sums), len(self.answers)), np.int64)
        for place, (_, own) in enumerate(sums):
            gains[place, list(own)] = list(own.values())
        masks = [np.full(len(some) - 1, every_state) for some in self.answers]
        for _, useful in parts:
            for column, mask in useful:
                masks[column] |= mask
        return Demand(np.array([need for need, _ in sums], np.int64), gains, tuple(masks))


def find_demands(rule_list: RuleList, target: int, situation: Situation) -> list[Demand]:
    """Return demands one of which is met wherever the answer is the class of this index."""
    find = _most_points if rule_list.most_points_win else _first_step
    ends = [i for i, step in enumerate(rule_list.steps) if step.answer == target]
    if rule_list.default == target and not rule_list.most_points_win:
        ends.append(len(rule_list.steps))
    found = []
    for i in ends:
        all_of = find(rule_list, i, situation)
        relaxed = False
        while prod(map(len, all_of)) > MOST:
            sizes = list(map(len, all_of))
            del all_of[sizes.index(max(sizes))]
            relaxed = True
        found += [situation.demand(parts, relaxed) for parts in product(*all_of)]
    return found


def _first_step(rule_list: RuleList, i: int, situation: Situation) -> list[list[Need]]:
    """Return what is needed so that step i is the first that applies: one need of each list.

    After the last step the default answers.
    """
    found = [_bound(step.rule, step.truth, False, situation) for step in rule_list.steps[:i]]
    applies = rule_list.steps[i : i + 1]
    return found + [_bound(step.rule, step.truth, True, situation) for step in applies]


def _most_points(rule_list: RuleList, i: int, situation: Situation) -> list[list[Need]]:
    """Return what is needed so that step i has most points above its threshold; the first wins."""
    cards = [rule for rule in rule_list.rules if isinstance(rule, Scorecard)]
    found = []
    for j, other in enumerate(cards):
        if j != i:
            lines = [*cards[i].points, *((line, -p) for line, p in other.points)]
            start = 2 * (other.threshold - cards[i].threshold)
            found.append([_sum_of(lines, start, int(j < i), situation)])
    return found


def _bound(rule: AnyRule, truth: int, holds: bool, situation: Situation) -> list[Need]:
    """Return needs one of which is met where a rule has this truth, or where it has not."""
    if isinstance(rule, Scorecard):
        sign = truth if holds else -truth
        lines = [(line, sign * p) for line, p in rule.points]
        return [_sum_of(lines, sign * (1 - 2 * rule.threshold), int(holds), situation)]
    # The clauses are true somewhere or, for a complement, nowhere.
    truth = truth if rule.positive else -truth
    if (truth == 1) == holds:
        return _some_clause(rule, 1 if holds else 0, situation)
    return [_no_clause(rule, -1 if holds else 0, situation)]


def _some_clause(rule: SignedDNF, level: int, situation: Situation) -> list[Need]:
    """Return for each clause what is needed so that its truth is at least this."""
    found = []
    for clause in rule.clauses:
        fixed, parts = situation.parts(clause)
        good = {column: own >= level for column, own in parts.items()}
        if fixed < level or not all(own.any() for own in good.values()):
            continue
        wrong = {column: own[1:] for column, own in good.items() if not own[0]}
        found.append(([(1, {column: 1}) for column in wrong], list(wrong.items())))
    return found


def _no_clause(rule: SignedDNF, level: int, situation: Situation) -> Need:
    """Return what is needed so that the truth of every clause is at most this."""
    sums, useful = list[Sum](), list[Useful]()
    for clause in rule.clauses:
        fixed, parts = situation.parts(clause)
        if fixed <= level:
            continue
        good = {column: own <= level for column, own in parts.items()}
        able = {column: own[1:] for column, own in good.items() if not own[0] and own.any()}
        need = int(not any(own[0] for own in good.values()))
        sums.append((need, dict.fromkeys(able, 1)))
        useful += able.items()
    return sums, useful


def _sum_of(
    lines: Sequence[tuple[Clause, int]], start: int, bound: int, situation: Situation
) -> Need:
    """Return what is needed so that the half points of lines reach a bound."""
    value, useful = start, list[Useful]()
    alone: dict[int, NDArray[np.int64]] = {}
    gains = dict[int, int]()
    for line, p in lines:
        fixed, parts = situation.parts(line)
        now = min(chain([fixed], (int(own[0]) for own in parts.values())))
        value += p * (now + 1)
        able = {c: own[1:] > own[0] if p > 0 else own[1:] < own[0] for c, own in parts.items()}
        useful += able.items()
        if len(parts) == 1 and fixed == 1:
            ((column, own),) = parts.items()
            gained = p * (own[1:].astype(np.int64) - int(own[0]))
            alone[column] = alone.get(column, 0) + gained
            continue
        most = p * (fixed - now) if p > 0 else -p * (now + 1)
        for column, mask in able.items():
            gains[column] = gains.get(column, 0) + most * bool(mask.any())
    for column, gained in alone.items():
        gains[column] = gains.get(column, 0) + int(gained.max(initial=0))
    return [(bound - value, gains)], useful
