"""The paper's conditions: what the baseline has in place of the components of G-NRI.

The parts here are wrong on purpose. They read the sign of a literal, the order of atoms or of
labels, and show what each component of the paper adds. `gnri` itself needs none of them.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from gnri.episode import Episode
from gnri.errors import CheckpointError
from gnri.model import checkpoint, paper_export
from gnri.model.layers import Shapes, attend, linear, linear_shapes, split_heads
from gnri.model.load import BASELINES, check_sizes
from gnri.model.nri.config import ModelConfig
from gnri.model.nri.encoder import embed, encode, label_keys, literal_features
from gnri.model.nri.gram_statistics import Statistics, statistics
from gnri.model.nri.nri import NRI, Network
from gnri.model.nri.slot_decoder import ABSENT, SlotLogits
from gnri.model.paper_export import (
    HALF,
    PAPER,
    UNIT,
    DecodeConfig,
    ExportResult,
    RailClauses,
)
from gnri.rules.dnf import Literal, SignedDNF
from gnri.scores import Scores
from studies.training.batch import Batch
from studies.training.modules import Draw, SlotModule

# Whose weights each condition reads; `+tta` and `+export` differ at inference only.
WEIGHTS_OF = {**BASELINES, "gnri": "gnri", "gnri-wide": "gnri-wide"}
SIGN = 10  # the place of the sign among the features of a literal


@dataclass(frozen=True, slots=True)
class Condition:
    """Which of the paper's five components are in force.

    The first two name what the baseline has and component 1 and 2 take away; the others name
    what components 3 to 5 add. `tie_complete` covers pair selection, the polarity average of
    pair embeddings and tie-symmetric mutual exclusion. `by_errors` is ours (`DecodeConfig`).
    """

    literal_sign: bool = False
    content_keys: bool = False
    label_average: bool = False
    tie_complete: bool = False
    canonical_export: bool = False
    symmetrised_training: bool = False
    by_errors: bool = False


_EXPORT = {"label_average": True, "tie_complete": True, "canonical_export": True}
CONDITIONS = {
    "nri": Condition(literal_sign=True, content_keys=True),
    "eqarch": Condition(),
    "+tta": Condition(label_average=True),
    "+export": Condition(**_EXPORT),
    "gnri": Condition(**_EXPORT, symmetrised_training=True),
    "gnri-wide": Condition(**_EXPORT, symmetrised_training=True, by_errors=True),
}


CONTENT = "encoder.examples."
"""Where the baseline's content keys are."""


def condition_shapes(config: ModelConfig, condition: Condition) -> Shapes:
    """Return what the network of a condition has beside the arrays of the paper's own."""
    if not condition.content_keys:
        return {}
    width = config.content_width
    own: Shapes = {f"{CONTENT}columns": (width, config.content_atoms, 2)}
    own |= {f"{CONTENT}shift": (width,)}
    return own | linear_shapes(f"{CONTENT}content", width, config.width)


class ConditionNetwork(SlotModule):
    """One rail of the model family; `condition` says which of the paper's components it has."""

    def __init__(self, config: ModelConfig, condition: Condition) -> None:
        bound = 1 / math.sqrt(2 * max(config.content_atoms, 1))
        draws: dict[str, Draw] = {f"{CONTENT}columns": lambda part: part.uniform_(-bound, bound)}
        super().__init__(config, condition_shapes(config, condition), draws)
        self.condition = condition
        self.by_rows = condition.content_keys  # else the attention to rows is folded into counts

    def forward(self, batch: Batch) -> SlotLogits:
        """Return the logits of the rail that reads the labels as given."""
        stats = statistics(batch.values, batch.labels, paired=self.config.paired)
        return self.read_rows(stats, batch)

    def read_rows(self, stats: Statistics, batch: Batch) -> SlotLogits:
        """Return the logits from statistics and, where there are content keys, from the rows."""
        counts, dtype = stats.usable.double(), self.decoder.queries.dtype
        features = literal_features(stats, counts, sized=self.config.sized)
        # A literal sign tells the two literals of an evenly split atom apart.
        even = stats.even & (not self.condition.literal_sign)
        if self.condition.literal_sign:
            features[..., 0, SIGN] = 1.0
        features = features.to(dtype).flatten(1, 2)
        if self.by_rows:
            literals = self.attend_rows(embed(self.encoder, features), batch)
        else:
            literals = encode(self.encoder, features, stats.sizes, self.config.heads)
        return self.decode(literals, counts.to(dtype), even)

    def attend_rows(self, literals: Tensor, batch: Batch) -> Tensor:
        """Return the literals plus their attention to the rows, one key for each of them.

        An example is keyed by its label and, with content keys, by its own cells.
        """
        weights: Any = self.encoder.examples
        keys = label_keys(weights)[(batch.labels < 0).long()]
        if self.condition.content_keys:
            keys = content_keys(weights, batch.values) + keys
        hidden = torch.where((batch.labels == 0)[:, None, None], -math.inf, 0.0).to(literals)
        sides = (weights.query, literals), (weights.key, keys), (weights.value, keys)
        query, key, value = (split_heads(linear(*side), self.config.heads) for side in sides)
        return literals + linear(weights.output, attend(query, key, value, hidden))

    def contents(self, literals: Tensor, kept: Tensor) -> Tensor:
        """Return what a pair carries of each literal: without tie completion, of its sign alone."""
        if self.condition.tie_complete:
            return super().contents(literals, kept)
        return literals[:, kept]

    def choose(self, scores: Tensor, pairs: Tensor, last: Tensor) -> Tensor:
        """Return the chosen pairs: without tie completion a tie is cut by position."""
        if self.condition.tie_complete:
            return super().choose(scores, pairs, last)
        possible = (pairs > 0).triu(1).flatten(1)
        ranked = scores.flatten(1).masked_fill(~possible, -math.inf)
        order = ranked.sort(dim=1, descending=True, stable=True).indices
        first = torch.zeros_like(ranked).scatter_(1, order[:, : self.config.pairs], 1.0)
        chosen = (first * possible).view_as(scores)
        return chosen + chosen.mT

    def exclude(self, logits: Tensor) -> Tensor:
        """Remove one of x and its negation: without tie completion x is preferred."""
        if self.condition.tie_complete:
            return super().exclude(logits)
        positive, negative = logits.unbind(-1)
        dropped = torch.stack([positive < negative, negative <= positive], -1)
        return logits.masked_fill(dropped, ABSENT)


class ConditionInducer(NRI):
    """A network of any condition, run on one episode and exported as the condition says.

    With tie completion it is the package's own network, run by NumPy on an input that no symmetry
    changes; a `plain` one is always run by torch, on the table as it comes.
    """

    def __init__(
        self, network: ConditionNetwork, name: str, sha256: str = "", *, plain: bool = False
    ) -> None:
        super().__init__(Network(network.config, network.arrays()), name, sha256)
        self.trained, self.condition, self.plain = network, network.condition, plain

    def __call__(self, episode: Episode) -> Scores:
        if self.condition.tie_complete and not self.plain:
            return super().__call__(episode)
        batch = Batch(torch.tensor(episode.values)[None], torch.tensor(episode.labels)[None])
        with torch.inference_mode():
            logits = self.trained(batch.both_rails())
            return Scores(*(torch.sigmoid(part.double()).numpy() for part in logits))

    def export(self, episode: Episode) -> ExportResult:
        return export_of(self.condition)(self(episode), episode)


def load_condition(folder: Path, condition: str | None = None) -> tuple[ConditionNetwork, str]:
    """Return the network of a checkpoint of the paper's family, and its checksum.

    It is read under the condition that it was trained for, or under another with the same weights.
    """

    def expected(config: dict[str, Any], trained: str) -> checkpoint.Shapes:
        asked = condition or trained
        if trained not in WEIGHTS_OF or WEIGHTS_OF.get(asked) != WEIGHTS_OF[trained]:
            raise CheckpointError(
                f"{folder} holds weights of {trained}, which {asked} does not use"
            )
        check_sizes(config)
        size = ModelConfig(**config)
        return size.shapes() | condition_shapes(size, CONDITIONS[asked])

    found = checkpoint.load(folder, expected=expected)
    asked = CONDITIONS[condition or found.condition]
    network = ConditionNetwork(ModelConfig(**found.model_config), asked)
    network.fill(found.arrays())
    return network, found.sha256


def content_keys(weights: Any, values: Tensor) -> Tensor:
    """Return a key for each row by its cells.

    The content map has a weight for each trained column; for the columns of a wider table it
    continues with weights drawn once from a fixed seed, so that the same table always gets the
    same keys. It reads atom positions: this is what component 2 of the paper removes.
    """
    truths = torch.stack([values > 0, values < 0], -1).to(weights.columns.dtype)
    columns = _columns_for(weights.columns, values.shape[-1])
    hidden = torch.einsum("bmnp,knp->bmk", truths, columns) + weights.shift
    return linear(weights.content, torch.relu(hidden))


def _columns_for(columns: Tensor, atoms: int) -> Tensor:
    width, trained, _ = columns.shape
    if atoms <= trained:
        return columns[:, :atoms]
    generator = torch.Generator().manual_seed(0)
    extra = torch.rand(atoms - trained, width, 2, generator=generator).transpose(0, 1)
    bound = 1 / math.sqrt(2 * atoms)
    return torch.cat([columns, ((2 * extra - 1) * bound).to(columns)], 1)


def native_decode(
    literals: NDArray[np.float64], gates: NDArray[np.float64], config: DecodeConfig = PAPER
) -> RailClauses:
    """Return the baseline's decode, no margin: each literal by itself, ties cut by index."""
    clauses = set()
    for pairs in literals[gates >= HALF]:
        flat = pairs.T.ravel()  # the axis [p+ | p-]
        order = np.argsort(-flat, kind="stable")[: config.budget]
        chosen = (divmod(int(i), len(pairs)) for i in order if flat[i] >= HALF)
        clause = frozenset(Literal(atom, negative == 0) for negative, atom in chosen)
        if clause and not any(~literal in clause for literal in clause):
            clauses.add(clause)
    return RailClauses(frozenset(clauses), 0.0)


def dual_rail_export(scores: Scores, episode: Episode) -> ExportResult:
    """Return the label-swap-exact export over the baseline's decode: an ablation."""
    return paper_export.dual_rail_export(scores, episode, native_decode)


def native_export(scores: Scores, episode: Episode, config: DecodeConfig = PAPER) -> ExportResult:
    """Return the baseline's export: its decode of the positive rail, and nothing else."""
    checked = paper_export.check_scores(scores, episode)
    decoded = native_decode(checked.literals[0], checked.gates[0], config)
    rule = SignedDNF(decoded.clauses) if decoded.clauses else None
    return ExportResult(rule, None if rule is None else 0, decoded.margin)


def export_of(condition: Condition) -> Callable[[Scores, Episode], ExportResult]:
    """Return the export that a condition of the paper uses."""
    if condition.by_errors:
        return partial(paper_export.canonical_export, config=paper_export.WIDE)
    return paper_export.canonical_export if condition.canonical_export else native_export


def average_prediction(scores: Scores, episode: Episode) -> NDArray[np.float64]:
    """Return Equation 1 on each row: R_avg(X, Y) = (R(X, Y) + 1 - R(X, 1 - Y)) / 2."""
    checked = paper_export.check_scores(scores, episode)
    positive, negative = paper_export.soft_truth(checked, episode.values)
    return (positive + UNIT - negative) / (2.0 * UNIT)
