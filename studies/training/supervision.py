"""What the guided network is shown in a step, and what it ought to answer.

A rule is written clause by clause, a clause literal by literal, in any order. A state is a set of
finished clauses and a part of another one. Rows that a finished clause covers are off the table.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from gnri.model.guided.architecture import Counts, GuidedNetwork, Step
from studies.training.guided_tasks import Episodes, draw, draw_size
from studies.training.recipe import GuidedRecipe
from studies.training.streams import seeded, uniform


class Rails(NamedTuple):
    """Rail 0 of every episode, then rail 1 of every episode."""

    cells: Tensor  # float (rails, rows, literals): 1 where the literal is known to be true
    target: Tensor  # float (rails, rows): 1 on the rows that the rail asks for
    clauses: Tensor  # bool (rails, clauses, literals)
    explicit: Tensor  # bool (rails,)
    used: Tensor  # bool (rails, literals)
    noise: Tensor  # float (rails,)


def both_rails(episodes: Episodes) -> Rails:
    """Return the rails of the episodes."""
    cells, labels = episodes.cells.float(), episodes.labels
    hidden = (torch.cat(part.unbind(1)) for part in episodes[2:])
    return Rails(torch.cat([cells, cells]), torch.cat([labels, ~labels]).float(), *hidden)


def count(episodes: Episodes, most: int) -> Counts:
    """Return what the network sees of each rail, with at most `most` anchors.

    They have a high |target * all rest - rest * all target|, so both rails have the same ones.
    """
    cells, target = episodes.cells.float(), episodes.labels.float()
    literals = torch.stack([target, 1 - target], 1) @ cells  # (batch, 2, literals)
    sizes = torch.stack([target.sum(1), (1 - target).sum(1)], -1)
    telling = (literals * sizes.flip(-1)[..., None] * sizes.new_tensor([[1], [-1]])).sum(1).abs()
    anchors = telling.topk(min(most, cells.shape[2]), dim=1).indices
    beside = cells.gather(2, anchors[:, None].expand(-1, cells.shape[1], -1))
    every, wanted = cells.mT @ beside, (cells * target[..., None]).mT @ beside
    pairs = torch.stack([wanted, every - wanted], -1)
    # The counts of rail 0, (..., target and rest), then those of rail 1.
    rails = [torch.cat([each, each.flip(-1)]) for each in (literals.mT, pairs, sizes)]
    return Counts(rails[0], rails[1], anchors.repeat(2, 1), rails[2])


ALL_FINISHED = 0.15  # how often every clause is finished, so that it is time to end the rule
NOT_BEGUN = 0.25  # how often the clause is empty, beyond what a random part of it is
LITERALS = 8  # the longest part of a clause that is drawn


class State(NamedTuple):
    """Where the decoder stands on each rail."""

    finished: Tensor  # bool (rails, clauses)
    partial: Tensor  # bool (rails, literals): the clause that is being written


def covers(rails: Rails) -> Tensor:
    """Return whether each clause is known to be true on each row: bool (rails, clauses, rows)."""
    return _true(rails.clauses, rails.cells) & rails.clauses.any(-1)[..., None]


def worthwhile(rails: Rails, covered: Tensor) -> Tensor:
    """Return the clauses, bool (rails, clauses), that are true on a row of the target."""
    return (covered & rails.target[:, None].bool()).any(-1)


def remaining(rails: Rails, covered: Tensor, finished: Tensor) -> Tensor:
    """Return the clauses still to be written: each covers a free row of the target."""
    free = rails.target.bool() & ~taken(covered, finished)
    return (covered & free[:, None]).any(-1)


def taken(covered: Tensor, finished: Tensor) -> Tensor:
    """Return the rows, bool (rails, rows), that a finished clause covers."""
    return (covered & finished[..., None]).any(1)


def draw_state(rails: Rails, covered: Tensor, *, generator: torch.Generator) -> State:
    """Draw a state on each rail: some clauses finished, some literals of another put in."""
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
    """Return the right actions, bool (rails, literals + 1), the last to end clause or rule.

    A literal is right if some remaining clause holds it and all that the partial one holds. A
    clause must be ended when it equals a remaining one, the rule when no clause remains.
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
    """Return what the network sees of the states."""
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
    """Return whether all literals of a clause are known to be true on a row."""
    return clauses.float() @ (1 - cells).mT < 0.5


def _part(clause: Tensor, generator: torch.Generator) -> Tensor:
    """Draw literals of each clause, none to all equally often, and none more often."""
    rails, literals = clause.shape
    size = (uniform((rails,), generator) * (clause.sum(-1) + 1)).long().clamp(max=LITERALS)
    size = torch.where(uniform((rails,), generator) < NOT_BEGUN, 0, size)
    lot = uniform((rails, literals), generator).masked_fill(~clause, 2.0)
    last = lot.sort(1).values.gather(1, (size - 1).clamp(min=0, max=literals - 1)[:, None])
    return clause & (lot <= last) & (size > 0)[:, None]


class Lesson(NamedTuple):
    """A question for each rail of a batch, and the answer."""

    counts: Counts
    step: Step
    used: Tensor  # float (rails, literals): 1 for a literal of a short rule
    noise: Tensor  # float (rails,): the share of rows that it gets wrong
    accepted: Tensor  # bool (rails, literals + 1): the decoder's right actions
    ruled: Tensor  # bool (rails,): whether the right actions are known


class Answers(NamedTuple):
    """What the network says, in logits."""

    beliefs: Tensor  # (rails, literals)
    noise: Tensor  # (rails,)
    actions: Tensor  # (rails, literals + 1)


@torch.no_grad()
def prepare(episodes: Episodes, anchors: int, *, generator: torch.Generator) -> Lesson:
    """Return the lesson on these episodes, with the decoder in a random state on each rail."""
    rails = both_rails(episodes)
    covered = covers(rails)
    state = draw_state(rails, covered, generator=generator)
    return Lesson(
        count(episodes, anchors),
        step_counts(rails, covered, state),
        rails.used.float(),
        rails.noise,
        accepted(rails, covered, state),
        rails.explicit & worthwhile(rails, covered).any(1),
    )


def answer(network: GuidedNetwork, tokens: Tensor, lesson: Lesson) -> Answers:
    """Return what the network says once it has made its tokens."""
    counts = lesson.counts
    return Answers(
        network.beliefs(tokens).float(),
        network.noise_logit(tokens, counts.anchors).float(),
        network.actions(network.policy_tokens(tokens), lesson.step, counts.sizes).float(),
    )


class Stream:
    """The batch of each step, a function of recipe, seed and step; drawn in pools, for speed."""

    def __init__(self, recipe: GuidedRecipe, seed: int, device: torch.device | str) -> None:
        self.recipe, self.seed, self.device = recipe, seed, device
        self._number, self._size = -1, 0
        self._pool: Episodes | None = None

    def lesson(self, step: int) -> Lesson:
        """Return the lesson of one step, in a fresh state of the decoder on each rail."""
        states = seeded(self.seed, "states", step, device=self.device)
        return prepare(self.batch(step), self.recipe.model.anchors, generator=states)

    def batch(self, step: int) -> Episodes:
        """Return the episodes of one step; all steps of a pool have tables of one size."""
        number, place = divmod(step, self.recipe.train.pool)
        if self._pool is None or self._number != number:
            self._pool = None  # its memory is free before the next one is drawn
            size = draw_size(self.recipe, generator=seeded(self.seed, "size", number))
            whole = size._replace(episodes=size.episodes * self.recipe.train.pool)
            generator = seeded(self.seed, "pool", number, device=self.device)
            self._pool = draw(self.recipe.prior, whole, generator=generator)
            self._number, self._size = number, size.episodes
        return self._pool.part(place * self._size, self._size)
