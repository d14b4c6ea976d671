"""How long learners take, and how much memory, as tables get longer and wider.

Each fit runs in a process of its own, so that its peak of memory is its own too. Seconds are those
of the processor, which other work on the machine hardly changes.
"""

import os
import resource
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from json import dumps, loads
from pathlib import Path
from signal import SIGXCPU
from time import process_time
from typing import NamedTuple

import numpy as np

from gnri.counts import block as on_block
from gnri.counts.block import Block
from gnri.rules.row_expression import EVERYTHING, cover
from studies import plotting, read_data
from studies.benchmarks.learners import one_thread, weights_of
from studies.benchmarks.rule_learners import Coins, fit_named
from studies.markdown import distinct, markdown, short
from studies.results import Row, Rows
from studies.study import Context, measure

LITERALS, WORDS = 64, 1 << 18  # a block of 16.8 million rows: 134 MB, more than any cache holds


class Bandwidth(NamedTuple):
    """Bytes a second of one core: summed by numpy, and counted for one selection."""

    memory: float
    counting: float


def bandwidth(words: int = WORDS, rounds: int = 3) -> Bandwidth:
    """Return the best of some rounds of each."""
    rng = np.random.default_rng(0)
    bits = rng.integers(0, 1 << 63, (LITERALS, words), np.uint64)
    present = np.full(words, (1 << 64) - 1, np.uint64)
    block = Block(bits, present, (0, words // 2, words))
    literals = np.arange(LITERALS)
    reading, counting = [], []
    for _ in range(rounds):
        start = process_time()
        bits.max()  # one comparison a word: as near to reading alone as numpy comes
        reading.append(process_time() - start)
        start = process_time()
        on_block.counts(block, [cover([0, 3]), EVERYTHING], literals)
        counting.append((process_time() - start) / 2)
    return Bandwidth(bits.nbytes / min(reading), bits.nbytes / min(counting))


# Rows and atoms of the tables that all learners are fitted to.
COMPARED = ((1_000, 32), (10_000, 32), (100_000, 32), (10_000, 512))
# The lengths, of 32 atoms, and the widths, of 1,000 rows, by which growth is measured.
ROWS = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000)
ATOMS = (10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000)
GROWING = ("guided+refine", "guided", "cart", "figs")
LIMIT = 600  # seconds of processor that one fit may take
_FRESH = 10_000  # rows that accuracy is measured on
_NOISE = 0.05


def measure_growth(learners: Sequence[str], context: Context, *, limit: int = LIMIT) -> Rows:
    """Measure a row for each learner and size in scale.csv; empty above `limit` seconds."""
    sizes = {name: set(COMPARED) for name in learners}
    for name in set(learners) & set(GROWING):
        sizes[name] |= {(rows, 32) for rows in ROWS} | {(1_000, atoms) for atoms in ATOMS}
    tasks: list[Row] = [
        {"learner": name, "rows": rows, "atoms": atoms}
        for name in learners
        for rows, atoms in sorted(sizes[name])
    ]
    return measure("scale", tasks, partial(_run, limit=limit), context)


def table_of(rows: int, atoms: int, seed: int) -> tuple[Coins, Coins]:
    """Return coins, and labels by the hidden rule, some of them turned round."""
    rng = np.random.default_rng(seed)
    coins = rng.integers(0, 2, (rows, atoms), np.int8).view(np.bool_)
    return coins, hidden(coins) ^ (rng.random(rows) < _NOISE)


def hidden(coins: Coins) -> Coins:
    """Return x0 and x1 and not x2, or x3 and not x4 and x5, or x6 and x7."""
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
    sizes = ("" if size is None else size for size in (fitted.clauses, fitted.literals))
    cells = (round(seconds, 4), round(peak), round(peak - before), round(accuracy, 4), *sizes)
    return dict(zip(_FIGURES[:-1], cells, strict=True))


def _run(task: Row, _: Context, limit: int) -> Row:
    """Return the figures from a process of its own; none where it takes longer than it may."""
    words = [str(task[key]) for key in ("learner", "rows", "atoms")]
    command = [sys.executable, "-m", "studies.benchmarks.growth", *words, str(limit)]
    alone = os.environ | {name: "1" for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS")}
    facts = {"weights": weights_of(words[0]) if words[0] in ("gnri", *GROWING[:2]) else ""}
    figures: Row = dict.fromkeys(_FIGURES, "")
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=alone)
        figures |= loads(done.stdout.splitlines()[-1])
    except subprocess.CalledProcessError as error:
        late, said = error.returncode == -SIGXCPU, error.stderr.strip().splitlines()
        figures["why"] = f"over {limit} s" if late else (said or ["killed"])[-1][:80]
    return figures | facts


_FIGURES = ("seconds", "peak_mb", "extra_mb", "accuracy", "clauses", "literals", "why")


def _peak() -> float:
    """Return the most memory this process has had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


_LARGE = {"rows": 10_000, "atoms": 1_000}  # growth is fitted from here: below, overhead hides it
_AXES = {"rows": ("atoms", "32"), "atoms": ("rows", "1000")}  # what is held along each axis
_TITLES = {
    "seconds": "Seconds",
    "peak_mb": "Peak of memory, MB",
    "accuracy": "Accuracy",
    "clauses": "Clauses, or leaves",
}


def report(rows: Rows, band: Bandwidth | None = None) -> str:
    """Return seconds, memory, accuracy and size side by side, then growth."""
    learners = distinct(rows, "learner")
    parts = [read_data("studies.benchmarks", "pages.toml")["scale"]]
    for figure, title in _TITLES.items():
        parts += [f"## {title}\n", _side_by_side(rows, learners, figure)]
    parts += ["## Growth\n", _growth(rows), _curve(rows, "rows"), _curve(rows, "atoms")]
    if band is not None:
        parts += ["## Beside the memory\n", _band(band)]
    return "\n".join(parts)


def exponent(rows: Rows, learner: str, axis: str) -> float | None:
    """Return the slope of log seconds by log rows, or log atoms, on the larger tables."""
    points = [
        (int(row[axis]), float(row["seconds"]))
        for row in curve(rows, learner, axis)
        if int(row[axis]) >= _LARGE[axis]
    ]
    if len(points) < 2:
        return None
    x, y = np.log(np.array(points)).T
    return float(np.polyfit(x, y, 1)[0])


def curve(rows: Rows, learner: str, axis: str) -> Rows:
    """Return the measured rows along one axis, the other one held."""
    other, held = _AXES[axis]
    found = [row for row in rows if row["learner"] == learner and row[other] == held]
    return sorted((row for row in found if row["seconds"]), key=lambda row: int(row[axis]))


def draw(rows: Rows, path: Path) -> None:
    """Draw seconds by rows and by atoms, both on logarithmic axes, as SVG."""
    figure = plotting.blank(9, 4)
    labels = {"rows": "rows of 32 atoms", "atoms": "atoms, 1,000 rows"}
    for place, (axis, label) in enumerate(labels.items(), start=1):
        axes = figure.add_subplot(1, 2, place, xlabel=label, ylabel="seconds of one processor")
        for learner in distinct(rows, "learner"):
            points = curve(rows, learner, axis)
            if len(points) > 1:
                x, y = ([float(row[name]) for row in points] for name in (axis, "seconds"))
                axes.loglog(x, y, marker="o", markersize=3, label=learner)
        axes.grid(alpha=0.3)
        if axes.lines:
            axes.legend(fontsize="small")
    plotting.save(figure, path.parent, path.stem)


def _side_by_side(rows: Rows, learners: list[str], figure: str) -> str:
    found = {(row["learner"], int(row["rows"]), int(row["atoms"])): row for row in rows}
    body = [
        [f"{long:,} x {wide}", *(_cell(found.get((name, long, wide)), figure) for name in learners)]
        for long, wide in COMPARED
    ]
    return markdown(["rows x atoms", *learners], body)


def _cell(row: dict[str, str] | None, figure: str) -> str:
    if row is None or not (row[figure] or row["why"]):
        return "-"
    if row["why"]:
        return row["why"] if figure == "seconds" else "-"
    number = float(row[figure])
    return {"seconds": short, "accuracy": "{:.3f}".format}.get(figure, "{:,.0f}".format)(number)


def _growth(rows: Rows) -> str:
    body = []
    for name in GROWING:
        exponents = [exponent(rows, name, axis) for axis in _AXES]
        if any(exponents):
            body.append([name, *("-" if e is None else f"{e:.2f}" for e in exponents)])
    least = f"from {_LARGE['rows']:,} rows and from {_LARGE['atoms']:,} atoms"
    table = markdown(["learner", "in rows", "in atoms"], body)
    return f"Exponents of seconds, fitted {least} up.\n\n{table}"


TIME_AND_MEMORY = {"seconds": "s", "peak_mb": "MB"}


def _curve(rows: Rows, axis: str) -> str:
    curves = {name: {row[axis]: row for row in curve(rows, name, axis)} for name in GROWING}
    curves = {name: found for name, found in curves.items() if found}
    body = [
        [f"{int(size):,}"]
        + [_cell(found.get(size), what) for found in curves.values() for what in TIME_AND_MEMORY]
        for size in sorted(set().union(*curves.values()), key=int)
    ]
    units = [f"{name}, {unit}" for name in curves for unit in TIME_AND_MEMORY.values()]
    return markdown([axis, *units], body)


def _band(band: Bandwidth) -> str:
    rows = band.counting / LITERALS * 8  # a second, of 64 literals packed in bits
    return (
        f"One core reads {band.memory / 1e9:.1f} GB of memory a second. A count of 64 literals for "
        f"one selection reads {band.counting / 1e9:.1f} GB of packed rows a second, "
        f"{100 * band.counting / band.memory:.0f} % of that: {rows / 1e6:,.0f} million rows a "
        "second.\n"
    )


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CPU, (int(sys.argv[4]), resource.RLIM_INFINITY))
    print(dumps(fit_and_tell(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))
