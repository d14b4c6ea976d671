"""What a fitted classifier keeps of the rows it was fitted on."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gnri.rules.rule_list import RuleSet


@dataclass(frozen=True, eq=False)
class TrainingRows:
    """The class of each row and the class answered, as places in `classes_`.

    `missing` counts the missing cells of each column that gave atoms. The atoms themselves,
    `values`, are kept in memory for a report and left out of what is saved: None.
    """

    codes: NDArray[np.int32]
    answers: NDArray[np.int32]
    missing: dict[str, int]
    values: NDArray[np.int8] | None

    def without_values(self) -> "TrainingRows":
        return replace(self, values=None)


@dataclass(frozen=True, slots=True)
class CountedRows:
    """What is kept of rows that were read in parts.

    The rows of each class, the missing cells of each column, and how often the files and then the
    packed rows were gone through.
    """

    sizes: tuple[int, ...]
    missing: dict[str, int]
    passes: tuple[int, int]

    def without_values(self) -> "CountedRows":
        return self


def training_rows(
    ruleset: RuleSet, values: NDArray[np.int8], codes: NDArray[np.intp]
) -> TrainingRows:
    """What to keep of these rows."""
    # A missing cell leaves every atom of its column open, so one atom tells.
    one = {atom.column: i for i, atom in enumerate(ruleset.schema.atoms)}
    missing = {column: int(np.sum(values[:, i] == 0)) for column, i in one.items()}
    answers = ruleset.choose(values).astype(np.int32)
    return TrainingRows(codes.astype(np.int32), answers, missing, values)
