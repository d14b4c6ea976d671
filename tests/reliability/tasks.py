"""Tables of many shapes to ask the same question of again and again."""

import numpy as np

from gnri.episode import Episode
from gnri.rules.dnf import SignedDNF


def tasks(count: int, *, seed: int) -> list[Episode]:
    """Hidden rules over 3 to 24 columns and 12 to 120 rows, with wrong labels and missing cells.

    Columns are copied and turned now and then, so that there are ties.
    """
    return [_task(np.random.default_rng([seed, number])) for number in range(count)]


def _task(rng: np.random.Generator) -> Episode:
    rows, atoms = int(rng.integers(12, 121)), int(rng.integers(3, 25))
    values = rng.choice(np.array([-1, 1], np.int8), size=(rows, atoms))
    if rng.random() < 0.3:
        values[:, -1] = values[:, 0] * rng.choice([-1, 1])
    clauses = [
        [(int(atom), bool(rng.random() < 0.5)) for atom in _some(atoms, rng)]
        for _ in range(rng.integers(1, 4))
    ]
    labels = SignedDNF(clauses, positive=bool(rng.random() < 0.5)).evaluate(values)
    noise = rng.choice([0.0, 0.0, 0.05, 0.15])
    labels = np.where(rng.random(rows) < noise, -labels, labels)
    missing = rng.choice([0.0, 0.0, 0.1])
    return Episode(np.where(rng.random(values.shape) < missing, 0, values), labels)


def _some(atoms: int, rng: np.random.Generator) -> list[int]:
    return list(rng.choice(atoms, size=int(rng.integers(1, min(4, atoms) + 1)), replace=False))
