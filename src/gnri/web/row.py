"""One row of the table: its answer, the clause that fired, or the one that came closest."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.logic.formula import Literal, sorted_clauses
from gnri.render.words import spell
from gnri.web.packed import PackedTable
from gnri.web.refusal import Refusal
from gnri.web.work.learnt import Learnt, Rules


def explain_row(table: PackedTable, learnt: Learnt, rules: Rules, row: int) -> dict[str, Any]:
    """What the rules say of this row of the table, literal by literal."""
    if not 0 <= row < table.rows:
        raise Refusal(422, f"the table has the rows 0 to {table.rows - 1}, got {row}")
    values = learnt.values[row : row + 1]
    ruleset = learnt.ruleset(rules)
    truths = [int(truth[0]) for truth in ruleset.truths(values)]
    answer, label = int(ruleset.choose(values)[0]), int(learnt.codes[row])
    return {
        "row": row,
        "label": spell(learnt.classes[label]),
        "answer": spell(learnt.classes[answer]),
        "right": answer == label,
        "rules": [
            {"truth": truth, **_clauses(rule, values[0])}
            for truth, rule in zip(truths, rules, strict=True)
        ],
        "read": ruleset.columns,
        "cells": {
            name: cell for name, cell in table.row(row).items() if name != learnt.settings.target
        },
    }


def _clauses(rule: Any, values: NDArray[np.int8]) -> dict[str, Any]:
    """The truth of each literal; `closest` is the clause that fewest literals keep from firing."""
    clauses = [] if rule is None else sorted_clauses(rule)
    literals = [[_truth(literal, values) for literal in clause] for clause in clauses]
    lacking = [sum(truth != 1 for truth in clause) for clause in literals]
    return {
        "literals": literals,
        "fired": [i for i, count in enumerate(lacking) if count == 0],
        "closest": [i for i, count in enumerate(lacking) if 0 < count == min(lacking)],
    }


def _truth(literal: Literal, values: NDArray[np.int8]) -> int:
    return int(values[literal.atom]) * (1 if literal.positive else -1)
