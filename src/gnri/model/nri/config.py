"""The size of a network, saved with its weights."""

from dataclasses import asdict, dataclass

from gnri.errors import RecipeError


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """The size of the paper's network.

    Only the paper's baseline, in `studies`, uses `content_width` and `content_atoms`.
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

    def __post_init__(self) -> None:
        sizes = asdict(self)
        dropout = sizes.pop("dropout")
        for name, size in sizes.items():
            if type(size) is not int or size < 1:
                raise RecipeError(f"model.{name} must be a whole number from 1 up, got {size!r}")
        if type(dropout) not in (int, float) or not 0 <= dropout <= 1:
            raise RecipeError(f"model.dropout must be a number from 0 to 1, got {dropout!r}")
        if self.width % self.heads:
            raise RecipeError(
                f"model.width must be a multiple of model.heads, got {self.width} and {self.heads}"
            )
