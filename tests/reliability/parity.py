"""Exports beside `predict` on many rows: `python -m tests.reliability.parity --rows 100000`.

For each form, and for two and three classes, `RuleClassifier` learns ten small tables whose names,
values and classes are hostile, with missing cells. Each table is then asked about a tenth of the
rows: cells at the thresholds and beside them, extreme numbers, values it has not seen, none at all.
One line of JSON counts the rows on which an export, run, does not answer as `predict`.
"""

import argparse
import json
import math
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas

from gnri import RuleClassifier
from gnri.data.schema import Above
from gnri.estimator.point_tables import FORMS
from tests.contracts.format_contract import (
    SWIPL,
    Engine,
    in_duckdb,
    in_pandas,
    in_python,
    in_sqlite,
    in_swipl,
)
from tests.formats.hostile import HOSTILE

ENGINES: dict[str, Engine] = {
    "python": in_python,
    "pandas": in_pandas,
    "sqlite": in_sqlite,
    "duckdb": in_duckdb,
}
TABLES, SHOWN, SAMPLE = 10, 150, 200
EXTREME = (0.0, -0.0, 1e308, -1e308, 5e-324, -5e-324, 2.0**53, 1e15)


def fit_hostile(form: str, classes: int, seed: int) -> tuple[RuleClassifier, pandas.DataFrame]:
    """A classifier of a table whose names, categories and classes are hostile, and the table."""
    rng = np.random.default_rng([seed, classes])
    words = [str(word) for word in rng.choice(HOSTILE[:-1], 9, replace=False)]
    first, second, text, flag, *rest = words
    kinds, labels = rest[:3], sorted(f"{word}!" for word in words[:classes])
    table = pandas.DataFrame(
        {
            first: rng.normal(0, 1, SHOWN).round(2),
            second: rng.integers(-4, 5, SHOWN).astype(float),
            text: rng.choice(kinds, SHOWN).astype(object),
            flag: rng.choice([True, False], SHOWN).astype(object),
        }
    )
    risk = table[first] + table[second] / 3 + 2 * (table[text] == kinds[0]) * table[flag]
    risk = (risk.astype(float) + rng.normal(0, 0.5, SHOWN)).to_numpy()
    cuts = np.quantile(risk, np.linspace(0, 1, classes + 1)[1:-1])
    codes = np.digitize(risk, cuts)
    for name in table:
        table.loc[rng.random(SHOWN) < 0.05, name] = None
    return RuleClassifier(form=form).fit(table, np.array(labels, object)[codes]), table


def draw_cells(
    found: RuleClassifier, table: pandas.DataFrame, rows: int, rng: np.random.Generator
) -> dict[str, list[Any]]:
    """Cells of each column: those it was learnt from, near its thresholds, odd, or missing."""
    columns = {}
    for name in table:
        known = table[name].dropna().tolist()
        pool: list[Any] = [*known[:40], None]
        if isinstance(known[0], str):
            pool += HOSTILE[:40]
        elif not isinstance(known[0], bool):
            atoms = found.schema_.atoms
            cuts = [one.cut for one in atoms if isinstance(one, Above) and one.column == name]
            beside = [math.nextafter(cut, to) for cut in cuts for to in (math.inf, -math.inf)]
            pool += [*cuts, *beside, *EXTREME]
        pool += [None] * (len(pool) // 12)
        columns[str(name)] = [pool[i] for i in rng.integers(len(pool), size=rows)]
    return columns


def count_differences(form: str, classes: int, rows: int) -> dict[str, Any]:
    """How many rows each export answers unlike `predict`, over all tables; SWI-Prolog on a few."""
    wrong = dict.fromkeys(ENGINES, 0) | ({"swipl": 0} if SWIPL else {})
    points, asked = 0, 0
    for seed in range(TABLES):
        found, table = fit_hostile(form, classes, seed)
        rules = found.fitted_.minimized
        points += rules.unit is not None
        columns = draw_cells(found, table, rows // TABLES, np.random.default_rng(seed))
        frame = pandas.DataFrame(
            {name: pandas.Series(x, dtype=object) for name, x in columns.items()}
        )
        expected = found.predict(frame).tolist()
        asked += len(expected)
        for name, answers in _answers(rules, columns):
            wrong[name] += sum(a != b for a, b in zip(answers, expected, strict=False))
    figures = {"rows": asked, "tables": TABLES, "point_tables": points}
    return {"form": form, "classes": classes, **figures, "differ": wrong}


def _answers(rules: Any, columns: dict[str, list[Any]]) -> Iterator[tuple[str, list[Any]]]:
    for name, engine in ENGINES.items():
        yield name, engine(rules, columns)
    if SWIPL:
        some = {name: cells[:SAMPLE] for name, cells in columns.items()}
        yield "swipl", in_swipl(rules, some)


def main() -> int:
    """Compare, print a line for each form and number of classes; exit with 1 if any row differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.reliability.parity")
    parser.add_argument("--rows", type=int, default=100_000)
    asked, broken = parser.parse_args(), 0
    for form in FORMS:
        for classes in (2, 3):
            found = count_differences(form, classes, asked.rows)
            broken += sum(found["differ"].values())
            print(json.dumps(found), flush=True)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
