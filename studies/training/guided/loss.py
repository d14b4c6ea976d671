"""What training asks of the answers, and figures that say how good they are."""

import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from studies.training.guided.lesson import Answers, Lesson
from studies.training.guided.recipe import GuidedTrain

_NEVER = -1e4  # the logarithm of a share that is as good as none, and has a gradient


def loss(answers: Answers, lesson: Lesson, config: GuidedTrain) -> tuple[Tensor, dict[str, Tensor]]:
    """The training loss and, detached, its weighted terms."""
    beliefs = binary_cross_entropy_with_logits(answers.beliefs, lesson.used)
    noise = binary_cross_entropy_with_logits(answers.noise, lesson.noise)
    terms = {
        "literals": config.literals * beliefs,
        "noise": config.noise * noise,
        "policy": config.policy * policy_loss(answers, lesson),
    }
    total = torch.stack(list(terms.values())).sum()
    return total, {name: term.detach() for name, term in terms.items()}


def policy_loss(answers: Answers, lesson: Lesson) -> Tensor:
    """-log P(a right action), the mean over the rails whose right actions are known.

    All right actions together, and not each of them, are asked for: a rule may be written in any
    order.
    """
    share = answers.actions.log_softmax(-1).masked_fill(~lesson.accepted, _NEVER)
    ruled = lesson.ruled.float()
    return -(share.logsumexp(-1) * ruled).sum() / ruled.sum().clamp(min=1)


def figures(answers: Answers, lesson: Lesson) -> dict[str, Tensor]:
    """How good the answers are, for each rail that can tell: a tensor for each figure."""
    best = answers.actions.argmax(1, keepdim=True)
    return {
        "right_actions": lesson.accepted.gather(1, best)[lesson.ruled, 0].float(),
        "noise_error": (answers.noise.sigmoid() - lesson.noise).abs(),
        "literal_auc": area_under_curve(answers.beliefs, lesson.used.bool()),
    }


def area_under_curve(scores: Tensor, true: Tensor) -> Tensor:
    """How often a true entry scores above a false one in each row that has both; a tie is half.

    >>> scores = torch.tensor([[3.0, 2.0, 2.0, 1.0]])
    >>> area_under_curve(scores, torch.tensor([[True, True, False, False]]))
    tensor([0.8750])
    """
    ordered, scores = scores.sort(1).values, scores.contiguous()
    below = torch.searchsorted(ordered, scores)
    rank = (below + torch.searchsorted(ordered, scores, right=True) + 1) / 2
    count = true.sum(1)
    pairs = count * (~true).sum(1)
    above = (rank * true).sum(1) - count * (count + 1) / 2
    return (above / pairs)[pairs > 0]
