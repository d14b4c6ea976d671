"""A fit of `RuleClassifier` and of a tree, and a counting pass, on one thread.

    pytest benchmarks/test_scale.py --benchmark-group-by=param:size --benchmark-columns=min,median

The whole comparison, with memory and growth, is `python -m studies bench scale`.
"""

import numpy as np
import pytest

from gnri.counts import block as on_block
from gnri.counts.block import make_block
from gnri.rules.row_expression import cover
from studies.benchmarks.growth import table_of
from studies.benchmarks.learners import one_thread
from studies.benchmarks.rule_learners import fit_named

SIZES = {"1000x32": (1_000, 32), "10000x32": (10_000, 32), "1000x1000": (1_000, 1_000)}


@pytest.mark.parametrize("learner", ["guided+refine", "guided", "cart"])
@pytest.mark.parametrize("size", SIZES)
def test_fit(benchmark, size, learner):
    table, fit = table_of(*SIZES[size], seed=0), fit_named(learner)
    with one_thread():
        benchmark.pedantic(fit, table, rounds=3, warmup_rounds=1)


@pytest.mark.parametrize("selections", [1, 32])
def test_counting_pass(benchmark, selections):
    """A block of a million rows and 64 literals."""
    rng = np.random.default_rng(0)
    block = make_block([rng.random((64, 1 << 19)) < 0.5 for _ in range(2)])
    chosen = [cover([i, 63 - i]) for i in range(selections)]
    benchmark(on_block.counts, block, chosen, np.arange(64))
