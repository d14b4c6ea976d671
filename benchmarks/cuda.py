"""The paper's model on a GPU: its time, and whether its rules are those of the CPU.

    python -m benchmarks.cuda

It needs torch (`pip install '.[train]'`) and a GPU. `--device cpu` tries the script without one.
"""

import argparse
from functools import partial

from gnri.model.load import load_model
from gnri.model.paper_export import canonical_export
from studies.paper.cost import _timed, two_passes
from studies.training.coin_tables import PriorConfig, sample
from studies.training.streams import seeded
from tests.reliability.determinism import compared, module_of, ways
from tests.reliability.tasks import tasks

ATOMS, ROWS = 1024, 32


def main() -> None:
    """Print the time at 1,024 atoms and 32 rows, and how many rules of some tasks are the same."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--tasks", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=50)
    asked = parser.parse_args()
    prior = PriorConfig(atoms=(ATOMS, ATOMS), rows=(ROWS, ROWS))
    batch = sample(prior, 1, generator=seeded("cost", ATOMS)).batch
    network, episode = module_of("gnri").to(asked.device), batch.episode(0)
    spent = _timed(partial(two_passes, network, batch), asked.repeats, asked.device)
    here = canonical_export(load_model("gnri")(episode), episode)
    same = two_passes(network, batch).rule == here.rule
    print(f"gnri, {ATOMS} atoms, {ROWS} rows, {asked.device}: {spent['milliseconds']} ms")
    print(f"its rule is {'' if same else 'not '}that of the CPU; margin {here.margin:.1e}")
    for name, refine in (("gnri", False), ("guided", True)):
        for way, count in compared(tasks(asked.tasks, seed=1), ways(name, refine, asked.device)):
            print(f"{name}, {way}: {count} of {asked.tasks} rules are those of NumPy")


if __name__ == "__main__":
    main()
