"""From a CSV file to a rule, beside pandas with a tree of 16 leaves, as ratios of one run.

    python -m benchmarks.end_to_end                        # 100,000 and 1,000,000 rows x 34
    python -m benchmarks.end_to_end --before OTHER/src     # 1,000 x 20 beside another checkout

Each figure is the median of some new processes, taken in turn. "With folds" gnri cross-validates
itself; the tree beside it is fitted once, or with its own five folds.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
Cost = tuple[float, float, float]
"""Seconds on the clock, seconds of the processor, and the most memory in MB."""

_TABLE = """
import sys
from tests.corpus.tasks import large
rows, columns, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
large(rows, 7).iloc[:, [*range(columns), -1]].to_csv(path, index=False)
"""
_TREE = """
import sys
import pandas as pd
from sklearn.tree import DecisionTreeClassifier
table = pd.read_csv(sys.argv[1])
features, labels = pd.get_dummies(table.drop(columns="y")), table["y"]
tree = DecisionTreeClassifier(max_leaf_nodes=16, random_state=0).fit(features, labels)
print(tree.score(features, labels))
if sys.argv[2:]:
    from sklearn.model_selection import cross_val_score
    print(cross_val_score(tree, features, labels, cv=5).mean())
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--before", type=Path, help="the folder src of another checkout of gnri")
    parser.add_argument("--repeats", type=int, default=5)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        if given.before is not None:
            path = make_table(1_000, 19, place)
            other = {"PYTHONPATH": str(given.before.resolve())}
            costs = take_turns([(induce(path), {}), (induce(path), other)], given.repeats)
            show("1,000 x 20 with folds, beside --before", *costs)
            return
        path = make_table(100_000, 34, place)
        asked = [induce(path), induce(path, "--no-estimate"), tree(path), tree(path, "folds")]
        folds, alone, once, crossed = take_turns([(one, {}) for one in asked], given.repeats)
        show("100,000 x 34 without folds, beside the tree", alone, once)
        show("100,000 x 34 with folds, beside the tree without", folds, once)
        show("100,000 x 34 with folds, beside the tree with folds", folds, crossed)
        path = make_table(1_000_000, 34, place)
        costs = take_turns([(induce(path, "--no-estimate"), {}), (tree(path), {})], 1)
        show("1,000,000 x 34 without folds, beside the tree", *costs)


def make_table(rows: int, columns: int, folder: str) -> str:
    """Write the table of the corpus with so many columns and a target; return its path."""
    path = f"{folder}/{rows}.csv"
    words = [sys.executable, "-c", _TABLE, str(rows), str(columns), path]
    subprocess.run(words, cwd=ROOT, check=True)
    return path


def induce(path: str, estimate: str = "--estimate") -> list[str]:
    return ["-m", "gnri", "induce", path, "--target", "y", estimate]


def tree(path: str, *folds: str) -> list[str]:
    return ["-c", _TREE, path, *folds]


def take_turns(commands: list[tuple[list[str], dict[str, str]]], repeats: int) -> list[Cost]:
    """Return the medians of each command of Python, with more environment, run in turn."""
    found = [[cost_of(*command) for command in commands] for _ in range(repeats)]
    medians = [map(statistics.median, zip(*runs, strict=True)) for runs in zip(*found, strict=True)]
    return [(seconds, processor, memory) for seconds, processor, memory in medians]


def cost_of(words: list[str], environment: dict[str, str]) -> Cost:
    started = time.perf_counter()
    # Nothing large is imported here: a process counts the memory of its parent as its own.
    process = subprocess.Popen(
        [sys.executable, *words], stdout=subprocess.DEVNULL, env={**os.environ, **environment}
    )
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(words)} ended with {process.returncode}")
    return seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def show(what: str, ours: Cost, theirs: Cost) -> None:
    print(what)
    for unit, one, other in zip(("s", "s of processor", "MB"), ours, theirs, strict=True):
        print(f"  {one / other:5.2f}   {one:8.2f} for {other:8.2f} {unit}", flush=True)


if __name__ == "__main__":
    main()
