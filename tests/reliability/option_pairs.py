"""Pairs of a table and its image under random options: `python -m tests.reliability.option_pairs`.

Rows with weights, targets, constraints on columns and limits of size are drawn for each table full
of ties, of two or three classes, in every form. Rows, columns, signs and classes move at once, and
the options with them. Of each twenty pairs, one compares alternatives of small tables instead. One
line of JSON for each form lists the pairs that differ; `names` counts those that differ where only
the names of classes can say (see `symmetry_pairs`), `refused` those where there is no rule within
the options.
"""

import argparse
import json
import sys
from collections import Counter as Tally
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from gnri.errors import GnriError
from gnri.estimator.point_tables import FORMS
from gnri.estimator.settings import FitSettings
from gnri.estimator.trials import learn_task
from gnri.rules.rule_list import RuleList
from gnri.symmetry.table_task import TableTask
from tests.estimator.test_alternatives import follow_every_change
from tests.estimator.test_constraints import limited, move_limits, numbers
from tests.reliability.symmetry_pairs import NAMES, difference, move, renamed, tied_tasks

LABELS = ("a", "b", "c")
REFUSED = "refused"
TARGETS: tuple[dict[str, Any], ...] = (
    {"objective": "balanced_accuracy"},
    {"objective": "f1"},
    {"min_precision": {"a": 0.6}},
    {"min_recall": {"b": 0.9}, "min_precision": {"a": 0.3}},
    {"objective": "f1", "min_recall": {"a": 0.5}},
    {"costs": {("a", "b"): 5, ("a", "c"): 5}},
)
SIZES: tuple[dict[str, Any], ...] = ({}, {"max_lines": 3}, {"max_conditions": 3})


def draw_tasks(seed: int) -> Iterator[tuple[TableTask, np.random.Generator]]:
    """Tables full of ties with weights of rows and limits on columns, without end."""
    tied = {classes: tied_tasks(classes, seed) for classes in (2, 3)}
    number = 0
    while True:
        rng = np.random.default_rng([seed, number])
        classes = 2 if rng.random() < 0.7 else 3
        task = next(tied[classes]) if rng.random() < 0.7 else numbers(rng, classes)
        if rng.random() < 0.5:
            copies = rng.integers(1, 4, task.rows)
            if rng.random() < 0.5:
                copies = rng.integers(1, 4, classes)[task.codes]
            values, codes = (np.repeat(part, copies, axis=0) for part in (task.values, task.codes))
            task = replace(task, values=values, codes=codes)
        if rng.random() < 0.5:
            task = limited(task, rng, keep=False)
        yield replace(task, names=LABELS[:classes]), rng
        number += 1


def draw_settings(task: TableTask, form: str, rng: np.random.Generator) -> FitSettings:
    """A target, at times with weights of the classes, and limits of size."""
    options: dict[str, Any] = {"form": form, **SIZES[rng.integers(len(SIZES))]}
    if rng.random() < 0.6:
        options |= TARGETS[rng.integers(len(TARGETS))]
        weights = {name: int(rng.integers(1, 4)) for name in task.names}
        options["class_weight"] = (None, "balanced", weights)[rng.integers(3)]
        if task.classes == 2 and "costs" in options:
            options["costs"] = {("a", "b"): 5}
    return FitSettings(**options)


def compare(task: TableTask, settings: FitSettings, rng: np.random.Generator) -> str:
    """What differs between the rules of an image and the image of the rules, in a word."""
    image, g, names = move(task, rng)
    if task.classes > 2:
        labels = tuple(task.names[i] for i in np.argsort(names))
        image = replace(move_limits(image, names), names=labels)
    found, again = (learn(one, settings) for one in (task, image))
    if found is None or again is None:
        return REFUSED if found is again else "error"
    return difference(image, renamed(g(found), names), again)


def learn(task: TableTask, settings: FitSettings) -> RuleList | None:
    """The rules, or None if there are none within the options."""
    try:
        return learn_task(task, settings)
    except GnriError:
        return None


def check(form: str, pairs: int, seed: int) -> dict[str, Any]:
    """The figures of a form on so many pairs."""
    said: dict[str, str] = {}
    for number, (task, rng) in zip(range(pairs), draw_tasks(seed), strict=False):
        if number % 20 < 19:
            said[str(number)] = compare(task, draw_settings(task, form, rng), rng)
            continue
        try:
            same = follow_every_change(1000 * seed + number, form, number % 2 == 0, rng)
            said[f"alternatives {number}"] = "" if same else "alternatives"
        except GnriError:  # a floor cannot be reached
            said[f"alternatives {number}"] = REFUSED
    counts = Tally(said.values())
    differ = {place: word for place, word in said.items() if word not in ("", NAMES, REFUSED)}
    return {"pairs": len(said), NAMES: counts[NAMES], REFUSED: counts[REFUSED], "differ": differ}


def main() -> int:
    """Compare, print a line for each form; the exit code is 1 if any rules differ."""
    parser = argparse.ArgumentParser(prog="python -m tests.reliability.option_pairs")
    parser.add_argument("--pairs", type=int, default=2400, help="of all forms together")
    parser.add_argument("--forms", default=",".join(FORMS))
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    forms, broken = asked.forms.split(","), 0
    for form in forms:
        found = check(form, -(-asked.pairs // len(forms)), asked.seed)
        broken += len(found["differ"])
        print(json.dumps({"form": form, "seed": asked.seed, **found}), flush=True)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
