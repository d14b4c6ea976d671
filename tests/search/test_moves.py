"""Each part of the search against its obvious version."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnri.counts.problem import Problem
from gnri.counts.rail import Clause, Rail
from gnri.episode import Episode
from gnri.rules.dnf import Literal
from gnri.search import local_moves as polish_module
from gnri.search.beam import grow_clauses
from gnri.search.limits import PRICE_UNIT, Limits, check_prices, uniform_prices
from gnri.search.local_moves import Memory, edit_clauses, find_edits, merge_clauses
from gnri.search.state import Move, State, best_step
from tests.search.slow import classes, truth
from tests.strategies import episodes

LIMITS = Limits(max_literals=3)


@st.composite
def states(draw: st.DrawFn) -> State:
    """A rule on a rail of a small table."""
    episode = draw(episodes(max_rows=14, max_atoms=4))
    prices = uniform_prices(episode.atoms, draw(st.sampled_from([0.1, 0.5, 1.0])))
    rail = (
        Problem.from_episode(episode)
        .with_prices(check_prices(prices, episode.atoms))
        .rails[draw(st.integers(0, 1))]
    )
    literals = st.integers(0, max(len(rail.words) - 1, 0))
    clauses = st.frozensets(literals, min_size=1, max_size=3)
    rule = draw(st.frozensets(clauses, max_size=4)) if len(rail.words) else frozenset()
    return State(rail, rule)


def neighbours(state: State) -> set[frozenset[Clause]]:
    """Every rule that a clause left out, or a literal dropped, added or swapped, leads to."""
    found = set()
    every = range(len(state.rail.words))
    for clause in state.clauses:
        others = state.clauses - {clause}
        changed = {clause - {old} for old in clause} | {clause | {new} for new in every}
        changed |= {(clause - {old}) | {new} for old in clause for new in every}
        fits = {items for items in changed if items and len(items) <= LIMITS.max_literals}
        # A change into another clause of the rule saves its price besides, which is not counted.
        found |= {others} | {others | {items} for items in fits - others}
    return found


@given(episodes(max_rows=9, max_atoms=4))
def test_the_table_holds_the_classes_and_their_truth(episode: Episode) -> None:
    table = Problem.from_episode(episode).with_prices(
        check_prices(uniform_prices(episode.atoms), episode.atoms)
    )
    assert set(table.classes) == set(classes(episode).values())
    for rail, sign in zip(table.rails, (1, -1), strict=True):
        labels = episode.labels[episode.labels != 0]
        target, rest = rail.count(rail.everything[None])
        for i, members in enumerate(table.classes):
            for literal in members:
                where = np.array(truth(episode, Literal(*literal)))
                assert target[0, i] == where[labels == sign].sum()
                assert rest[0, i] == where[labels == -sign].sum()


def test_more_rows_than_a_word_holds() -> None:
    rng = np.random.default_rng(0)
    values = rng.choice([-1, 0, 1], (500, 6))
    labels = rng.choice([-1, 1], 500)
    rail: Rail = (
        Problem.from_episode(Episode(values, labels))
        .with_prices(check_prices(uniform_prices(6), 6))
        .rails[0]
    )
    assert tuple(map(int, rail.size(rail.everything))) == ((labels > 0).sum(), (labels < 0).sum())
    target, rest = rail.count(np.array([rail.cover(frozenset({0}))]))
    members = (
        Problem.from_episode(Episode(values, labels))
        .with_prices(check_prices(uniform_prices(6), 6))
        .classes
    )
    first, second = (next(iter(members[i])) for i in (0, 1))
    both = (values[:, first.atom] == (1 if first.positive else -1)) & (
        values[:, second.atom] == (1 if second.positive else -1)
    )
    assert (target[0, 1], rest[0, 1]) == (both[labels > 0].sum(), both[labels < 0].sum())


@given(states())
def test_the_gain_of_a_move_is_what_it_saves(state: State) -> None:
    for item in [
        *edit_clauses(state, LIMITS, {}),
        *merge_clauses(state),
        *grow_clauses(state, LIMITS),
    ]:
        if not item.added & state.clauses:
            after = State(state.rail, (state.clauses - item.removed) | item.added)
            assert state.cost - after.cost == item.gain


@contextmanager
def one_opening_at_a_time() -> Iterator[None]:
    """As on a large table, where the bounds decide what is looked at."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(polish_module, "_BATCH", 1)
        yield


@given(states())
def test_polish_finds_the_best_change_of_one_clause(state: State) -> None:
    best = max([0, *(state.cost - State(state.rail, rule).cost for rule in neighbours(state))])
    with one_opening_at_a_time():
        moves = edit_clauses(state, LIMITS, {})
    assert max([0, *(item.gain for item in moves)]) == best


def best_of(moves: list[Move]) -> set[Move]:
    best = max([1, *(item.gain for item in moves)])
    return {item for item in moves if item.gain == best}


def rules_of_some_size() -> list[State]:
    """Random rules on tables where bounds are close to gains and clauses overlap."""
    rng, found = np.random.default_rng(4), []
    for _ in range(15):
        values = rng.choice([-1, 1], (60, 6))
        labels = np.where((values[:, :2] > 0).all(1) ^ (rng.random(60) < 0.3), 1, -1)
        rail = (
            Problem.from_episode(Episode(values, labels))
            .with_prices(check_prices(uniform_prices(6, rng.choice([0.1, 0.5, 1.0])), 6))
            .rails[0]
        )
        rule = {frozenset(rng.choice(12, 3, replace=False).tolist()) for _ in range(5)}
        found.append(State(rail, rule))
    return found


def test_no_literal_gains_more_than_the_bound_of_its_opening() -> None:
    for state in rules_of_some_size():
        memory: Memory = {}
        step: State | None = state
        while step is not None and step.clauses:
            state, edits = step, find_edits(step, memory)
            target, rest = state.rail.count(edits.masks)
            gains = PRICE_UNIT * (target - rest) - state.rail.prices + edits.base[:, None]
            for i, (clause, _) in enumerate(edits.pairs):
                others = [j for j in range(len(state.rail.words)) if j not in clause]
                assert gains[i, others].max() <= edits.bound[i]
            step = best_step(state, edit_clauses(state, LIMITS, memory), LIMITS)


def test_bounds_and_memory_hide_no_best_move() -> None:
    for state in rules_of_some_size():
        memory: Memory = {}
        step: State | None = state
        while step is not None:
            state = step
            with one_opening_at_a_time():
                seen = edit_clauses(state, LIMITS, memory)
            assert best_of(seen) == best_of(edit_clauses(state, LIMITS, {}))
            saved = (state.cost - State(state.rail, rule).cost for rule in neighbours(state))
            assert max([0, *(item.gain for item in seen)]) == max([0, *saved])
            step = best_step(state, seen, LIMITS)


@given(states())
def test_a_step_lowers_the_cost_within_the_limits(state: State) -> None:
    most = max(len(state.clauses), 1), 3, max(state.literals, 2)
    limits = Limits(max_clauses=most[0], max_literals=most[1], max_conditions=most[2])
    after = best_step(
        state, [*edit_clauses(state, limits, {}), *grow_clauses(state, limits)], limits
    )
    if after is not None:
        assert after.cost < state.cost
        assert len(after.clauses) <= limits.max_clauses
        assert all(1 <= len(clause) <= 3 for clause in after.clauses)
        assert after.literals <= limits.max_conditions


@pytest.mark.parametrize("errors", [0.1, 0.5])
def test_grow_finds_the_best_clause_of_a_small_table(errors: float) -> None:
    rng = np.random.default_rng(2)
    for _ in range(20):
        values = rng.choice([-1, 1], (int(rng.integers(6, 30)), 4))
        rail = (
            Problem.from_episode(Episode(values, rng.choice([-1, 1], len(values))))
            .with_prices(check_prices(uniform_prices(4, errors), 4))
            .rails[0]
        )
        empty = State(rail)
        every = range(len(rail.words))
        singles = [frozenset(c) for size in (1, 2, 3) for c in combinations(every, size)]
        best = max(empty.cost - State(rail, {clause}).cost for clause in singles)
        assert max([0, *(item.gain for item in grow_clauses(empty, LIMITS))]) == max(best, 0)
