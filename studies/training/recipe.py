"""A training run as data: what is drawn, what is trained, and how; read from TOML."""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal

from gnri.errors import RecipeError
from gnri.model.guided.architecture import GuidedConfig
from gnri.model.load import GUIDED
from gnri.model.nri.config import ModelConfig
from studies.paper.baseline_networks import CONDITIONS, Condition
from studies.training.coin_tables import (
    ABOVE_ZERO,
    BELOW_ONE,
    COUNT,
    RANGE,
    SHARE,
    PriorConfig,
    require,
)
from studies.training.settings import read_settings, unknown


@dataclass(frozen=True)
class GuidedPrior:
    """How large the tables are and how noisy their labels; what is in them is always the same.

    Numbers of atoms and rows are log-uniform on (low, high); in the share `wide` of the draws
    atoms go up to `most_atoms`, in the share `long` rows to `most_rows`. In the share `noisy` of
    the tables up to `label_noise` of the labels are flipped. Short rules are found on
    `reference_rows` rows at least.
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
        require(self, "prior", ("wide", "long", "label_noise", "noisy"), SHARE)


@dataclass(frozen=True)
class GuidedTrain:
    """The optimiser, the size of a batch, the weights of the loss terms, when to look and to save.

    A batch has as many episodes, within `batch_size`, as keep literals x anchors under `pairs`
    and literals x rows under `cells`. Batches are drawn `pool` at a time.
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
    precision: Literal["bf16", "float32"] = "bf16"

    literals: float = 4.0
    noise: float = 1.0
    policy: float = 1.0

    evaluate_every: int = 250
    save_every: int = 500
    validation_batches: int = 8

    def __post_init__(self) -> None:
        counts = ("steps", "pool", "evaluate_every", "save_every", "validation_batches")
        require(self, "train", counts, COUNT)
        require(self, "train", ("learning_rate", "clip"), ABOVE_ZERO)
        require(self, "train", ("batch_size",), RANGE)


@dataclass(frozen=True)
class BaseRecipe:
    """What all recipes have. A resumed run may differ in the settings of train in `free`."""

    name: str
    condition: str

    free: ClassVar[tuple[str, ...]] = ("evaluate_every", "save_every")

    def identity(self) -> dict[str, Any]:
        """Return what a resumed run must share with the one before."""
        table = asdict(self)
        for name in self.free:
            del table["train"][name]
        return table


@dataclass(frozen=True)
class GuidedRecipe(BaseRecipe):
    """Everything a run of the guided model depends on; `init` is a checkpoint to start from."""

    seed: int = 0
    init: str | None = None
    prior: GuidedPrior = field(default_factory=GuidedPrior)
    model: GuidedConfig = field(default_factory=GuidedConfig)
    train: GuidedTrain = field(default_factory=GuidedTrain)

    figure: ClassVar = "right_actions"


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
        require(self, "prior", ("tasks", "fresh_rows"), COUNT)
        require(self, "prior", ("atoms", "rows"), RANGE)
        require(self, "prior", ("label_noise", "noisy"), SHARE)


@dataclass(frozen=True)
class CriticTrain:
    """The optimiser, the loss, and when to look and to save.

    The share `held_out` of the tasks is for looking alone. A rule is chosen in the loss with the
    probability softmax(sharpness * worth); `regression` weighs the squared error of the worths.
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
        require(self, "train", ("steps", "batch_size", "evaluate_every", "save_every"), COUNT)
        require(self, "train", ("learning_rate", "clip"), ABOVE_ZERO)
        require(self, "train", ("held_out",), (lambda x: 0 < x < 1, "between 0 and 1"))


@dataclass(frozen=True)
class CriticRecipe(BaseRecipe):
    """Everything a run of the critic depends on.

    `init` is the checkpoint whose network, of the size `model`, finds the rules.
    """

    condition: Literal["guided"]
    trains: Literal["critic"]
    seed: int = 0
    init: str | None = None
    prior: CriticPrior = field(default_factory=CriticPrior)
    model: GuidedConfig = field(default_factory=GuidedConfig)
    train: CriticTrain = field(default_factory=CriticTrain)

    figure: ClassVar = "chosen"


@dataclass(frozen=True)
class TrainConfig:
    """The optimiser, the weights of the loss terms and when to look and to save.

    The tables of a step have at most `columns` columns together. With `query_rows` the rules are
    held to so many fresh rows of each hidden rule, not to the rows shown, and `sharpness` says how
    (`query_loss`). `matching` weighs how far slots are from the hidden clauses,
    `silence` how far an episode is from any rule.
    """

    steps: int = 500
    batch_size: int = 8192
    columns: int = 2**30
    learning_rate: float = 6e-4
    final_rate: float = 1.0
    weight_decay: float = 0.01
    warmup: int = 100
    clip: float = 1.0
    precision: Literal["bf16", "float32"] = "bf16"  # on a GPU; a CPU has float32

    noise_temperature: float = 1.0
    clause_dropout: float = 0.25
    symmetrised_from: int = 100
    max_margin: float = 1.0
    load_balance: float = 0.1
    gate_spread: float = 0.1
    gate_spread_raw: float = 0.05
    counterfactual_from: int = 250
    necessity: float = 0.15
    spuriousness: float = 0.15
    overlap: float = 0.1
    responsibility_entropy: float = 0.01
    query_rows: int = 0
    sharpness: float = 0.0
    matching: float = 0.0
    silence: float = 0.0

    evaluate_every: int = 50
    save_every: int = 100
    validation_episodes: int = 128

    def __post_init__(self) -> None:
        counts = ("steps", "batch_size", "evaluate_every", "save_every", "validation_episodes")
        require(self, "train", counts, COUNT)
        require(self, "train", ("learning_rate", "clip"), ABOVE_ZERO)
        require(self, "train", ("clause_dropout",), BELOW_ONE)


@dataclass(frozen=True)
class Recipe(BaseRecipe):
    """Everything a training run depends on; the defaults are NRI's public ones."""

    seed: int = 42
    prior: PriorConfig = field(default_factory=PriorConfig)
    model: ModelConfig = field(default_factory=ModelConfig)
    train: TrainConfig = field(default_factory=TrainConfig)

    figure: ClassVar = "support_accuracy"
    free: ClassVar = ("steps", "evaluate_every", "save_every")

    def __post_init__(self) -> None:
        if self.condition not in CONDITIONS:
            raise RecipeError(unknown("condition", self.condition, [*CONDITIONS, GUIDED]))

    @property
    def switches(self) -> Condition:
        """Return the components of the paper that this run's condition has in force."""
        return CONDITIONS[self.condition]


AnyRecipe = Recipe | GuidedRecipe | CriticRecipe


def load_recipe(path: Path | str) -> AnyRecipe:
    """Return the recipe in a TOML file."""
    try:
        text = Path(path).read_text(encoding="utf-8")
        return from_table(tomllib.loads(text))
    except OSError as error:
        raise RecipeError(f"cannot read the recipe {path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise RecipeError(f"the recipe {path} is not TOML: {error}") from None


def from_table(table: Mapping[str, Any]) -> AnyRecipe:
    """Return the recipe that a parsed TOML or JSON table describes."""
    if "trains" in table:
        return read_settings(CriticRecipe, table)
    if table.get("condition") == GUIDED:
        return read_settings(GuidedRecipe, table)
    return read_settings(Recipe, table)


def with_overrides(recipe: AnyRecipe, settings: Iterable[str]) -> AnyRecipe:
    """Return `recipe` with settings of the form `train.steps=100` put in place of its own."""
    table = asdict(recipe)
    for setting in settings:
        path, equals, text = setting.partition("=")
        if not equals:
            raise RecipeError(f"a setting must look like train.steps=100, got {setting!r}")
        *sections, key = path.strip().split(".")
        target = table
        for section in sections:
            known = {name: part for name, part in target.items() if isinstance(part, dict)}
            if section not in known:
                raise RecipeError(unknown("section", section, known))
            target = known[section]
        try:
            target[key] = tomllib.loads(f"value = {text}")["value"]
        except tomllib.TOMLDecodeError:  # `bf16` needs no quotation marks
            target[key] = text.strip()
    return from_table(table)
