"""Episodes and tables made by code: functions of a seed alone."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gnri import Episode

TARGET = "y"


def episodes(count: int, *, seed: int) -> list[Episode]:
    """Draw hidden rules over 3 to 24 columns, with wrong labels, missing cells and ties.

    They are those of `tests.reliability.tasks`.
    """
    return [_episode(np.random.default_rng([seed, number])) for number in range(count)]


def small_episodes(count: int, *, seed: int) -> list[Episode]:
    """Draw tables of few rows and many columns, where many rules are equally good."""
    return [_small_episode(np.random.default_rng([seed, number])) for number in range(count)]


def _small_episode(rng: np.random.Generator) -> Episode:
    rows, atoms = int(rng.integers(4, 15)), int(rng.integers(2, 31))
    values = rng.choice(np.array([-1, -1, 0, 1, 1], np.int8), size=(rows, atoms))
    labels = np.where(rng.random(rows) < 0.2, rng.choice([-1, 1], rows), values[:, 0] | 1)
    return Episode(values, labels)


def _episode(rng: np.random.Generator) -> Episode:
    rows, atoms = int(rng.integers(12, 121)), int(rng.integers(3, 25))
    values = rng.choice(np.array([-1, 1], np.int8), size=(rows, atoms))
    if rng.random() < 0.3:
        values[:, -1] = values[:, 0] * rng.choice([-1, 1])
    clauses = [
        [(int(atom), bool(rng.random() < 0.5)) for atom in _some(atoms, rng)]
        for _ in range(rng.integers(1, 4))
    ]
    holds = _holds(clauses, values) == bool(rng.random() < 0.5)
    labels = np.where(holds, 1, -1)
    noise = rng.choice([0.0, 0.0, 0.05, 0.15])
    labels = np.where(rng.random(rows) < noise, -labels, labels)
    missing = rng.choice([0.0, 0.0, 0.1])
    return Episode(np.where(rng.random(values.shape) < missing, 0, values), labels)


def _some(atoms: int, rng: np.random.Generator) -> list[int]:
    return list(rng.choice(atoms, size=int(rng.integers(1, min(4, atoms) + 1)), replace=False))


def _holds(
    clauses: Sequence[Sequence[tuple[int, bool]]], values: NDArray[np.int8]
) -> NDArray[np.bool_]:
    """Return where some clause is true; no cell is missing."""
    found = np.zeros(len(values), np.bool_)
    for clause in clauses:
        signs = [values[:, atom] == (1 if positive else -1) for atom, positive in clause]
        found |= np.all(signs, axis=0)
    return found


def tables() -> dict[str, pd.DataFrame]:
    """Return three tables: two classes with missing cells, four classes, and numbers alone."""
    return {"mixed": mixed(240, 1), "classes": four_classes(300, 2), "numeric": numeric(200, 3)}


def mixed(rows: int, seed: int) -> pd.DataFrame:
    """Draw text, numbers, flags and codes, with missing cells and wrong labels."""
    rng = np.random.default_rng(seed)
    odor = rng.choice(
        ["foul", "none", "almond", 'it\'s "odd"', "rare"], rows, p=[*[0.24] * 4, 0.04]
    )
    height = rng.lognormal(2, 0.5, rows).round(2)
    ring, zone = rng.random(rows) < 0.4, rng.choice(["007", "012", "100"], rows)
    hidden = (odor == "foul") | ((height > 8) & ~ring) | ((zone == "012") & (odor == "almond"))
    label = np.where(hidden ^ (rng.random(rows) < 0.04), "bad", "good")
    frame = pd.DataFrame({"odor": odor, "height (cm)": height, "ring": ring, "zone": zone})
    frame = frame.astype(object).mask(rng.random(frame.shape) < 0.06)
    return frame.assign(spots=rng.integers(0, 9, rows), **{TARGET: label})


def four_classes(rows: int, seed: int) -> pd.DataFrame:
    """Draw four classes of different sizes, told apart by a text and two numbers."""
    rng = np.random.default_rng(seed)
    shape = rng.choice(["round", "flat", "long"], rows)
    width, depth = rng.normal(10, 3, rows).round(1), rng.integers(0, 20, rows)
    place = np.select([shape == "flat", width > 12, depth < 4], [0, 1, 2], 3)
    place = np.where(rng.random(rows) < 0.03, rng.integers(0, 4, rows), place)
    label = np.array(["plate", "barrel", "tray", "none of them"])[place]
    return pd.DataFrame({"shape": shape, "width": width, "depth": depth, TARGET: label})


def numeric(rows: int, seed: int) -> pd.DataFrame:
    """Draw numbers with whole numbers as labels; two columns say the same."""
    rng = np.random.default_rng(seed)
    cells = rng.normal(size=(rows, 5)).round(3)
    cells[:, 4] = -cells[:, 0]
    label = ((cells[:, 0] > 0.3) & (cells[:, 1] < 0.8)) | (cells[:, 2] > 1.4)
    frame = pd.DataFrame(cells, columns=[f"n{i}" for i in range(5)])
    return frame.assign(**{TARGET: np.where(label, 2, 1)})


def large(rows: int, seed: int) -> pd.DataFrame:
    """Draw 10 columns of numbers, 14 of categories and 10 of flags; one cell in 50 is missing."""
    rng = np.random.default_rng(seed)
    columns = {f"n{i}": rng.normal(50, 20, rows).round(i % 4) for i in range(10)}
    columns |= {f"c{i}": rng.choice(list("abcdefgh")[: 3 + i % 6], rows) for i in range(14)}
    columns |= {f"f{i}": rng.integers(0, 2, rows) for i in range(10)}
    hidden = (columns["c0"] == "a") & (columns["n0"] > 45)
    hidden |= (columns["f0"] == 1) & (columns["f1"] == 0) & (columns["c5"] != "b")
    label = np.where(hidden ^ (rng.random(rows) < 0.05), "yes", "no")
    frame = pd.DataFrame(columns)
    frame = frame.astype(object).mask(rng.random(frame.shape) < 0.02)
    return frame.assign(**{TARGET: label})
