"""The Neural Rule Inducer: statistics, encoder, decoder."""

from torch import Tensor, nn

from gnri.episodes.batch import Batch
from gnri.model.condition import Condition
from gnri.model.config import ModelConfig
from gnri.model.decoder import Decoder, SlotLogits
from gnri.model.encoder import Encoder, Examples
from gnri.model.features import literal_features
from gnri.model.statistics import Statistics, statistics


class Network(nn.Module):
    """One rail of the model family; `condition` says which of the paper's components it has."""

    def __init__(self, config: ModelConfig, condition: Condition) -> None:
        super().__init__()
        self.condition = condition
        self.encoder = Encoder(config, condition.content_keys)
        self.decoder = Decoder(config, condition.tie_complete)

    def forward(self, batch: Batch) -> SlotLogits:
        """Logits of the rail that reads the labels as given."""
        stats = statistics(batch)
        examples = Examples(stats.sizes, batch.values, batch.labels)
        return self.read(stats, stats.usable.double(), examples)

    def read(self, stats: Statistics, counts: Tensor, examples: Examples) -> SlotLogits:
        """The network on statistics whose atom entries stand for `counts` atoms each."""
        weights = self.decoder.queries
        features = literal_features(stats, self.condition.literal_sign, counts).to(weights.dtype)
        literals = self.encoder(features.flatten(1, 2), examples)
        # A literal sign tells the two literals of an evenly split atom apart.
        even = (stats.signed == 0).all(1) & (not self.condition.literal_sign)
        return self.decoder(literals, counts.to(weights.dtype), even)
