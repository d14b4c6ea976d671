"""What the critic learns from: rules of many tables, and how well each does afterwards."""

import json
from collections.abc import Iterable
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

from gnri.atomic_write import write_atomically
from gnri.counts.problem import Problem
from gnri.episode import Episode
from gnri.errors import CheckpointError
from gnri.induction import candidates
from gnri.model.guided.candidates import Guided, shortlist
from gnri.model.guided.critic import Facts
from gnri.model.load import load_model
from gnri.rules.dnf import SignedDNF
from studies.training.guided_tasks import log_uniform
from studies.training.hidden_targets import draw_target
from studies.training.recipe import CriticPrior, CriticRecipe
from studies.training.streams import seeded
from studies.training.table_columns import draw_columns, draw_known

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
        by_decoder = c.clauses in scorer.proposals[c.rail].rules
        rules.append((facts, _accuracy(rule, task), c.length, c in short, by_decoder))
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
    return _joined(_read(path, digest) for path in paths.values())


def _draw_piece(recipe: CriticRecipe, numbers: range, path: Path, digest: str) -> None:
    model = load_model(Path(recipe.init or ""))
    if not isinstance(model, Guided):
        raise CheckpointError(f"{recipe.init} holds weights of {model.name}, not of guided")
    tasks = (draw_task(recipe.prior, recipe.seed, number) for number in numbers)
    found = _joined(draw_pool(model, task) for task in tasks)
    tensors = {name: tensor.contiguous() for name, tensor in found._asdict().items()}
    write_atomically(path, save(tensors, {"drawn": digest}))


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


def _accuracy(rule: SignedDNF, task: Task) -> float:
    """Return the share of fresh rows that a rule gets right; what is not known to hold does not."""
    covered = SignedDNF(rule.clauses).evaluate(task.values) > 0
    return float(((covered == rule.positive) == task.labels).mean())


def _pools(rules: list[tuple[list[float], float, int, bool, bool]]) -> Pools:
    columns = zip(*rules, strict=True) if rules else ((),) * 5
    kinds = (torch.float64, torch.float64, torch.int64, torch.bool, torch.bool)
    parts = [torch.tensor(column, dtype=kind) for column, kind in zip(columns, kinds, strict=True)]
    parts[0] = parts[0].reshape(len(rules), len(Facts._fields))
    return Pools(*[*parts, torch.tensor([len(rules)])])


def _joined(pools: Iterable[Pools]) -> Pools:
    return Pools(*map(torch.cat, zip(*pools, strict=True)))
