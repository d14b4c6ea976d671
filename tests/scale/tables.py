"""Tables for the tests, and their rows in parts."""

from pathlib import Path

import numpy as np
import pandas as pd

from gnri.estimator.classifier import RuleClassifier
from gnri.model.guided.inducer import Guided
from gnri.tables import read_table
from tests.estimator.tables import mushrooms, sizes

TARGET = "label"


def table(kind: str, rows: int, seed: int) -> pd.DataFrame:
    """Text, numbers, Booleans and missing cells with two classes, or numbers with three."""
    columns, labels = (mushrooms if kind == "mushrooms" else sizes)(rows, seed)
    frame = columns.assign(**{TARGET: labels.to_numpy()})
    if "spore" in frame:
        frame["spore"] = frame["spore"].astype(str)
    return frame


def write_parts(frame: pd.DataFrame, folder: Path, pieces: int, ending: str) -> str:
    """The rows in shuffled pieces; the pattern of their names."""
    rng = np.random.default_rng(pieces)
    for i, rows in enumerate(np.array_split(rng.permutation(len(frame)), pieces)):
        _write(frame.iloc[rows], folder / f"{pieces}-{rng.integers(1 << 30)}-{i}.{ending}")
    return str(folder / f"{pieces}-*.{ending}")


def in_memory(frame: pd.DataFrame, folder: Path, ending: str, model: Guided) -> RuleClassifier:
    """The classifier from the one file that holds all rows."""
    path = folder / f"all.{ending}"
    _write(frame, path)
    whole = read_table(path)
    names = [name for name in whole.columns if name != TARGET]
    return RuleClassifier(model).fit(whole.features(names), whole.labels(TARGET))


def _write(frame: pd.DataFrame, path: Path) -> None:
    if path.suffix == ".csv":
        frame.to_csv(path, index=False)
    else:
        frame.to_parquet(path, index=False)
