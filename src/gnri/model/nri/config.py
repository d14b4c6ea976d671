"""The size of a network, saved with its weights."""

from dataclasses import asdict, dataclass

from gnri.errors import RecipeError
from gnri.model.layers import Shapes, check_config, linear_shapes, norm_shapes, perceptron_shapes
from gnri.model.nri.encoder import FEATURES, PAIR_FEATURES


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """The size of the network; the defaults are those of NRI's public code, pairs apart.

    Only the paper's baseline, in `studies`, uses `content_width` and `content_atoms`. A `sized`
    network is told how many atoms there are, a `paired` one how well the best pair with each
    literal tells the classes apart.
    """

    width: int = 384
    slots: int = 8
    layers: int = 3
    heads: int = 4
    pairs: int = 8
    pair_width: int = 16
    content_width: int = 64
    content_atoms: int = 12
    dropout: float = 0.0
    sized: bool = False
    paired: bool = False

    def __post_init__(self) -> None:
        sizes = asdict(self)
        dropout = sizes.pop("dropout")
        flags = {name: sizes.pop(name) for name in ("sized", "paired")}
        check_config(sizes)
        for name, flag in flags.items():
            if type(flag) is not bool:
                raise RecipeError(f"model.{name} must be true or false, got {flag!r}")
        if type(dropout) not in (int, float) or not 0 <= dropout <= 1:
            raise RecipeError(f"model.dropout must be a number from 0 to 1, got {dropout!r}")

    def shapes(self) -> Shapes:
        """Return the name and shape of every array of the network."""
        width = self.width
        features = FEATURES + PAIR_FEATURES * self.paired
        found = perceptron_shapes("encoder.embed", features, width, width)
        found |= norm_shapes("encoder.norm", width)
        found |= perceptron_shapes("encoder.examples.label", 3, width, width)
        found |= self._attention_shapes("encoder.examples.")
        found |= {"decoder.queries": (self.slots, width)}
        found |= linear_shapes("decoder.context", width, width)
        found |= linear_shapes("decoder.pairs.query", width, self.pair_width, bias=False)
        found |= linear_shapes("decoder.pairs.key", width, self.pair_width, bias=False)
        found |= linear_shapes("decoder.pairs.value", width, width)
        for layer in (f"decoder.layers.{number}." for number in range(self.layers)):
            for number in range(3):
                found |= norm_shapes(f"{layer}norms.{number}", width)
            found |= linear_shapes(f"{layer}among.project", width, 3 * width)
            found |= linear_shapes(f"{layer}among.output", width, width)
            found |= self._attention_shapes(f"{layer}across.")
            found |= perceptron_shapes(f"{layer}feed", width, 4 * width, width)
        found |= norm_shapes("decoder.norm", width)
        found |= {"decoder.scale": (self.slots, width), "decoder.shift": (self.slots, width)}
        found |= linear_shapes("decoder.slot_side", width, width, bias=False)
        found |= linear_shapes("decoder.literal_side", width, width)
        found |= {"decoder.bias": ()}
        return found | perceptron_shapes("decoder.gate", 3 * width + 1, width, 1)

    def _attention_shapes(self, name: str) -> Shapes:
        """Return the shapes of an attention without a bias of its keys, where it would cancel."""
        found = linear_shapes(f"{name}query", self.width, self.width)
        found |= linear_shapes(f"{name}key", self.width, self.width, bias=False)
        found |= linear_shapes(f"{name}value", self.width, self.width)
        return found | linear_shapes(f"{name}output", self.width, self.width)
