"""How often `gnri watch` raises an alarm where nothing changed: on random halves of a table.

    python -m tests.reliability.false_alarms [TABLE ...] [--halves 100] [--form auto]

A rule is learnt from one half of the rows and watched on the other half, with its labels. A table
is a bundled one, or a CSV file whose last column is the label. `examples/credit.csv` is one.
"""

import argparse
from collections import Counter
from pathlib import Path

import numpy as np

from gnri.data.samples import read_sample
from gnri.data.sources import TableSource, read_table
from gnri.data.table import Table
from gnri.estimator.cross_validation import cross_validate
from gnri.estimator.fitting import fit
from gnri.estimator.settings import FitSettings
from gnri.report.batch import code_labels, column_cells, read_training
from gnri.report.change_checks import Limits
from gnri.report.monitoring import WatchReport, watch_table

TABLES = ("monks-1", "tic-tac-toe", "iris", "wine", "breast-cancer", "examples/credit.csv")


def load(name: str, folder: Path) -> Table:
    """A table by its name, or from a file."""
    if Path(name).is_file():
        return read_table(name)
    path = folder / f"{name}.csv"
    path.write_bytes(read_sample(name))
    return read_table(path)


def watch_half(
    table: Table, seed: int, form: str = "auto", labels: bool = True, validate: bool = True
) -> WatchReport:
    """Learn from a random half of the rows, and watch the other half."""
    order = np.random.default_rng(seed).permutation(table.rows)
    then, now = table.take(order[: table.rows // 2]), table.take(order[table.rows // 2 :])
    return watch_rows(then, now, form, labels, validate)


def watch_rows(
    then: Table, now: Table, form: str = "auto", labels: bool = True, validate: bool = True
) -> WatchReport:
    """Learn from some rows, whose last column is the label, and watch others."""
    target = list(then)[-1]
    fitted = fit(TableSource.of(then), target, FitSettings(form=form))
    held_out = cross_validate(fitted) if validate else None
    training, words = read_training(fitted.training_summary(held_out), fitted.rule_list)
    codes = code_labels(column_cells(now[target]), words.classes) if labels else None
    return watch_table(words, training, now, codes, 12, Limits())


def main() -> int:
    """Print how many halves of each table raised an alarm, and of which kind."""
    import tempfile

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", default=TABLES)
    parser.add_argument("--halves", type=int, default=100)
    parser.add_argument("--form", default="auto")
    parser.add_argument("--no-estimate", action="store_true", help="without cross-validation")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name in given.tables:
            table, kinds, alarms = load(name, Path(folder)), Counter[str](), 0
            for seed in range(given.halves):
                found = watch_half(table, seed, given.form, validate=not given.no_estimate).alarms
                kinds.update({one.kind for one in found})
                alarms += bool(found)
            said = ", ".join(f"{kind} {n}" for kind, n in kinds.items())
            print(f"{name}: {alarms} of {given.halves} halves raise an alarm  {said}", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
