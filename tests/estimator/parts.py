"""Tables for the tests, and their rows in parts."""

from pathlib import Path

import numpy as np
import pandas as pd

from gnri.classifier import RuleClassifier
from gnri.data.sources import read_table
from gnri.estimator.fitting import Fitted
from studies.datasets.registry import load
from tests.columns import read_labels
from tests.estimator.tables import mushrooms, sizes

TARGET = "label"
KINDS = ("mushrooms", "sizes", "noisy")
REAL = ("tic-tac-toe", "monks-2", "monks-3")


def table(kind: str, rows: int, seed: int) -> pd.DataFrame:
    """Text, numbers, Booleans and missing cells with two classes; numbers with three; or noise."""
    if kind == "noisy":
        return noisy(rows, seed)
    columns, labels = (mushrooms if kind == "mushrooms" else sizes)(rows, seed)
    frame = columns.assign(**{TARGET: labels.to_numpy()})
    if "spore" in frame:
        frame["spore"] = frame["spore"].astype(str)
    return frame


def noisy(rows: int, seed: int) -> pd.DataFrame:
    """Flags and skewed numbers, cells missing here and there, and a rule true of four in five."""
    rng = np.random.default_rng(seed)
    flags = rng.random((rows, 6)) < 0.4
    numbers = rng.lognormal(size=(rows, 2)).round(2)
    hidden = (flags[:, 0] & ~flags[:, 1]) | (numbers[:, 0] > 1.5)
    numbers[rng.random((rows, 2)) < 0.05] = np.nan
    label = np.where(hidden ^ (rng.random(rows) < 0.2), "yes", "no")
    columns = {f"f{i}": flags[:, i] for i in range(6)} | {f"n{i}": numbers[:, i] for i in range(2)}
    return pd.DataFrame(columns).assign(**{TARGET: label})


def real(name: str) -> pd.DataFrame:
    """A table that comes with the package."""
    data = load(name)
    return pd.DataFrame(data.rows, columns=data.columns).assign(**{TARGET: data.labels})


def write_parts(frame: pd.DataFrame, folder: Path, pieces: int, ending: str = "parquet") -> str:
    """The rows in shuffled pieces; the pattern of their names."""
    rng = np.random.default_rng(pieces)
    for i, rows in enumerate(np.array_split(rng.permutation(len(frame)), pieces)):
        _write(frame.iloc[rows], folder / f"{pieces}-{rng.integers(1 << 30)}-{i}.{ending}")
    return str(folder / f"{pieces}-*.{ending}")


def in_memory(
    frame: pd.DataFrame,
    folder: Path,
    ending: str = "parquet",
    *,
    weight: str | None = None,
    classifier: RuleClassifier | None = None,
) -> RuleClassifier:
    """The classifier from the one file that holds all rows."""
    path = folder / f"all.{ending}"
    _write(frame, path)
    whole = read_table(path)
    features = whole.select(name for name in whole if name not in (TARGET, weight)).decide()
    times = None if weight is None else whole[weight].values
    return (classifier or RuleClassifier()).fit(features, read_labels(whole, TARGET), times)


def assert_same(found: RuleClassifier, expected: RuleClassifier) -> None:
    """All that is learnt, to the last bit."""
    assert_fitted(found.fitted_, expected)
    assert found.schema_ == expected.schema_
    assert found.classes_.tolist() == expected.classes_.tolist()
    assert found.feature_names_in_.tolist() == expected.feature_names_in_.tolist()


def assert_fitted(found: Fitted, expected: RuleClassifier) -> None:
    """All that is learnt and counted is what the classifier learnt and counted."""
    wanted = expected.fitted_
    for part in (
        "rule_list",
        "minimized",
        "leaf_counts",
        "statistics",
        "sizes",
        "missing",
        "columns",
    ):
        assert getattr(found, part) == getattr(wanted, part), part


def _write(frame: pd.DataFrame, path: Path) -> None:
    if path.suffix == ".csv":
        frame.to_csv(path, index=False, na_rep="-")  # among numbers, missing
    else:
        frame.to_parquet(path, index=False)
