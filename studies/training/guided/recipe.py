"""A training run of the guided model as data; the defaults are those of the bundled weights."""

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from gnri.errors import RecipeError
from gnri.model.guided.architecture import GuidedConfig


@dataclass(frozen=True)
class GuidedPrior:
    """How large the tables are and how noisy their labels; what is in them is always the same.

    Numbers of atoms and rows are log-uniform on (low, high). In the share `wide` of the draws
    atoms go up to `most_atoms`, in the share `long` rows go up to `most_rows`. Labels of the
    share `noisy` of the tables are flipped at a rate of up to `label_noise`. The short rules of a
    table are found on `reference_rows` rows at least, also where it shows fewer.
    """

    atoms: tuple[int, int] = (5, 128)
    most_atoms: int = 320
    wide: float = 0.1
    rows: tuple[int, int] = (8, 1000)
    most_rows: int = 5000
    long: float = 0.13
    label_noise: float = 0.3
    noisy: float = 0.4
    reference_rows: int = 256

    def __post_init__(self) -> None:
        for name in ("atoms", "rows"):
            (low, high), most = getattr(self, name), getattr(self, f"most_{name}")
            if not 1 <= low <= high <= most:
                raise RecipeError(
                    f"prior.{name} must be 1 <= low <= high <= most_{name}, "
                    f"got ({low}, {high}) and {most}"
                )
        for name in ("wide", "long", "label_noise", "noisy"):
            if not 0 <= getattr(self, name) <= 1:
                raise RecipeError(f"prior.{name} must be in [0, 1], got {getattr(self, name)}")


@dataclass(frozen=True)
class GuidedTrain:
    """The optimiser, the size of a batch, the weights of the loss terms, when to look and to save.

    A batch has as many episodes, within `batch_size`, as keep literals x anchors under `pairs`
    and literals x rows under `cells`. Batches are drawn `pool` at a time. The learning rate rises
    for `warmup` steps and falls along a cosine to the share `final_rate` of itself.
    """

    steps: int = 12_000
    batch_size: tuple[int, int] = (8, 512)
    pairs: int = 12_000_000
    cells: int = 150_000_000
    pool: int = 8
    learning_rate: float = 1e-3
    final_rate: float = 0.005
    weight_decay: float = 0.01
    warmup: int = 300
    clip: float = 1.0
    precision: Literal["bf16", "fp16", "float32"] = "bf16"

    literals: float = 4.0
    noise: float = 1.0
    policy: float = 1.0

    evaluate_every: int = 250
    save_every: int = 500
    validation_batches: int = 8

    def __post_init__(self) -> None:
        for name in ("steps", "pool", "evaluate_every", "save_every", "validation_batches"):
            if getattr(self, name) < 1:
                raise RecipeError(f"train.{name} must be 1 or more, got {getattr(self, name)}")
        for name in ("learning_rate", "clip"):
            if not getattr(self, name) > 0:
                raise RecipeError(f"train.{name} must be above 0, got {getattr(self, name)}")
        low, high = self.batch_size
        if not 1 <= low <= high:
            raise RecipeError(f"train.batch_size must be 1 <= low <= high, got ({low}, {high})")


@dataclass(frozen=True)
class OneLength:
    """A run that is of one length from the start, for its learning rate falls to the last step."""

    def to_json(self) -> dict[str, Any]:
        """The recipe as plain data, ready for a JSON file."""
        return asdict(self)

    def identity(self) -> dict[str, Any]:
        """What a resumed run must share with the one before: all but how often it is looked at."""
        table = self.to_json()
        for free in ("evaluate_every", "save_every"):
            del table["train"][free]
        return table


@dataclass(frozen=True)
class GuidedRecipe(OneLength):
    """Everything a training run of the guided model depends on.

    `init` is the folder of a checkpoint to start from, in place of random weights.
    """

    name: str
    condition: str
    seed: int = 0
    init: str | None = None
    prior: GuidedPrior = field(default_factory=GuidedPrior)
    model: GuidedConfig = field(default_factory=GuidedConfig)
    train: GuidedTrain = field(default_factory=GuidedTrain)

    @property
    def figure(self) -> str:
        """Of the figures that a look measures, the one to show."""
        return "right_actions"
