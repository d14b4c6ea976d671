"""The soft prediction of a score table, in arithmetic that no order can change.

The product t-norm multiplies one factor for each literal. Here the factors' logarithms are
rounded to a fixed point and added as whole numbers (held in float64, exact below 2^53), so the
result is bitwise the same for any order of rows or atoms. `studies.training.soft_logic` is the
differentiable twin used in training.
"""

import numpy as np
from numpy.typing import NDArray

from gnri.scores import Scores

FLOOR = 1e-6
POINT = 2.0**28  # fixed point of the logarithms: 2^28 steps x 4 ln(1e6) x 2^18 atoms < 2^53
UNIT = 2**30  # one, on the integer grid of the predictions


def soft_truth(scores: Scores, values: NDArray[np.int8]) -> NDArray[np.int64]:
    """Prediction of each rail on each row, (2, rows), in units of 1 / UNIT.

    clause = gate * (1 - prod(1 - p)) * prod(1 - p + p * truth), with truth 1/2 where a cell is
    missing; rule = 1 - prod(1 - clause).
    """
    absent = _fixed_log(1.0 - scores.literals)
    present = -np.expm1(absent.sum((2, 3)) / POINT)[..., None]
    clauses = scores.gates[..., None] * present * _agreement(scores, absent, values)
    soft = 1.0 - np.prod(1.0 - np.clip(clauses, FLOOR, 1.0), axis=1)
    return np.rint(soft * UNIT).astype(np.int64)


def _agreement(
    scores: Scores, false: NDArray[np.float64], values: NDArray[np.int8]
) -> NDArray[np.float64]:
    """prod(1 - p + p * truth) over the literals, (2, slots, rows).

    A true cell counts log(1 - p-), a false one log(1 - p+): half their sum, plus or minus half
    their difference. `false` are these logarithms.
    """
    cells = values.T.astype(np.float64)
    logs = false.sum((2, 3))[..., None] + (false[..., 1] - false[..., 0]) @ cells
    if not values.all():
        unknown = 2 * _fixed_log(1.0 - scores.literals / 2) - false
        logs = logs + unknown.sum(-1) @ (values.T == 0)
    return np.exp(logs / (2 * POINT))


def _fixed_log(factor: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.rint(np.log(np.maximum(factor, FLOOR)) * POINT)
