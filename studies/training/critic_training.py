"""Train the critic: which of a table's candidate rules will do best on new rows.

It learns from pools: rules of many random tables, and how well each does on fresh rows.
"""

import json
from collections.abc import Callable
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor
from torch.nn.functional import mse_loss
from torch.nn.utils.rnn import pad_sequence

from gnri.atomic_write import write_atomically
from gnri.counts.problem import Problem
from gnri.episode import Episode
from gnri.errors import CheckpointError, RecipeError
from gnri.induction import candidates
from gnri.model.guided.candidates import Guided, shortlist
from gnri.model.guided.critic import Facts, critic_features, predict_shares
from gnri.model.load import load_model
from gnri.rules.dnf import SignedDNF
from studies.training.guided_tasks import log_uniform
from studies.training.guided_training import build
from studies.training.hidden_targets import draw_target
from studies.training.modules import CriticModule, GuidedModule
from studies.training.recipe import CriticPrior, CriticRecipe
from studies.training.streams import seeded, stable_seed
from studies.training.table_columns import draw_columns, draw_known

LEAST_SPREAD = 1e-6  # a feature that hardly varies is not blown up
PIECE = 50  # tasks that are drawn by one process and kept in one file


class Task(NamedTuple):
    """A table, and fresh rows with what is true of them."""

    episode: Episode
    values: NDArray[np.int8]  # (fresh rows, atoms)
    labels: NDArray[np.bool_]  # (fresh rows,)


class Pools(NamedTuple):
    """The candidates of several tasks, one task after the other."""

    facts: Tensor  # float64 (candidates, facts): see `Facts`
    accuracy: Tensor  # float64 (candidates,): the share of fresh rows that a rule gets right
    length: Tensor  # long (candidates,): of the description, as `Candidate` has it
    short: Tensor  # bool (candidates,): whether that is short enough to be chosen
    written: Tensor  # bool (candidates,): whether the decoder wrote the rule
    sizes: Tensor  # long (tasks,): how many candidates each has, in the order of the tasks

    def take(self, tasks: Tensor) -> "Pools":
        """Return the pools of these tasks."""
        ends = self.sizes.cumsum(0)
        spans = zip((ends - self.sizes)[tasks].tolist(), ends[tasks].tolist(), strict=True)
        places = torch.cat([torch.arange(start, end) for start, end in spans])
        parts = {name: part[places] for name, part in self._asdict().items() if name != "sizes"}
        return Pools(**parts, sizes=self.sizes[tasks])


def draw_task(prior: CriticPrior, seed: int, number: int) -> Task:
    """Return the task of this number."""
    generator = seeded(seed, "task", number)
    across, down, rate, lot = torch.rand(4, dtype=torch.float64, generator=generator).tolist()
    atoms, rows = log_uniform(*prior.atoms, across), log_uniform(*prior.rows, down)
    columns = draw_columns(1, rows + prior.fresh_rows, atoms, generator=generator)
    labels = draw_target(columns, generator=generator).labels[0]
    known = draw_known(columns.truth, generator=generator)[0]
    values = torch.where(columns.truth[0], 1, -1).mul(known).numpy()
    often = prior.label_noise * rate if lot < prior.noisy else 0.0
    flipped = torch.rand(rows, dtype=torch.float64, generator=generator) < often
    shown = torch.where(labels[:rows] ^ flipped, 1, -1).numpy()
    return Task(Episode(values[:rows], shown), values[rows:].astype(np.int8), labels[rows:].numpy())


def draw_pool(model: Guided, task: Task) -> Pools:
    """Return what `induce` weighs, each once; none where there is nothing to decide."""
    table = Problem.from_episode(task.episode)
    if not table.is_learnable:
        return _pools([])
    scorer = model.scorer(table)
    pool = list({(c.rail, c.clauses): c for c in candidates(scorer)}.values())
    short = shortlist(pool)
    rules = []
    for c in pool:
        facts, rule = scorer.facts(c.rail, c.clauses), table.to_rule(c.rail, c.clauses)
        # What is not known to hold on a row does not cover it.
        covered = SignedDNF(rule.clauses).evaluate(task.values) > 0
        accuracy = float(((covered == rule.positive) == task.labels).mean())
        by_decoder = c.clauses in scorer.proposals[c.rail].rules
        rules.append((facts, accuracy, c.length, c in short, by_decoder))
    return _pools(rules)


def draw_pools(recipe: CriticRecipe, folder: Path, *, jobs: int, shown: bool) -> Pools:
    """Draw the pools of all tasks of a recipe that are not in `folder` already."""
    from joblib import Parallel, delayed  # type: ignore[import-untyped]

    folder.mkdir(parents=True, exist_ok=True)
    tasks, digest = range(recipe.prior.tasks), _digest(recipe)
    pieces = [tasks[start : start + PIECE] for start in tasks[::PIECE]]
    paths = {piece: folder / f"{piece.start:07d}.safetensors" for piece in pieces}
    left = [piece for piece in pieces if not paths[piece].exists()]
    pool = Parallel(n_jobs=jobs, return_as="generator_unordered")
    drawn = pool(delayed(_draw_piece)(recipe, piece, paths[piece], digest) for piece in left)
    for done, _ in enumerate(drawn, len(pieces) - len(left) + 1):
        if shown:
            print(f"tasks {min(done * PIECE, len(tasks))}/{len(tasks)}", flush=True)
    return Pools(*map(torch.cat, zip(*(_read(p, digest) for p in paths.values()), strict=True)))


def _draw_piece(recipe: CriticRecipe, numbers: range, path: Path, digest: str) -> None:
    model = load_model(Path(recipe.init or ""))
    if not isinstance(model, Guided):
        raise CheckpointError(f"{recipe.init} holds weights of {model.name}, not of guided")
    pools = [draw_pool(model, draw_task(recipe.prior, recipe.seed, n)) for n in numbers]
    tensors = map(torch.cat, zip(*pools, strict=True))
    write_atomically(path, save(dict(zip(Pools._fields, tensors, strict=True)), {"drawn": digest}))


def _read(path: Path, digest: str) -> Pools:
    try:
        with safe_open(path, "pt") as file:
            whose = (file.metadata() or {}).get("drawn")
            found = Pools(*(file.get_tensor(name) for name in Pools._fields))
    except SafetensorError as error:
        raise CheckpointError(
            f"{path} cannot be read: {error}; delete it to draw it again"
        ) from None
    if whose != digest:
        raise CheckpointError(
            f"{path} was drawn by another recipe or network; give the run a folder of its own"
        )
    return found


def _digest(recipe: CriticRecipe) -> str:
    """Return a checksum of what the pools depend on."""
    config = json.loads((Path(recipe.init or "") / "config.json").read_bytes())
    facts = [config["sha256"], recipe.seed, asdict(recipe.prior), PIECE]
    return sha256(json.dumps(facts).encode()).hexdigest()


def _pools(rules: list[tuple[list[float], float, int, bool, bool]]) -> Pools:
    columns = zip(*rules, strict=True) if rules else ((),) * 5
    kinds = (torch.float64, torch.float64, torch.int64, torch.bool, torch.bool)
    parts = [torch.tensor(column, dtype=kind) for column, kind in zip(columns, kinds, strict=True)]
    parts[0] = parts[0].reshape(len(rules), len(Facts._fields))
    return Pools(*[*parts, torch.tensor([len(rules)])])


def prepare(
    recipe: CriticRecipe, out: Path, *, jobs: int, progress: bool
) -> "Callable[[torch.device], CriticTask]":
    """Draw tasks by `jobs` processes; return what begins to fit a fresh critic to them."""
    if recipe.init is None:
        raise RecipeError(
            "a critic is trained for a guided network; name its checkpoint with --init FOLDER"
        )
    network = build(recipe)  # whatever is wrong with it shows before the drawing
    pools = draw_pools(recipe, out / "tasks", jobs=jobs, shown=progress)
    return lambda device: CriticTask(recipe, network.to(device), pools)


class CriticTask:
    """The guided network in training of its critic; the rest of it stays as it is."""

    def __init__(self, recipe: CriticRecipe, network: GuidedModule, pools: Pools) -> None:
        self.recipe = recipe
        self.fitted, self.held_out = split(pools, recipe.train.held_out)
        self.critic = fresh_critic(recipe.seed, self.fitted.facts)
        self.network = network.requires_grad_(False)
        self.network.critic = self.critic.to(next(network.parameters()).device)

    def loss(self, step: int) -> tuple[Tensor, dict[str, Tensor]]:
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
        """Compute on the critic's device; the tasks are few and stay with the CPU."""
        facts = pools.facts.to(self.critic.center.device)
        return predict_shares(self.critic, Facts(*facts.unbind(-1))).cpu()


def fresh_critic(seed: int, facts: Tensor) -> CriticModule:
    """Return an untrained critic that knows mean and spread of each feature of these rules."""
    with torch.random.fork_rng([]):
        torch.manual_seed(stable_seed(seed, "critic"))
        critic = CriticModule().double()
    features = critic_features(Facts(*facts.unbind(-1)))
    critic.center.copy_(features.mean(0))
    critic.spread.copy_(features.std(0, correction=0) + LEAST_SPREAD)
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
    chances = _by_task(logits, pools, -torch.inf).softmax(1)
    return (chances * _by_task(pools.accuracy, pools)).sum(1).mean()


def figures(worths: Tensor, pools: Pools) -> dict[str, float]:
    """Return mean accuracy on fresh rows of the rule chosen, the decoder's shortest, the best."""
    shortness = -pools.length.double()
    return {
        "chosen": _of_best(worths.masked_fill(~pools.short, -torch.inf), pools),
        "shortest": _of_best(shortness.masked_fill(~pools.written, -torch.inf), pools),
        "best": float(_by_task(pools.accuracy, pools).amax(1).mean()),
    }


def _of_best(scores: Tensor, pools: Pools) -> float:
    """Return the mean accuracy of each task's rules of highest score."""
    scores = _by_task(scores, pools, -torch.inf)
    best = scores == scores.amax(1, keepdim=True)
    right = _by_task(pools.accuracy, pools) * best
    return float((right.sum(1) / best.sum(1)).mean())


def _by_task(values: Tensor, pools: Pools, empty: float = 0.0) -> Tensor:
    """Return a value for each candidate as (tasks, most candidates), filled up with `empty`."""
    return pad_sequence(values.split(pools.sizes.tolist()), True, empty)
