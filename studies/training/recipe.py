"""A training run as data: what is drawn, what is trained, and how."""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, is_dataclass
from difflib import get_close_matches
from math import isfinite
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from gnri.errors import RecipeError
from gnri.model.load import GUIDED
from gnri.model.nri.config import CONDITIONS, Condition, ModelConfig
from studies.training.coin_tables import PriorConfig
from studies.training.guided.critic_recipe import CriticRecipe
from studies.training.guided.recipe import GuidedRecipe

Config = TypeVar("Config")
Table = dict[str, Any]


@dataclass(frozen=True)
class TrainConfig:
    """The optimiser, the weights of the loss terms and when to look and to save.

    `precision` is that of autocast on a GPU; on a CPU everything is float32.
    """

    steps: int = 500
    batch_size: int = 8192
    learning_rate: float = 6e-4
    weight_decay: float = 0.01
    warmup: int = 100
    clip: float = 1.0
    precision: Literal["bf16", "fp16", "float32"] = "bf16"

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

    evaluate_every: int = 50
    save_every: int = 100
    validation_episodes: int = 128

    def __post_init__(self) -> None:
        for name in ("steps", "batch_size", "evaluate_every", "save_every", "validation_episodes"):
            if getattr(self, name) < 1:
                raise RecipeError(f"train.{name} must be 1 or more, got {getattr(self, name)}")
        for name in ("learning_rate", "clip"):
            if not getattr(self, name) > 0:
                raise RecipeError(f"train.{name} must be above 0, got {getattr(self, name)}")
        if not 0 <= self.clause_dropout < 1:
            raise RecipeError(f"train.clause_dropout must be in [0, 1), got {self.clause_dropout}")


@dataclass(frozen=True)
class Recipe:
    """Everything a training run depends on; the defaults are the paper's."""

    name: str
    condition: str
    seed: int = 42
    seeds: tuple[int, ...] = (42,)
    prior: PriorConfig = field(default_factory=PriorConfig)
    model: ModelConfig = field(default_factory=ModelConfig)
    train: TrainConfig = field(default_factory=TrainConfig)

    def __post_init__(self) -> None:
        if self.condition not in CONDITIONS:
            raise RecipeError(_unknown("condition", self.condition, [*CONDITIONS, GUIDED]))

    @property
    def switches(self) -> Condition:
        """The components of the paper that this run's condition has in force."""
        return CONDITIONS[self.condition]

    @property
    def figure(self) -> str:
        """Of the figures that a look measures, the one to show."""
        return "support_accuracy"

    def to_json(self) -> Table:
        """The recipe as plain data, ready for a JSON file."""
        return asdict(self)

    def identity(self) -> Table:
        """What a resumed run must share with the one before: all but how long it is to be."""
        table = self.to_json()
        for free in ("steps", "evaluate_every", "save_every"):
            del table["train"][free]
        del table["seeds"]
        return table


AnyRecipe = Recipe | GuidedRecipe | CriticRecipe
"""Of the paper's family, of the guided model, or of its critic."""


def load_recipe(path: Path | str) -> AnyRecipe:
    """The recipe in a TOML file."""
    try:
        text = Path(path).read_text(encoding="utf-8")
        return from_table(tomllib.loads(text))
    except OSError as error:
        raise RecipeError(f"cannot read the recipe {path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise RecipeError(f"the recipe {path} is not TOML: {error}") from None


def from_table(table: Mapping[str, Any]) -> AnyRecipe:
    """The recipe that a parsed TOML or JSON table describes."""
    if "trains" in table:
        return _read(CriticRecipe, table, "")
    if table.get("condition") == GUIDED:
        return _read(GuidedRecipe, table, "")
    return _read(Recipe, table, "")


def with_overrides(recipe: AnyRecipe, settings: Iterable[str]) -> AnyRecipe:
    """`recipe` with settings of the form `train.steps=100` put in place of its own."""
    table = asdict(recipe)
    for setting in settings:
        path, equals, text = setting.partition("=")
        if not equals:
            raise RecipeError(f"a setting must look like train.steps=100, got {setting!r}")
        *sections, key = path.strip().split(".")
        target = table
        for section in sections:
            if not isinstance(target.get(section), dict):
                raise RecipeError(_unknown("section", section, _sections(target)))
            target = target[section]
        target[key] = _value(text.strip())
    return from_table(table)


def _read(kind: type[Config], table: Mapping[str, Any], place: str) -> Config:
    """A `kind` from the table; keys left out take its defaults."""
    types = get_type_hints(kind)
    for key in table:
        if key not in types:
            raise RecipeError(_unknown("setting", place + key, [place + name for name in types]))
    try:
        return kind(**{key: _checked(types[key], table[key], place + key) for key in table})
    except TypeError as error:  # a field without a default was left out
        raise RecipeError(f"the recipe is incomplete: {error}") from None


def _checked(wanted: Any, value: Any, place: str) -> Any:
    """`value` if it is of the type `wanted`, with lists as tuples and integers as floats."""
    if is_dataclass(wanted) and isinstance(wanted, type) and isinstance(value, Mapping):
        return _read(wanted, value, f"{place}.")
    if get_origin(wanted) is UnionType:
        if value is None and NoneType in get_args(wanted):
            return None
        wanted = next(kind for kind in get_args(wanted) if kind is not NoneType)
    if get_origin(wanted) is Literal and value in get_args(wanted):
        return value
    if get_origin(wanted) is tuple and isinstance(value, list | tuple):
        return _checked_tuple(get_args(wanted), value, place)
    if wanted is float and type(value) in (int, float) and isfinite(value):
        return float(value)
    if wanted is not float and type(value) is wanted:  # not isinstance: True is no integer here
        return value
    raise RecipeError(f"{place} must be {_spelled(wanted)}, got {value!r} ({type(value).__name__})")


def _checked_tuple(
    items: tuple[Any, ...], value: list[Any] | tuple[Any, ...], place: str
) -> tuple[Any, ...]:
    if items[-1] is Ellipsis:
        items = (items[0],) * len(value)
    if len(items) != len(value):
        raise RecipeError(f"{place} must have {len(items)} entries, got {len(value)}: {value!r}")
    return tuple(_checked(item, entry, place) for item, entry in zip(items, value, strict=True))


def _value(text: str) -> Any:
    """The text as TOML reads it, or as it stands: `bf16` needs no quotation marks."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def _sections(table: Table) -> list[str]:
    return [key for key, value in table.items() if isinstance(value, dict)]


def _spelled(wanted: Any) -> str:
    if get_origin(wanted) is Literal:
        return "one of " + ", ".join(map(repr, get_args(wanted)))
    if is_dataclass(wanted):
        return "a table of settings"
    return str(wanted) if get_args(wanted) else wanted.__name__


def _unknown(what: str, name: str, known: Iterable[str]) -> str:
    known = list(known)
    close = get_close_matches(name, known, n=1, cutoff=0.0)
    hint = f"did you mean {close[0]!r}?" if close else "there is none here"
    return f"unknown {what} {name!r}; {hint}"
