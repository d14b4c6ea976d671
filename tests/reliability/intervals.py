"""How often the interval of a clause, or of a rule, holds on the other half of a table.

`GNRI_DATA=FOLDER python -m tests.reliability.intervals --halves 30 vote monks-3` prints two
lines for each table: how many figures, and in percent how often Wilson's interval and ours hold, and
how far the precisions on the training rows and to expect are above those on the other half. A table
is CSV, perhaps gzipped, with the label in the last column; at most 6,000 of its rows are used.
"""

import argparse
import gzip
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from gnri.counts.counter import Counter
from gnri.data.arrow import read_delimited
from gnri.data.encode import encode
from gnri.data.sources import TableSource
from gnri.data.table import Table
from gnri.estimator.fitting import fit
from gnri.estimator.settings import FitSettings
from gnri.estimator.statistics import Figures, measure_rules, wilson

MOST = 6_000


def read(name: str) -> Table:
    for path in Path(os.environ["GNRI_DATA"]).glob(f"{name}.csv*"):
        data = path.read_bytes()
        return read_delimited(gzip.decompress(data) if path.suffix == ".gz" else data, name)
    raise SystemExit(f"there is no table {name}")


def pairs(table: Table, seed: int, form: str) -> Iterator[tuple[str, Figures, Figures]]:
    """Yield the figures of each rule and clause on the half that was learnt from, and the other."""
    target = list(table)[-1]
    chosen = np.random.default_rng([seed, 7]).permutation(table.rows)[:MOST]
    shown, hidden = np.sort(chosen[: len(chosen) // 2]), np.sort(chosen[len(chosen) // 2 :])
    found = fit(TableSource.of(table.take(shown)), target, FitSettings(form=form))
    values = encode(found.schema, table.select(found.columns).decide().take(hidden))
    codes = found.target.encode(table[target].take(hidden))
    counter = Counter.from_values(values, codes, len(found.classes))
    for one, two in zip(found.statistics, measure_rules(counter, found.minimized), strict=True):
        yield "rules", one.figures, two.figures
        if one.form == "dnf":
            for first, second in zip(one.clauses, two.clauses, strict=True):
                yield "clauses", first.figures, second.figures


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--halves", type=int, default=30)
    parser.add_argument("--form", default="dnf")
    parser.add_argument("tables", nargs="+")
    given = parser.parse_args()
    for name in given.tables:
        table = read(name)
        every = [one for seed in range(given.halves) for one in pairs(table, seed, given.form)]
        for kind in ("clauses", "rules"):
            held, naive, bias, raw = [], [], [], []
            for which, one, two in every:
                if which != kind or one.expected is None or two.precision is None:
                    continue
                intervals = one.interval, wilson(one.hits, one.covered)
                inside = [low - 1e-12 <= two.precision <= high + 1e-12 for low, high in intervals]
                held.append(inside[0]), naive.append(inside[1])
                bias.append(one.expected - two.precision), raw.append(one.precision - two.precision)
            shares = [100 * float(np.mean(x)) for x in (naive, held, raw, bias)] if held else []
            print(name, kind, len(held), *(f"{share:.1f}" for share in shares), flush=True)


if __name__ == "__main__":
    main()
