import subprocess
import sys

import torch

from studies.training.coin_tables import PriorConfig, sample
from studies.training.streams import seeded, stable_seed


def values(config: PriorConfig, seed: int, step: int, size: int = 8) -> torch.Tensor:
    return sample(config, size, generator=seeded(seed, step)).batch.values


def test_a_step_is_a_function_of_seed_and_step_alone() -> None:
    config = PriorConfig()
    first = values(config, 42, 7)
    torch.rand(10)  # the global generator plays no part
    values(config, 1, 1)
    assert torch.equal(first, values(config, 42, 7))
    assert not torch.equal(first, values(config, 42, 8))
    assert not torch.equal(first, values(config, 43, 7))


def test_seeds_do_not_depend_on_the_process() -> None:
    code = "from studies.training.streams import stable_seed; print(stable_seed(42, 'weights', 3))"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert int(printed.stdout) == stable_seed(42, "weights", 3)


def test_neighbouring_seeds_and_steps_never_meet() -> None:
    assert len({stable_seed(seed, step) for seed in range(100) for step in range(100)}) == 10**4
