"""Episodes of the studies, synthetic and real, and the figures of what answers them.

Synthetic ones are drawn on the CPU from seeds of their own, so that all models meet the same.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from gnri.episode import Episode
from gnri.rules.dnf import SignedDNF
from gnri.scores import Scores
from gnri.symmetry.audit_report import jaccard
from studies.benchmarks.one_against_rest import one_vs_rest_episodes
from studies.benchmarks.public_tables import split, table
from studies.paper.baseline_networks import ConditionNetwork, export_of
from studies.paper.networks import Predictions, predictions_of, scores_of
from studies.results import Row
from studies.study import Settings
from studies.training.batch import Batch
from studies.training.coin_tables import PriorConfig, Sample, fresh_rows, sample
from studies.training.streams import seeded, uniform


@lru_cache(maxsize=2)
def synthetic_episodes(
    atoms: int, count: int, fresh: int, clauses: int | None = None
) -> tuple[Sample, Tensor, Tensor]:
    """Return episodes of one width, with fresh rows and their true labels."""
    few = () if clauses is None else (clauses,)
    generator, prior = seeded("scaling", atoms, *few), PriorConfig(atoms=(atoms, atoms))
    prior = prior if clauses is None else replace(prior, clauses=(clauses, clauses))
    drawn = sample(prior, count, generator=generator)
    return drawn, *fresh_rows(drawn, fresh, generator=generator)


@dataclass(frozen=True, eq=False)
class Moves:
    """For each episode an order of the rows, and an order and a sign for its atoms."""

    rows: Tensor  # (batch, rows): which row comes to each place
    atoms: Tensor  # (batch, atoms)
    signs: Tensor  # (batch, atoms), of the atom that comes to each place

    def __call__(self, batch: Batch) -> Batch:
        """Move rows and atoms of the episodes and negate atoms; labels go with their rows."""
        values = batch.values.gather(1, self.rows[..., None].expand_as(batch.values))
        values = values.gather(2, self.atoms[:, None].expand_as(values)) * self.signs[:, None]
        return Batch(values, batch.labels.gather(1, self.rows))


def moves_of(batch: Batch, *, generator: torch.Generator) -> Moves:
    """Return a uniform element of S_M x B_N for each episode."""
    size, *items = batch.values.shape
    signs = 2 * torch.randint(2, (size, items[1]), generator=generator, dtype=torch.int8) - 1
    rows, atoms = (uniform((size, n), generator, torch.float64).argsort(1) for n in items)
    return Moves(rows, atoms, signs)


@lru_cache(maxsize=2)
def training_episodes(
    name: str, folds: tuple[int, ...], data_dir: Path | None, *, hidden: bool = False
) -> list[Episode]:
    """Return one episode a fold for two classes, one for each class where there are more.

    With `hidden`, return the rows that were held out instead.
    """
    encoded, _ = table(name, data_dir)
    classes = int(encoded.codes.max()) + 1
    kinds = [1] if classes == 2 else range(classes)
    found: list[Episode] = []
    for fold in folds:
        rows = split(encoded.codes, fold)[hidden]
        found += one_vs_rest_episodes(encoded.values[rows], encoded.codes[rows], kinds)
    return found


def one_hot_blocks(name: str, data_dir: Path | None) -> list[tuple[int, ...]]:
    """Return the blocks within which atoms may be exchanged: columns with two values or more."""
    encoded, _ = table(name, data_dir)
    return [block for block in encoded.schema.blocks if len(block) > 1]


Reply = tuple[SignedDNF | None, NDArray[np.int8]]  # the rule, and the predictions for its rows


def each_figures(
    replies: Callable[[Batch], Iterable[Reply]], atoms: int, count: int, fresh_rows: int
) -> list[tuple[float, float, bool]]:
    """Return support accuracy, fidelity on fresh rows and whether there is a rule, by episode."""
    drawn, fresh, truth = synthetic_episodes(atoms, count, fresh_rows)
    found = []
    for index, (rule, predicted) in enumerate(replies(drawn.batch)):
        episode = drawn.batch.episode(index)
        shown = episode.labels != 0
        support = np.mean(predicted[shown] == episode.labels[shown])
        fidelity = np.mean(answer(rule, episode, fresh[index].numpy()) == truth[index].numpy())
        found.append((float(support), float(fidelity), rule is not None))
    return found


def figures(
    replies: Callable[[Batch], Iterable[Reply]], atoms: int, count: int, fresh_rows: int
) -> Row:
    """Return support accuracy, fidelity to the hidden rule on fresh rows, and share of rules."""
    found = each_figures(replies, atoms, count, fresh_rows)
    means = (float(np.mean(column)) for column in zip(*found, strict=True))
    return dict(zip(("support_accuracy", "fresh_fidelity", "coverage"), means, strict=True))


def network_figures(
    network: ConditionNetwork, atoms: int, settings: Settings, draws: int = 0
) -> Row:
    """Return the figures of a network, with `draws` also how far its answers drift."""
    batch = synthetic_episodes(atoms, settings.episodes, settings.fresh_rows)[0].batch
    scores, predictions = scores_of(network, batch), predictions_of(network, batch)

    def replies(batch: Batch) -> Iterable[Reply]:
        export = export_of(network.condition)
        labels = predictions.labels(network.condition).to(dtype=batch.labels.dtype).numpy()
        for index, given in enumerate(scores):
            yield export(given, batch.episode(index)).rule, labels[index]

    found = figures(replies, atoms, settings.episodes, settings.fresh_rows)
    if draws:
        found["label_jaccard"] = label_jaccard(network, scores, batch)
        found |= max_devs(network, batch, predictions, draws)
    return found


def rule_replies(learner: Callable[[Episode], SignedDNF | None], batch: Batch) -> Iterable[Reply]:
    """Yield the rule of a learner, which predicts by it alone."""
    for index in range(len(batch)):
        episode = batch.episode(index)
        rule = learner(episode)
        yield rule, answer(rule, episode, episode.values)


def answer(rule: SignedDNF | None, episode: Episode, values: NDArray[np.int8]) -> NDArray[np.int8]:
    """Return what a rule says of new rows; the majority of the labels where it abstains."""
    if rule is None:
        return np.full(len(values), 1 if episode.labels.sum() >= 0 else -1, np.int8)
    return rule.evaluate(values)


def max_devs(network: ConditionNetwork, batch: Batch, before: Predictions, draws: int) -> Row:
    """Return the largest change of a row's prediction, averaged over episodes and draws.

    One forward gives both rails, and with them the prediction for swapped labels; so the same
    draws serve B_N and, with the labels swapped, the combined symmetry.
    """
    generator = seeded("moves", batch.values.shape[2])
    found, expected = [], before.of(network.condition)
    for _ in range(draws):
        moves = moves_of(batch, generator=generator)
        moved = moves(batch)
        after = predictions_of(network, moved)
        here, shown = expected.gather(1, moves.rows), moved.labels != 0
        kept = after.of(network.condition) - here
        swapped = after.of(network.condition, swapped=True) - (1 - here)
        found.append([(change.abs() * shown).amax(1) for change in (kept, swapped)])
    kinds = zip(("bn_max_dev", "g_max_dev"), zip(*found, strict=True), strict=True)
    return {name: float(torch.stack(changes).mean()) for name, changes in kinds}


def label_jaccard(network: ConditionNetwork, scores: list[Scores], batch: Batch) -> float:
    """Return the share of literals that the rule for swapped labels and the complement share."""
    export = export_of(network.condition)
    found = []
    for index, given in enumerate(scores):
        rule = export(given, batch.episode(index)).rule
        exchanged = Scores(given.literals[::-1], given.gates[::-1])  # those for swapped labels
        other = export(exchanged, batch.swapped().episode(index)).rule
        found.append(jaccard(None if rule is None else ~rule, other))
    return sum(found) / len(found)
