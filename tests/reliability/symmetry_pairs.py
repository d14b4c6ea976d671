"""Pairs of a table and its image, for each form: `python -m tests.reliability.symmetry_pairs`.

Rows, columns, signs and classes move at once. The rules of the image must be `==` the image of the
rules: steps in their order, default and the worth of a point. Tables are drawn to be full of ties,
or are the public ones with --sets (500 of their rows). One line of JSON for each form lists the
pairs that differ. Pairs that differ only in which of two classes is answered first, or by default,
are counted as `names` where nothing but the names can say: the classes are equally large, and have
no rule, or the same counts of literals.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import count, islice
from typing import Any

import numpy as np

from gnri.data.schema import IsTrue, Schema
from gnri.estimator.point_tables import FORMS
from gnri.estimator.settings import FitSettings
from gnri.estimator.trials import learn_task
from gnri.rules.rule_list import RuleList
from gnri.symmetry.group import Symmetry
from gnri.symmetry.table_task import TableTask, negate_columns
from tests.estimator.test_multiclass_symmetry import tied_table
from tests.model.guided_cases import tie_heavy

IMAGES, NAMES = 4, "names"


def tied_tasks(classes: int, seed: int = 0) -> Iterator[TableTask]:
    """Tables full of ties with so many classes, two or three, without end."""
    for number in count():
        rng = np.random.default_rng([seed, number])
        if number % 4 == 3:
            values, codes = tied_table(1000 * seed + number, classes)
        else:
            episode = tie_heavy(rng)
            known = episode.labels != 0
            values, labels = episode.values[known], episode.labels[known]
            codes = (labels > 0) + (values[:, -1] > 0 if classes == 3 else 0)
        if len(np.unique(codes)) == classes:
            atoms = tuple(IsTrue(f"c{i}") for i in range(values.shape[1]))
            yield TableTask(Schema(atoms), values, codes.astype(np.intp), classes)


def move(task: TableTask, rng: np.random.Generator) -> tuple[TableTask, Symmetry, np.ndarray]:
    """The image of a table, the symmetry and, of three classes or more, their new numbers."""
    two = task.classes == 2
    g = negate_columns(Symmetry.random)(task, rng=rng)  # type: ignore[arg-type]
    names = np.arange(2) if two else rng.permutation(task.classes)
    g = g if two else replace(g, label=False)
    moved = g(task)
    return replace(moved, codes=names[moved.codes]), g, names


def compare(task: TableTask, form: str, pairs: int, rng: np.random.Generator) -> Iterator[str]:
    """What differs between the rules of each image and the image of the rules, in a word."""
    settings = FitSettings(form=form)
    found = learn_task(task, settings)
    for _ in range(pairs):
        image, g, names = move(task, rng)
        yield difference(image, renamed(g(found), names), learn_task(image, settings))


def renamed(rules: RuleList, names: np.ndarray) -> RuleList:
    """The rules about classes with new numbers."""
    steps = [step._replace(answer=int(names[step.answer])) for step in rules.steps]
    return replace(rules, steps=tuple(steps), default=int(names[rules.default]))


def difference(task: TableTask, expected: RuleList, found: RuleList) -> str:
    """What differs, in a word; nothing if they are equal."""
    if (expected.unit is None) != (found.unit is None):
        return "form"
    if expected.rule_of != found.rule_of:
        return "rules"
    if expected.unit != found.unit:
        return "worth"
    turns = [[*(step.answer for step in one.steps), one.default] for one in (expected, found)]
    changed = [pair for pair in zip(*turns, strict=True) if pair[0] != pair[1]]
    if all(seen(task, a, found) == seen(task, b, found) for a, b in changed):
        return NAMES if changed else ""
    return "order"


def seen(task: TableTask, kind: int, rules: RuleList) -> list[Any]:
    """How large a class is and, where there are rules, how often each column says what of it."""
    rows = task.values[task.codes == kind]
    if not rules.steps:
        return [len(rows)]
    counts = [sorted(((row == 1).sum(), (row == -1).sum())) for row in rows.T]
    return [len(rows), *sorted(counts)]


def public_tasks(names: list[str], rows: int) -> Iterator[tuple[str, TableTask]]:
    """Public tables of at most so many rows, drawn with a seed."""
    from studies.benchmarks.public_tables import table

    for name in names:
        values, codes, schema = table(name, None)[0]
        some = np.random.default_rng(0).permutation(len(codes))[:rows]
        kinds, places = np.unique(codes[some], return_inverse=True)
        yield name, TableTask(schema, values[some], places, len(kinds))


def main() -> int:
    """Compare, print a line for each form (and set); the exit code is 1 if any rules differ."""
    parser = argparse.ArgumentParser(prog="python -m tests.reliability.symmetry_pairs")
    parser.add_argument("--classes", type=int, default=2, choices=(2, 3))
    parser.add_argument("--pairs", type=int, default=2400, help="of each form, or of each set")
    parser.add_argument("--forms", default=",".join(FORMS))
    parser.add_argument("--sets", default="", help="public tables with commas, or all")
    parser.add_argument("--rows", type=int, default=500, help="of a public table, at most")
    asked = parser.parse_args()
    groups = {"tied": list(islice(tied_tasks(asked.classes), -(-asked.pairs // IMAGES)))}
    images = IMAGES
    if asked.sets:
        from studies.datasets import BENCHMARK

        names = list(BENCHMARK) if asked.sets == "all" else asked.sets.split(",")
        groups = {name: [task] for name, task in public_tasks(names, asked.rows)}
        images = asked.pairs
    broken = 0
    for name, tasks in groups.items():
        for form in asked.forms.split(","):
            found = check(tasks, form, images)
            broken += len(found["differ"])
            print(json.dumps({"tables": name, "form": form, **found}), flush=True)
    return 1 if broken else 0


def check(tasks: list[TableTask], form: str, images: int) -> dict[str, Any]:
    """The figures of a form on so many images of each table."""
    said = {
        f"{number}.{image}": word
        for number, task in enumerate(tasks)
        for image, word in enumerate(compare(task, form, images, np.random.default_rng(number)))
    }
    return {
        "classes": tasks[0].classes,
        "rows": max(task.rows for task in tasks),
        "pairs": len(said),
        NAMES: sum(word == NAMES for word in said.values()),
        "differ": {place: word for place, word in said.items() if word not in ("", NAMES)},
    }


if __name__ == "__main__":
    sys.exit(main())
