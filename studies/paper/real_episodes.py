"""The nineteen public tables as episodes: the training part of each fold, class against rest."""

from functools import lru_cache
from pathlib import Path

from gnri.episode import Episode
from studies.benchmarks.real import split, table
from studies.paper.tasks import episodes_of


@lru_cache(maxsize=1)
def training_episodes(name: str, folds: tuple[int, ...], data_dir: Path | None) -> list[Episode]:
    """One episode a fold for two classes, one for each class where there are more."""
    encoded, _ = table(name, data_dir)
    classes = int(encoded.codes.max()) + 1
    found: list[Episode] = []
    for fold in folds:
        shown, _ = split(encoded.codes, fold)
        found += episodes_of(encoded.values[shown], encoded.codes[shown], classes)
    return found


def one_hot_blocks(name: str, data_dir: Path | None) -> list[tuple[int, ...]]:
    """The blocks within which atoms may be exchanged: columns with two values or more."""
    encoded, _ = table(name, data_dir)
    return [block for block in encoded.schema.blocks if len(block) > 1]
