"""Do exports answer as the rule does? `GNRI_DATA=FOLDER python -m tests.reliability.exports`.

Rules and point tables are learnt from part of each of six tables. Each engine that is installed
then answers 10,000 rows, drawn from all with cells left out and categories never seen.
"""

import json
from typing import Any

import numpy as np
import pandas as pd

from gnri import RuleClassifier
from gnri.formats import FORMATS
from tests.contracts.format_contract import ENGINES, SWIPL, engines_for, in_swipl
from tests.corpus.rules import DATA

TABLES = ("adult", "car", "credit-approval", "german-credit", "mushroom", "nursery")
LEARN, ROWS, MISSING, UNSEEN = 1_000, 10_000, 0.1, 0.02


def main() -> int:
    names = {engine: name for name, engine in ENGINES.items()} | {in_swipl: "prolog in swipl"}
    described = json.loads((DATA / "schema.json").read_text(encoding="utf-8"))
    wrong, tried = 0, set[str]()
    for table in TABLES:
        frame = pd.read_csv(DATA / described[table]["file"])
        labels = frame.pop(described[table]["target"])
        for form in ("dnf", "scorecard"):
            rng = np.random.default_rng(0)
            some = rng.permutation(len(frame))[:LEARN]
            learner = RuleClassifier(form=form).fit(frame.iloc[some], labels.iloc[some])
            rules, columns = learner.rule_list_.minimized(), draw(frame, rng)
            expected = rules.predict(columns)
            for engine in engines_for(rules) + ([in_swipl] if SWIPL else []):
                differ = sum(a != b for a, b in zip(engine(rules, columns), expected, strict=True))
                wrong += differ
                tried.add(names[engine].split()[0])
                answers = f"{names[engine]},{ROWS},{differ}"
                print(f"{table},{form},{len(rules.classes)},{answers}", flush=True)
    print(f"{wrong} answers differ; not tried: {sorted(set(FORMATS) - tried)}")
    return int(wrong > 0)


def draw(frame: pd.DataFrame, rng: np.random.Generator) -> dict[str, list[Any]]:
    """Rows drawn with replacement, with cells lost and, among texts, some that are new."""
    drawn = frame.iloc[rng.integers(len(frame), size=ROWS)]
    columns = {}
    for name in frame:
        cells = [cell if cell == cell else None for cell in drawn[name].tolist()]
        chance = rng.random(ROWS)
        text = any(isinstance(cell, str) for cell in cells)
        columns[str(name)] = [
            None if p < MISSING else "never seen" if text and p < MISSING + UNSEEN else cell
            for cell, p in zip(cells, chance, strict=True)
        ]
    return columns


if __name__ == "__main__":
    raise SystemExit(main())
