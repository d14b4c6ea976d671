"""Train the critic: which of a table's candidate rules will do best on new rows."""

from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn.functional import mse_loss
from torch.nn.utils.rnn import pad_sequence

from gnri.errors import RecipeError
from gnri.model.guided.critic import Facts, critic_features, predict_shares
from studies.training.critic_pools import Pools, draw_pools
from studies.training.distributed import World
from studies.training.guided_training import build
from studies.training.modules import CriticModule
from studies.training.recipe import CriticRecipe
from studies.training.streams import seeded, stable_seed

_LEAST = 1e-6  # a feature that hardly varies is not blown up


def prepare(
    recipe: CriticRecipe, out: Path, *, jobs: int, progress: bool
) -> "Callable[[World], CriticTask]":
    """Draw tasks by `jobs` processes; return what begins to fit a fresh critic to them."""
    if recipe.init is None:
        raise RecipeError(
            "a critic is trained for a guided network; name its checkpoint with --init FOLDER"
        )
    network = build(recipe)  # whatever is wrong with it shows before the drawing
    pools = draw_pools(recipe, out / "tasks", jobs=jobs, shown=progress)

    def begin(world: World) -> CriticTask:
        if world.size > 1:
            raise RecipeError("one process trains the critic; start the run without torchrun")
        return CriticTask(recipe, network.to(world.device), pools)

    return begin


class CriticTask:
    """The guided network in training of its critic; the rest of it stays as it is."""

    def __init__(self, recipe: CriticRecipe, network: nn.Module, pools: Pools) -> None:
        self.recipe = recipe
        self.fitted, self.held_out = split(pools, recipe.train.held_out)
        self.critic = fresh_critic(recipe.seed, self.fitted.facts)
        self.network = network.requires_grad_(False)
        self.network.critic = self.critic.to(next(network.parameters()).device)

    def loss(self, _: nn.Module, step: int) -> tuple[Tensor, dict[str, Tensor]]:
        """Return the loss on tasks drawn for this step."""
        config, tasks = self.recipe.train, len(self.fitted.sizes)
        generator = seeded(self.recipe.seed, "batch", step)
        batch = self.fitted.take(torch.randint(tasks, (config.batch_size,), generator=generator))
        worths = self._worths(batch)
        terms = {
            "expected": -expected_accuracy(config.sharpness * worths, batch),
            "regression": config.regression * mse_loss(worths, batch.accuracy),
        }
        total = torch.stack(list(terms.values())).sum()
        return total, {name: term.detach() for name, term in terms.items()}

    @torch.no_grad()
    def look(self) -> dict[str, float]:
        """Return the accuracy on fresh rows of what is chosen on tasks that no step uses."""
        return figures(self._worths(self.held_out), self.held_out)

    def _worths(self, pools: Pools) -> Tensor:
        """Return on the critic's device and back: the tasks are few and stay with the CPU."""
        facts = pools.facts.to(self.critic.center.device)
        return predict_shares(self.critic, Facts(*facts.unbind(-1))).cpu()


def fresh_critic(seed: int, facts: Tensor) -> CriticModule:
    """Return an untrained critic that knows mean and spread of each feature of these rules."""
    with torch.random.fork_rng([]):
        torch.manual_seed(stable_seed(seed, "critic"))
        critic = CriticModule().double()
    features = critic_features(Facts(*facts.unbind(-1)))
    critic.center.copy_(features.mean(0))
    critic.spread.copy_(features.std(0, correction=0) + _LEAST)
    return critic


def split(pools: Pools, held_out: float) -> tuple[Pools, Pools]:
    """Return the first tasks to fit on and the last to look at, of those with candidates."""
    tasks = pools.sizes.nonzero()[:, 0]
    first = round(len(tasks) * (1 - held_out))
    if not 0 < first < len(tasks):
        raise RecipeError(
            f"{len(tasks)} tasks have rules to choose from, too few to fit on some and hold out "
            f"{held_out} of them; raise prior.tasks"
        )
    return pools.take(tasks[:first]), pools.take(tasks[first:])


def expected_accuracy(logits: Tensor, pools: Pools) -> Tensor:
    """Return the mean accuracy where each task's rule is drawn by the softmax of its logits."""
    return (_by_task(logits, pools, -torch.inf).softmax(1) * _accuracies(pools)).sum(1).mean()


def figures(worths: Tensor, pools: Pools) -> dict[str, float]:
    """Return mean accuracy on fresh rows of the rule chosen, the decoder's shortest, the best."""
    shortness = -pools.length.double()
    return {
        "chosen": _of_best(worths.masked_fill(~pools.short, -torch.inf), pools),
        "shortest": _of_best(shortness.masked_fill(~pools.written, -torch.inf), pools),
        "best": float(_accuracies(pools).amax(1).mean()),
    }


def _of_best(scores: Tensor, pools: Pools) -> float:
    """Return the mean accuracy of each task's rules of highest score."""
    scores = _by_task(scores, pools, -torch.inf)
    best = scores == scores.amax(1, keepdim=True)
    return float(((_accuracies(pools) * best).sum(1) / best.sum(1)).mean())


def _accuracies(pools: Pools) -> Tensor:
    return _by_task(pools.accuracy, pools, 0.0)


def _by_task(values: Tensor, pools: Pools, empty: float) -> Tensor:
    """Return a value for each candidate as (tasks, most candidates), filled up with `empty`."""
    return pad_sequence(values.split(pools.sizes.tolist()), True, empty)
