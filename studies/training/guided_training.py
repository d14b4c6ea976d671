"""Train the guided model: the loss of its answers, and figures that say how good they are."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from gnri.errors import CheckpointError
from gnri.model import checkpoint
from gnri.model.load import GUIDED
from studies.training.loop import autocast
from studies.training.modules import GuidedModule
from studies.training.recipe import CriticRecipe, GuidedRecipe, GuidedTrain
from studies.training.streams import stable_seed
from studies.training.supervision import Answers, Lesson, Stream, answer

_NEVER = -1e4  # the logarithm of a share that is as good as none, and has a gradient


def loss(answers: Answers, lesson: Lesson, config: GuidedTrain) -> tuple[Tensor, dict[str, Tensor]]:
    """Return the training loss and, detached, its weighted terms."""
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
    """Return -log P(any right action), the mean over the rails whose right actions are known."""
    share = answers.actions.log_softmax(-1).masked_fill(~lesson.accepted, _NEVER)
    ruled = lesson.ruled.float()
    return -(share.logsumexp(-1) * ruled).sum() / ruled.sum().clamp(min=1)


def figures(answers: Answers, lesson: Lesson) -> dict[str, Tensor]:
    """Return how good the answers are, for each rail that can tell: a tensor for each figure."""
    best = answers.actions.argmax(1, keepdim=True)
    return {
        "right_actions": lesson.accepted.gather(1, best)[lesson.ruled, 0].float(),
        "noise_error": (answers.noise.sigmoid() - lesson.noise).abs(),
        "literal_auc": area_under_curve(answers.beliefs, lesson.used.bool()),
    }


def area_under_curve(scores: Tensor, true: Tensor) -> Tensor:
    """Return how often a true entry scores above a false one in each row; a tie is half."""
    ordered, scores = scores.sort(1).values, scores.contiguous()
    below = torch.searchsorted(ordered, scores)
    rank = (below + torch.searchsorted(ordered, scores, right=True) + 1) / 2
    count = true.sum(1)
    pairs = count * (~true).sum(1)
    above = (rank * true).sum(1) - count * (count + 1) / 2
    return (above / pairs)[pairs > 0]


class GuidedTask:
    """The guided model in training. Its critic learns nothing here: it stays as it began."""

    def __init__(self, recipe: GuidedRecipe, device: torch.device) -> None:
        self.recipe, self.device = recipe, device
        self.stream = Stream(recipe, recipe.seed, device)
        self.network = build(recipe).to(device)
        self.network.critic.requires_grad_(False)
        self.validation = validation_lessons(recipe, device)

    def loss(self, step: int) -> tuple[Tensor, dict[str, Tensor]]:
        """Return the loss on fresh episodes, in a fresh state of the decoder on each rail."""
        lesson = self.stream.lesson(step)
        return loss(self._answers(lesson), lesson, self.recipe.train)

    @torch.no_grad()
    def look(self) -> dict[str, float]:
        """Return the loss and the figures on lessons that no step uses."""
        found: dict[str, list[Tensor]] = {}
        for lesson in self.validation:
            answers = self._answers(lesson)
            total = loss(answers, lesson, self.recipe.train)[0]
            seen = {"validation_loss": total[None]} | figures(answers, lesson)
            for name, values in seen.items():
                found.setdefault(name, []).append(values)
        return {name: float(torch.cat(values).mean()) for name, values in found.items()}

    def _answers(self, lesson: Lesson) -> Answers:
        with autocast(self.recipe.train.precision, self.device):
            return answer(self.network, self.network.tokens(lesson.counts), lesson)


def build(recipe: GuidedRecipe | CriticRecipe) -> GuidedModule:
    """Return the untrained network, or that of `init`; equal seeds give equal weights."""
    with torch.random.fork_rng([]):
        torch.manual_seed(stable_seed(recipe.seed, "weights"))
        network = GuidedModule(recipe.model)
    if recipe.init is not None:
        network.fill(initial_weights(Path(recipe.init), network))
    return network


def initial_weights(folder: Path, network: GuidedModule) -> checkpoint.Tensors:
    """Return the weights in a checkpoint of a guided model, which must fit `network`."""
    found = checkpoint.load(folder, expected=lambda *_: network.config.shapes())
    if found.condition != GUIDED:
        raise CheckpointError(
            f"{folder} holds weights of {found.condition!r}; a recipe of {GUIDED!r} starts from "
            f"weights of {GUIDED!r}"
        )
    return found.arrays()


def validation_lessons(recipe: GuidedRecipe, device: torch.device) -> list[Lesson]:
    """Return lessons of the prior from a seed that no step uses, each of its own size."""
    seed = stable_seed(recipe.seed, "validation")
    stream = Stream(replace(recipe, train=replace(recipe.train, pool=1)), seed, device)
    return [stream.lesson(number) for number in range(recipe.train.validation_batches)]


@contextmanager
def fast_products(device: torch.device | str) -> Iterator[None]:
    """Let a GPU round factors to TF32: counts are sums of 0 and 1, so they stay exact."""
    before = torch.get_float32_matmul_precision()
    if torch.device(device).type == "cuda":
        torch.set_float32_matmul_precision("high")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)
