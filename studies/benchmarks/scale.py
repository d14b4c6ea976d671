"""How long learners take, and how much memory, as tables get longer and wider.

Each fit runs in a process of its own, so that its peak of memory is its own too, and all fits of a
run are of the same tables: fair coins, and a rule of three clauses that is wrong of one row in
twenty. Seconds are those of the processor, which other work on the machine hardly changes.
"""

import os
import resource
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from json import dumps, loads
from signal import SIGXCPU
from time import process_time

import numpy as np
from numpy.typing import NDArray

from studies.benchmarks.learners import weights_of
from studies.benchmarks.measuring import Place, measure, one_thread
from studies.benchmarks.results import Row, provenance
from studies.benchmarks.scale_learners import fit_named

COMPARED = ((1_000, 32), (10_000, 32), (100_000, 32), (10_000, 512))
"""Rows and atoms of the tables that all learners are fitted to."""

ROWS = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000)
ATOMS = (10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000)
"""The lengths, of 32 atoms, and the widths, of 1,000 rows, by which growth is measured."""

GROWING = ("guided+refine", "guided", "cart", "figs")

LIMIT = 600
"""Seconds of processor that one fit may take."""

_FRESH = 10_000  # rows that accuracy is measured on
_NOISE = 0.05


def scale(
    learners: Sequence[str],
    place: Place,
    *,
    growth: bool = True,
    most_rows: int = ROWS[-1],
    limit: int = LIMIT,
) -> list[dict[str, str]]:
    """A row for each learner and size in scale.csv; empty where it takes more than `limit` s."""
    sizes = {name: set(COMPARED) for name in learners}
    if growth:
        lengths = {(rows, 32) for rows in ROWS if rows <= most_rows}
        for name in set(learners) & set(GROWING):
            sizes[name] |= lengths | {(1_000, atoms) for atoms in ATOMS}
    tasks: list[Row] = [
        {"learner": name, "rows": rows, "atoms": atoms}
        for name in learners
        for rows, atoms in sorted(sizes[name])
    ]
    return measure("scale", tasks, partial(_run, limit=limit), place)


def table_of(rows: int, atoms: int, seed: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Coins, and labels by the hidden rule, some of them turned round."""
    rng = np.random.default_rng(seed)
    coins = rng.integers(0, 2, (rows, atoms), np.int8).view(np.bool_)
    return coins, hidden(coins) ^ (rng.random(rows) < _NOISE)


def hidden(coins: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """x0 and x1 and not x2, or x3 and not x4 and x5, or x6 and x7."""
    x = coins.T
    return (x[0] & x[1] & ~x[2]) | (x[3] & ~x[4] & x[5]) | (x[6] & x[7])


def fit_and_tell(name: str, rows: int, atoms: int) -> Row:
    """Fit in this process: seconds, peak of memory, accuracy by the hidden rule, size."""
    fit = fit_named(name)
    with one_thread():
        fit(*table_of(64, 10, 1))  # libraries and weights loaded, before the measurement
        before, table = _peak(), table_of(rows, atoms, 0)
        start = process_time()
        fitted = fit(*table)
        seconds = process_time() - start
        peak = _peak()
        fresh, _ = table_of(_FRESH, atoms, 1) if atoms <= 1_000 else table_of(1_000, atoms, 1)
        accuracy = float(np.mean(fitted.predict(fresh) == hidden(fresh)))
    return {
        "seconds": round(seconds, 4),
        "peak_mb": round(peak),
        "extra_mb": round(peak - before),
        "accuracy": round(accuracy, 4),
        "clauses": "" if fitted.clauses is None else fitted.clauses,
        "literals": "" if fitted.literals is None else fitted.literals,
    }


def _run(task: Row, _: Place, limit: int) -> Row:
    """The figures from a process of its own; none where it takes longer than it may."""
    words = [str(task[key]) for key in ("learner", "rows", "atoms")]
    command = [sys.executable, "-m", "studies.benchmarks.scale", *words, str(limit)]
    alone = os.environ | {name: "1" for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS")}
    name = words[0]
    facts = {"weights": weights_of(name) if name in ("gnri", *GROWING[:2]) else ""}
    figures: Row = dict.fromkeys(_FIGURES, "")
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=alone)
        figures |= loads(done.stdout.splitlines()[-1])
    except subprocess.CalledProcessError as error:
        late, said = error.returncode == -SIGXCPU, error.stderr.strip().splitlines()
        figures["why"] = f"over {limit} s" if late else (said or ["killed"])[-1][:80]
    return figures | facts | provenance("cpu")


_FIGURES = ("seconds", "peak_mb", "extra_mb", "accuracy", "clauses", "literals", "why")


def _peak() -> float:
    """The most memory this process has had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CPU, (int(sys.argv[4]), resource.RLIM_INFINITY))
    print(dumps(fit_and_tell(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))
