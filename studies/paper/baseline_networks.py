"""The paper's conditions: what the baseline has in place of the components of G-NRI.

The parts here are wrong on purpose. They read the sign of a literal, the order of atoms or of
labels, and show what each component of the paper adds. `gnri` itself needs none of them.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from gnri.episode import Episode
from gnri.errors import CheckpointError
from gnri.model import paper_export
from gnri.model.load import BASELINES, load_network
from gnri.model.nri.config import ModelConfig
from gnri.model.nri.encoder import Encoder, ExampleAttention
from gnri.model.nri.gram_statistics import Statistics, statistics
from gnri.model.nri.literal_features import literal_features
from gnri.model.nri.nri import NRI, Network, both_rails, scores_of, tensors_of
from gnri.model.nri.pair_memory import PairMemory
from gnri.model.nri.slot_decoder import ABSENT, Decoder, SlotLogits
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

# Whose weights each condition reads; `+tta` and `+export` differ at inference only.
WEIGHTS_OF = {**BASELINES, "gnri": "gnri"}
SIGN = 10  # the place of the sign among the features of a literal


@dataclass(frozen=True, slots=True)
class Condition:
    """Which of the paper's five components are in force.

    The first two name what the baseline has and component 1 and 2 take away; the others name
    what components 3 to 5 add. `tie_complete` covers pair selection, the polarity average of
    pair embeddings and tie-symmetric mutual exclusion.
    """

    literal_sign: bool = False
    content_keys: bool = False
    label_average: bool = False
    tie_complete: bool = False
    canonical_export: bool = False
    symmetrised_training: bool = False


_EXPORT = {"label_average": True, "tie_complete": True, "canonical_export": True}
CONDITIONS = {
    "nri": Condition(literal_sign=True, content_keys=True),
    "eqarch": Condition(),
    "+tta": Condition(label_average=True),
    "+export": Condition(**_EXPORT),
    "gnri": Condition(**_EXPORT, symmetrised_training=True),
}


class ConditionNetwork(Network):
    """One rail of the model family; `condition` says which of the paper's components it has."""

    def __init__(self, config: ModelConfig, condition: Condition) -> None:
        nn.Module.__init__(self)
        self.config, self.condition = config, condition
        self.encoder = ContentEncoder(config) if condition.content_keys else Encoder(config)
        self.decoder = Decoder(config) if condition.tie_complete else NativeDecoder(config)

    def forward(self, batch: Batch) -> SlotLogits:
        """Return the logits of the rail that reads the labels as given."""
        return self.read_rows(statistics(batch.values, batch.labels), batch)

    def read_rows(self, stats: Statistics, batch: Batch) -> SlotLogits:
        """Return the logits from statistics and, where there are content keys, from the rows."""
        counts, dtype = stats.usable.double(), self.decoder.queries.dtype
        features = literal_features(stats, counts)
        # A literal sign tells the two literals of an evenly split atom apart.
        even = (stats.signed == 0).all(1) & (not self.condition.literal_sign)
        if self.condition.literal_sign:
            features[..., 0, SIGN] = 1.0
        features = features.to(dtype).flatten(1, 2)
        if isinstance(self.encoder, ContentEncoder):
            literals = self.encoder.embed_rows(features, batch)
        else:
            literals = self.encoder(features, stats.sizes)
        return self.decoder(literals, counts.to(dtype), even)


class ConditionInducer(NRI):
    """A network of any condition, run on one episode and exported as the condition says."""

    network: ConditionNetwork

    @property
    def condition(self) -> Condition:
        """Return the condition of the network."""
        return self.network.condition

    @torch.inference_mode()
    def __call__(self, episode: Episode) -> Scores:
        if self.condition.tie_complete:
            return super().__call__(episode)
        batch = Batch(*tensors_of(episode))
        rails = both_rails(statistics(batch.values, batch.labels))
        return scores_of(self.network.read_rows(rails, batch.both_rails()))

    def export(self, episode: Episode) -> ExportResult:
        return export_of(self.condition)(self(episode), episode)


def load_condition(folder: Path, condition: str | None = None) -> tuple[ConditionNetwork, str]:
    """Return the network of a checkpoint of the paper's family, and its checksum.

    It is read under the condition that it was trained for, or under another with the same weights.
    """

    def build(config: dict[str, Any], trained: str) -> ConditionNetwork:
        asked = condition or trained
        if trained not in WEIGHTS_OF or WEIGHTS_OF.get(asked) != WEIGHTS_OF[trained]:
            raise CheckpointError(
                f"{folder} holds weights of {trained}, which {asked} does not use"
            )
        return ConditionNetwork(ModelConfig(**config), CONDITIONS[asked])

    network, found = load_network(folder, build)
    return network, found.sha256


class ContentAttention(ExampleAttention):
    """The baseline's attention: each example is keyed by its label and by its own cells.

    The content map has a weight for each trained column; for the columns of a wider table it
    continues with weights drawn once from a fixed seed, so that the same table always gets the
    same keys. It reads atom positions: this is what component 2 of the paper removes.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__(config)
        bound = 1 / math.sqrt(2 * config.content_atoms)
        weight = torch.empty(config.content_width, config.content_atoms, 2)
        self.columns = nn.Parameter(weight.uniform_(-bound, bound))
        self.shift = nn.Parameter(torch.zeros(config.content_width))
        self.content = nn.Linear(config.content_width, config.width)

    def attend(self, literals: Tensor, batch: Batch) -> Tensor:
        """Return the literals plus their attention to the rows."""
        keys = self._content_keys(batch.values) + self.label_keys()[(batch.labels < 0).long()]
        query, key, value = map(
            self._split, (self.query(literals), self.key(keys), self.value(keys))
        )
        hidden = (batch.labels == 0)[:, None, None]
        weights = (query @ key.mT / math.sqrt(key.shape[-1])).masked_fill(hidden, -math.inf)
        mixed = (weights.softmax(-1) @ value).transpose(1, 2).reshape(literals.shape)
        return literals + self.output(mixed)

    def _split(self, tokens: Tensor) -> Tensor:
        """Return (batch, heads, tokens, width of a head)."""
        return tokens.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def _content_keys(self, values: Tensor) -> Tensor:
        truths = torch.stack([values > 0, values < 0], -1).to(self.columns.dtype)
        columns = self._columns_for(values.shape[-1])
        hidden = torch.einsum("bmnp,knp->bmk", truths, columns) + self.shift
        return self.content(torch.relu(hidden))

    def _columns_for(self, atoms: int) -> Tensor:
        width, trained, _ = self.columns.shape
        if atoms <= trained:
            return self.columns[:, :atoms]
        generator = torch.Generator().manual_seed(0)
        extra = torch.rand(atoms - trained, width, 2, generator=generator).transpose(0, 1)
        bound = 1 / math.sqrt(2 * atoms)
        return torch.cat([self.columns, ((2 * extra - 1) * bound).to(self.columns)], 1)


class ContentEncoder(Encoder):
    """An encoder that attends to the rows themselves."""

    attention = ContentAttention
    examples: ContentAttention

    def embed_rows(self, features: Tensor, batch: Batch) -> Tensor:
        """Return the embeddings of literals by their features and the rows."""
        return self.examples.attend(self.norm(self.embed(features)), batch)


class NativePairMemory(PairMemory):
    """The baseline's choice: the best pairs, a tie at the boundary cut by position."""

    def contents(self, literals: Tensor, kept: Tensor) -> Tensor:
        return literals[:, kept]

    def choose(self, scores: Tensor, pairs: Tensor, _: Tensor) -> Tensor:
        possible = (pairs > 0).triu(1).flatten(1)
        ranked = scores.flatten(1).masked_fill(~possible, -math.inf)
        first = ranked.sort(dim=1, descending=True, stable=True).indices[:, : self.wanted]
        chosen = (torch.zeros_like(ranked).scatter_(1, first, 1.0) * possible).view_as(scores)
        return chosen + chosen.mT


class NativeDecoder(Decoder):
    """A decoder that cuts ties by position, and of x and its negation prefers x."""

    memory = NativePairMemory

    def exclude(self, logits: Tensor) -> Tensor:
        positive, negative = logits.unbind(-1)
        dropped = torch.stack([positive < negative, negative <= positive], -1)
        return logits.masked_fill(dropped, ABSENT)


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
    return paper_export.canonical_export if condition.canonical_export else native_export


def average_prediction(scores: Scores, episode: Episode) -> NDArray[np.float64]:
    """Return Equation 1 on each row: R_avg(X, Y) = (R(X, Y) + 1 - R(X, 1 - Y)) / 2."""
    checked = paper_export.check_scores(scores, episode)
    positive, negative = paper_export.soft_truth(checked, episode.values)
    return (positive + UNIT - negative) / (2.0 * UNIT)
