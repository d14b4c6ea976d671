"""Steps of the points of one column: what they gain at once is what each gains by itself."""

import numpy as np
import pytest

from gnri.counts.states import ColumnStates
from gnri.rules.dnf import Literal, clause
from gnri.search.point_moves import REACH, Descent, LineKeys, make_steps, price_table


@pytest.mark.parametrize("seed", range(20))
def test_each_step_is_the_best_one_up_to_the_farthest_that_points_go(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truths = np.vstack([2 * np.tri(4, 3, -1, dtype=np.int64) - 1, np.zeros((1, 3), np.int64)])
    column = ColumnStates(tuple(clause((i, True)) for i in range(3)), truths, (1, 1, 1))
    literals = [Literal(i, sign) for i in range(3) for sign in (0, 1)]
    keys = LineKeys(column, {one: (one.number + 1, one.number + 9) for one in literals})
    slopes = rng.integers(-900, 900, (5, 1)) * np.arange(-REACH, REACH + 1)
    losses = (slopes + rng.integers(0, 99, slopes.shape)).astype(np.float64)
    most = np.full(3, int(rng.integers(3, REACH + 1)))
    prices = price_table(3, 50, -most, most)
    descent = Descent(losses, keys, np.zeros(3, np.int64), prices, 2)
    for _ in range(500):
        alone = [descent._gain_of(step) for step in make_steps(3)]
        gain = descent.step()
        assert gain == max(0.0, *alone)
        if not gain:
            break
    else:
        raise AssertionError("the points moved on and on")
    assert np.abs(descent._places - descent._start).max() <= REACH
