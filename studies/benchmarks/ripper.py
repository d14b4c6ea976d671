"""RIPPER, as the package wittgenstein has it, on a table of atoms."""

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gnri.errors import GnriError


@dataclass(frozen=True, slots=True)
class RipperRule:
    """Clauses of (atom, cell); the cell may be 0, missing, which no literal of ours asks for."""

    clauses: tuple[tuple[tuple[int, int], ...], ...]

    def holds(self, values: NDArray[np.int8]) -> NDArray[np.bool_]:
        """Whether some clause is met, for each row."""
        found = np.zeros(len(values), bool)
        for clause in self.clauses:
            met = [values[:, atom] == cell for atom, cell in clause]
            found |= np.logical_and.reduce([np.ones(len(values), bool), *met])
        return found


def fit_ripper(values: NDArray[np.int8], member: NDArray[np.bool_]) -> RipperRule:
    """The rule that RIPPER finds for the rows of `member`, with the package's settings."""
    try:
        import pandas as pd
        import wittgenstein
    except ImportError:
        raise GnriError(
            "ripper needs the package wittgenstein; install it with `pip install 'gnri[bench]'`"
        ) from None
    frame = pd.DataFrame(values.astype(str), columns=[str(i) for i in range(values.shape[1])])
    model = wittgenstein.RIPPER(random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its use of pandas
        model.fit(frame, y=member.astype(int), pos_class=1)
    return RipperRule(
        tuple(
            tuple((int(condition.feature), int(condition.val)) for condition in rule.conds)
            for rule in model.ruleset_.rules
        )
    )
