"""Where the decoder may stand on its way to the short rule, and which actions keep it on the way.

A rule is written clause by clause, a clause literal by literal, in any order. A state is a set of
finished clauses and a part of another one. Rows that a finished clause covers are off the table.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from gnri.model.guided.architecture import Step
from studies.training.guided.rails import Rails
from studies.training.table_columns import uniform

ALL_FINISHED = 0.15
"""How often every clause is finished, so that it is time to end the rule."""

NOT_BEGUN = 0.25
"""How often the clause is empty, beyond what a random part of it is."""

LITERALS = 8
"""The longest part of a clause that is drawn."""


class State(NamedTuple):
    """Where the decoder stands on each rail."""

    finished: Tensor  # bool (rails, clauses)
    partial: Tensor  # bool (rails, literals): the clause that is being written


def covers(rails: Rails) -> Tensor:
    """Whether each clause is known to be true on each row: bool (rails, clauses, rows)."""
    return _true(rails.clauses, rails.cells) & rails.clauses.any(-1)[..., None]


def worthwhile(rails: Rails, covered: Tensor) -> Tensor:
    """The clauses, bool (rails, clauses), that are true on a row of the target."""
    return (covered & rails.target[:, None].bool()).any(-1)


def remaining(rails: Rails, covered: Tensor, finished: Tensor) -> Tensor:
    """The clauses that are still to be written: each covers a row of the target that is free."""
    free = rails.target.bool() & ~taken(covered, finished)
    return (covered & free[:, None]).any(-1)


def taken(covered: Tensor, finished: Tensor) -> Tensor:
    """The rows, bool (rails, rows), that a finished clause covers."""
    return (covered & finished[..., None]).any(1)


def draw_state(rails: Rails, covered: Tensor, *, generator: torch.Generator) -> State:
    """A random state on each rail: some clauses finished, some literals of another one put in."""
    real = worthwhile(rails, covered)
    share = uniform((len(real), 1), generator)
    finished = real & (uniform(real.shape, generator) < share)
    complete = uniform((len(real), 1), generator) < ALL_FINISHED
    finished = torch.where(complete, real, finished)

    left = remaining(rails, covered, finished)
    pick = (uniform(left.shape, generator) * left).argmax(1)
    clause = rails.clauses[torch.arange(len(pick), device=pick.device), pick]
    return State(finished, _part(clause, generator) & left.any(1)[:, None])


def accepted(rails: Rails, covered: Tensor, state: State) -> Tensor:
    """The right actions, bool (rails, literals + 1), the last one to end the clause or the rule.

    A literal is right if some remaining clause holds it and all that the partial one holds. A
    clause is ended when it equals a remaining one, and then it is ended for sure. The rule is
    ended, by an empty clause, when no clause remains.
    """
    left = remaining(rails, covered, state.finished)
    foreign = (state.partial[:, None] & ~rails.clauses).any(-1)
    reached = (left & ~foreign)[..., None] & rails.clauses
    lacking = (reached & ~state.partial[:, None]).sum(-1)
    complete = (reached.any(-1) & (lacking == 0)).any(1)
    literals = reached.any(1) & ~state.partial & ~complete[:, None]
    end = torch.where(state.partial.any(1), complete, ~left.any(1))
    return torch.cat([literals, end[:, None]], 1)


def step_counts(rails: Rails, covered: Tensor, state: State) -> Step:
    """What the network sees of the states."""
    cover = _true(state.partial[:, None], rails.cells)[:, 0].float()
    free = (~taken(covered, state.finished)).float()
    masks = torch.stack([cover * free, cover, free, torch.ones_like(free)], 1)
    target = rails.target[:, None]
    split = torch.cat([masks * target, masks * (1 - target)], 1)  # (rails, 2 * masks, rows)
    literals, totals = split @ rails.cells, split.sum(-1)
    return Step(
        torch.stack(literals.chunk(2, 1), -1).transpose(1, 2),
        torch.stack(totals.chunk(2, 1), -1),
        torch.stack([state.partial.sum(-1), state.finished.sum(-1)], -1).float(),
        state.partial,
    )


def _true(clauses: Tensor, cells: Tensor) -> Tensor:
    """Whether all literals of a clause are known to be true on a row; of no literals, always."""
    return clauses.float() @ (1 - cells).mT < 0.5


def _part(clause: Tensor, generator: torch.Generator) -> Tensor:
    """Random literals of each clause, none to all of them equally often, and none more often."""
    rails, literals = clause.shape
    size = (uniform((rails,), generator) * (clause.sum(-1) + 1)).long().clamp(max=LITERALS)
    size = torch.where(uniform((rails,), generator) < NOT_BEGUN, 0, size)
    lot = uniform((rails, literals), generator).masked_fill(~clause, 2.0)
    last = lot.sort(1).values.gather(1, (size - 1).clamp(min=0, max=literals - 1)[:, None])
    return clause & (lot <= last) & (size > 0)[:, None]
