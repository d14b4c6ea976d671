"""The decoder's states and right actions, beside versions that walk sets of literals."""

from typing import NamedTuple

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from studies.training.guided_tasks import Size, draw
from studies.training.recipe import GuidedPrior
from studies.training.supervision import (
    Rails,
    State,
    accepted,
    both_rails,
    covers,
    draw_state,
    remaining,
    step_counts,
    worthwhile,
)
from tests.effort import half_as_often

Clause = frozenset[int]


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def rails_of(size: Size, seed: int = 0) -> Rails:
    return both_rails(draw(GuidedPrior(reference_rows=32), size, generator=seeded(seed)))


class Slow(NamedTuple):
    """One rail as sets."""

    true: list[Clause]  # of each row, the literals that are known to be true
    target: set[int]
    clauses: list[Clause]

    def cover(self, clause: Clause) -> set[int]:
        return {row for row, literals in enumerate(self.true) if clause <= literals}

    def left(self, finished: set[int]) -> set[int]:
        """The clauses that cover a row of the target which no finished clause covers."""
        gone = set().union(*(self.cover(self.clauses[i]) for i in finished))
        return {
            i
            for i, clause in enumerate(self.clauses)
            if clause and i not in finished and (self.cover(clause) & self.target) - gone
        }

    def right(self, finished: set[int], partial: Clause) -> tuple[set[int], bool]:
        """The literals that may come next, and whether the end may."""
        left = [self.clauses[i] for i in self.left(finished)]
        if not partial:
            return set().union(*left), not left
        if partial in left:
            return set(), True
        return set().union(*(clause - partial for clause in left if partial <= clause)), False


def slow(rails: Rails, rail: int) -> Slow:
    return Slow(
        [indices(row) for row in rails.cells[rail]],
        set(indices(rails.target[rail])),
        [indices(clause) for clause in rails.clauses[rail]],
    )


def indices(mask: Tensor) -> Clause:
    return frozenset(mask.nonzero()[:, 0].tolist())


def crowded(rails: Rails, seed: int) -> Rails:
    """The rails with clauses that hold others, equal others, or are empty."""
    lots = torch.rand(rails.clauses.shape, generator=seeded(seed))
    return rails._replace(clauses=lots < 0.3)


@half_as_often
@given(st.integers(0, 2**32), st.integers(1, 4), st.integers(1, 12), st.booleans())
def test_right_actions_are_those_of_sets(seed: int, atoms: int, rows: int, crowd: bool) -> None:
    rails = rails_of(Size(3, rows, atoms), seed)
    rails = crowded(rails, seed) if crowd else rails
    covered = covers(rails)
    state = draw_state(rails, covered, generator=seeded(seed))
    found = accepted(rails, covered, state)
    left = remaining(rails, covered, state.finished)
    real = worthwhile(rails, covered)
    for rail in range(6):
        sets, finished = slow(rails, rail), set(indices(state.finished[rail]))
        assert indices(left[rail]) == sets.left(finished)
        assert indices(real[rail]) == sets.left(set())
        literals, end = sets.right(finished, indices(state.partial[rail]))
        assert indices(found[rail, :-1]) == literals
        assert bool(found[rail, -1]) == end
        assert literals or end


def test_every_right_action_keeps_a_way_to_the_rule() -> None:
    """Take right actions at random: the walk ends, and every target row that clauses cover is."""
    rails = rails_of(Size(20, 16, 5), 1)
    covered = covers(rails)
    state = draw_state(rails, covered, generator=seeded(2))
    for rail in range(40):
        sets, clauses = slow(rails, rail), rails.clauses[rail]
        finished, partial = state.finished[rail].clone(), state.partial[rail].clone()
        for step in range(100):
            found = accepted(rails, covered, state_at(state, rail, finished, partial))[rail]
            action = int((torch.rand(len(found), generator=seeded(step)) * found).argmax())
            assert found[action]
            if action < len(partial):
                partial[action] = True
                assert (partial <= clauses).all(1).any()
            elif partial.any():
                finished |= (clauses == partial).all(1)
                partial = torch.zeros_like(partial)
            else:
                break
        reached = set().union(*(sets.cover(sets.clauses[i]) for i in indices(finished)))
        reachable = set().union(*(sets.cover(clause) for clause in sets.clauses if clause))
        assert reached & sets.target == reachable & sets.target


def state_at(state: State, rail: int, finished: Tensor, partial: Tensor) -> State:
    whole = State(*(part.clone() for part in state))
    whole.finished[rail], whole.partial[rail] = finished, partial
    return whole


def test_states_lie_on_the_way_and_all_kinds_of_them_are_drawn() -> None:
    rails = rails_of(Size(600, 60, 8))
    covered = covers(rails)
    state = draw_state(rails, covered, generator=seeded())
    real = worthwhile(rails, covered)
    assert not (state.finished & ~real).any()
    begun, done = state.partial.any(1), ~remaining(rails, covered, state.finished).any(1)
    inside = (~state.partial[:, None] | rails.clauses).all(-1)
    assert (inside & ~state.finished & real).any(1)[begun].all()
    found = accepted(rails, covered, state)[real.any(1)]
    assert 0.15 < found[:, -1].double().mean() < 0.75
    known = real.any(1)
    assert 0.15 < done[known].double().mean() < 0.6
    assert 0.2 < begun[known].double().mean() < 0.7
    assert (state.finished.sum(1) > 1).any()


def test_what_the_network_sees_is_what_a_loop_counts() -> None:
    rails = rails_of(Size(12, 14, 5), 3)
    covered = covers(rails)
    state = draw_state(rails, covered, generator=seeded(1))
    step = step_counts(rails, covered, state)
    for rail in range(24):
        sets, partial = slow(rails, rail), indices(state.partial[rail])
        gone = set().union(*(sets.cover(sets.clauses[i]) for i in indices(state.finished[rail])))
        everything = set(range(14))
        masks = [sets.cover(partial) - gone, sets.cover(partial), everything - gone, everything]
        for place, mask in enumerate(masks):
            both = [len(mask & sets.target), len(mask - sets.target)]
            assert step.totals[rail, place].tolist() == both
            for literal in range(10):
                true = mask & sets.cover(frozenset([literal]))
                both = [len(true & sets.target), len(true - sets.target)]
                assert step.literals[rail, literal, place].tolist() == both
        assert step.place[rail].tolist() == [len(partial), int(state.finished[rail].sum())]
    assert torch.equal(step.banned, state.partial)


@pytest.mark.parametrize("size", [Size(2, 1, 1), Size(1, 40, 3)])
def test_small_tables_have_states_too(size: Size) -> None:
    rails = rails_of(size)
    state = draw_state(rails, covers(rails), generator=seeded())
    assert state.partial.shape == (2 * size.episodes, 2 * size.atoms)
