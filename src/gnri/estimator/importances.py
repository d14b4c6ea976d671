"""How much each column matters to the rules: what it costs if its cells tell nothing."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gnri.estimator.fitting import Fitted


def measure_importances(fitted: Fitted, columns: Sequence[str]) -> NDArray[np.float64]:
    """Return how many more training rows are wrong, as a share, if a column's cells are exchanged.

    Each row gets the cell of a training row drawn at random, independently. This is the mean over
    all draws, by whole numbers: for each state of the column, the rows in it times the rows that
    would be wrong if all were in it. A column that the rules do not read has 0.
    """
    values, codes = fitted.rows()
    rules = fitted.rule_list.compact()
    places = {atom: i for i, atom in enumerate(fitted.rule_list.atoms)}
    read = values[:, list(places)]
    kinds, where = np.unique(read, axis=0, return_inverse=True)
    counts = np.zeros((len(kinds), len(fitted.classes)), np.int64)
    np.add.at(counts, (where.ravel(), codes), 1)

    def count_right(rows: NDArray[np.int8]) -> int:
        return int(counts[np.arange(len(rows)), rules.choose(rows)].sum())

    total, known = len(codes), count_right(kinds)
    found = dict.fromkeys(columns, 0.0)
    for name in rules.columns:
        mine = [i for i, atom in enumerate(rules.schema.atoms) if atom.column == name]
        states, members = np.unique(kinds[:, mine], axis=0, return_inverse=True)
        times = np.bincount(members.ravel(), counts.sum(axis=1)).astype(np.int64).tolist()
        right = 0
        for state, rows in zip(states, times, strict=True):
            changed = kinds.copy()
            changed[:, mine] = state
            right += rows * count_right(changed)
        found[name] = (known * total - right) / total**2
    return np.array(list(found.values()))
