"""A training run of the guided model's critic as data."""

from dataclasses import dataclass, field
from typing import Literal

from gnri.errors import RecipeError
from gnri.model.guided.architecture import GuidedConfig
from studies.training.guided.recipe import OneLength


@dataclass(frozen=True)
class CriticPrior:
    """The tasks: a table to find rules in, and fresh rows to try them on.

    Numbers of atoms and rows are log-uniform on (low, high). Labels of the share `noisy` of the
    tables are flipped at a rate of up to `label_noise`; those of the fresh rows never are.
    """

    tasks: int = 15_000
    atoms: tuple[int, int] = (5, 100)
    rows: tuple[int, int] = (8, 1000)
    fresh_rows: int = 1500
    label_noise: float = 0.3
    noisy: float = 0.4

    def __post_init__(self) -> None:
        for name in ("tasks", "fresh_rows"):
            if getattr(self, name) < 1:
                raise RecipeError(f"prior.{name} must be 1 or more, got {getattr(self, name)}")
        for name in ("atoms", "rows"):
            low, high = getattr(self, name)
            if not 1 <= low <= high:
                raise RecipeError(f"prior.{name} must be 1 <= low <= high, got ({low}, {high})")
        for name in ("label_noise", "noisy"):
            if not 0 <= getattr(self, name) <= 1:
                raise RecipeError(f"prior.{name} must be in [0, 1], got {getattr(self, name)}")


@dataclass(frozen=True)
class CriticTrain:
    """The optimiser, the loss, and when to look and to save.

    The share `held_out` of the tasks is for looking alone. A rule is chosen in the loss with the
    probability softmax(sharpness * worth); `regression` weighs the squared error of the worths.
    The learning rate rises for `warmup` steps and falls along a cosine to the share `final_rate`
    of itself.
    """

    held_out: float = 0.25
    steps: int = 776
    batch_size: int = 256
    learning_rate: float = 2e-3
    final_rate: float = 0.0
    weight_decay: float = 1e-3
    warmup: int = 1
    clip: float = 1.0
    sharpness: float = 25.0
    regression: float = 2.0

    evaluate_every: int = 97
    save_every: int = 97

    def __post_init__(self) -> None:
        for name in ("steps", "batch_size", "evaluate_every", "save_every"):
            if getattr(self, name) < 1:
                raise RecipeError(f"train.{name} must be 1 or more, got {getattr(self, name)}")
        for name in ("learning_rate", "clip"):
            if not getattr(self, name) > 0:
                raise RecipeError(f"train.{name} must be above 0, got {getattr(self, name)}")
        if not 0 < self.held_out < 1:
            raise RecipeError(f"train.held_out must be between 0 and 1, got {self.held_out}")

    @property
    def precision(self) -> str:
        """The critic is small: it is always computed in full."""
        return "float32"


@dataclass(frozen=True)
class CriticRecipe(OneLength):
    """Everything a training run of the critic depends on.

    `init` is the folder of the checkpoint whose network finds the rules, and gets the critic;
    `model` is the size of that network.
    """

    name: str
    condition: Literal["guided"]
    trains: Literal["critic"]
    seed: int = 0
    init: str | None = None
    prior: CriticPrior = field(default_factory=CriticPrior)
    model: GuidedConfig = field(default_factory=GuidedConfig)
    train: CriticTrain = field(default_factory=CriticTrain)

    @property
    def figure(self) -> str:
        """Of the figures that a look measures, the one to show."""
        return "chosen"
