"""Tables on which learners tie: few rows, and columns that are copies or complements of others."""

import numpy as np

from gnri.episode import Episode


def tie_heavy(count, *, rng, rows=7, missing=0.15):
    """Episodes of 4 atoms: two random, a copy of the first, a complement of the second."""
    return [_table(rows, missing, rng) for _ in range(count)]


def _table(rows, missing, rng):
    chances = [(1 - missing) / 2, missing, (1 - missing) / 2]
    drawn = rng.choice([-1, 0, 1], p=chances, size=(rows, 2))
    values = np.column_stack([drawn, drawn[:, 0], -drawn[:, 1]])
    return Episode(values[:, rng.permutation(4)], rng.choice([-1, 1], size=rows))
