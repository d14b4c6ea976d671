"""What the network is shown in a step, and what it ought to answer."""

from typing import NamedTuple

import torch
from torch import Tensor

from gnri.model.guided.architecture import Counts, GuidedNetwork, Step
from studies.training.guided.draw import Episodes
from studies.training.guided.rails import both_rails, count
from studies.training.guided.states import accepted, covers, draw_state, step_counts, worthwhile


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
    """The lesson on these episodes, with the decoder in a random state on each rail."""
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
    """What the network says once it has made its tokens."""
    counts, policy = lesson.counts, network.policy
    return Answers(
        network.beliefs(tokens).float(),
        network.noise_logit(tokens, counts.anchors).float(),
        policy(policy.token(tokens), lesson.step, counts.sizes).float(),
    )
