"""Random classifiers and rows for them: missing cells, unseen categories, extreme numbers."""

import math
from dataclasses import replace
from typing import Any

import numpy as np

from gnri.data.schema import Above, Equals, IsTrue, OneOf, Schema
from gnri.rules.dnf import SignedDNF
from gnri.rules.rule_list import RuleList, Step
from gnri.rules.scorecard import Scorecard

CUTS = [
    0.0,
    -0.0,
    30.5,
    2.45,
    1e-3,
    0.1 + 0.2,
    -1 / 3,
    1e308,
    -1e308,
    5e-324,
    2.0**53,
    1e15,
    123456.789,
]
NUMBERS = [math.inf, -math.inf, 1.7976931348623157e308, -5e-324, 2.2250738585072014e-308, 2**53 + 1]
NUMBERS += [-(2**63), 2**63 - 1, 7, 0]
CATEGORIES = ["foul", "none", "", "it's", "Foul", "foul ", "é", "1"]
UNSEEN = ["never seen", "FOUL", "\n"]
LABELS = [
    ["edible", "poisonous", "it's", "", "é"],
    [0, 1, 2, 3, -4],
    [0.1, -2.5, 1e300, 0.0, 1 / 3],
]
FLAGS = [True, False, 1, 0, 1.0, 0.0]


def random_rule_list(rng: np.random.Generator, columns: int = 4) -> RuleList:
    atoms = [atom for i in range(columns) for atom in _atoms(f"c{i}", rng)]
    labels = LABELS[rng.integers(len(LABELS))][: rng.integers(2, 6)]
    if len(labels) == 2:
        rule = None if rng.random() < 0.02 else random_rule(len(atoms), rng)
        return RuleList.binary(Schema(tuple(atoms)), tuple(labels), rule, int(rng.integers(2)))
    if rng.random() < 0.2:
        return random_point_table(Schema(tuple(atoms)), labels, rng)
    answers = [int(kind) for kind in rng.permutation(len(labels)) if rng.random() < 0.9]
    steps = [Step(random_rule(len(atoms), rng), kind) for kind in answers]
    if steps and rng.random() < 0.3:
        steps[-1] = steps[-1]._replace(truth=-1)
    return RuleList(Schema(tuple(atoms)), tuple(labels), steps, int(rng.integers(len(labels))))


def random_point_table(schema: Schema, labels: list[Any], rng: np.random.Generator) -> RuleList:
    if len(labels) == 2:
        card = random_scorecard(len(schema.atoms), rng)
        table = RuleList.binary(schema, tuple(labels), card, int(rng.integers(2)))
        return replace(table, unit=0.25)
    order = [int(kind) for kind in rng.permutation(len(labels))]
    cards = [random_scorecard(len(schema.atoms), rng) for _ in order]
    steps = [Step(card, kind) for card, kind in zip(cards, order, strict=True)]
    return RuleList(schema, tuple(labels), tuple(steps), order[-1], unit=0.25)


def random_scorecard(atoms: int, rng: np.random.Generator) -> Scorecard:
    lines = [
        [(int(rng.integers(atoms)), bool(rng.integers(2))) for _ in range(rng.integers(1, 3))]
        for _ in range(rng.integers(1, 6))
    ]
    points = rng.integers(-3, 6, len(lines)).tolist()
    return Scorecard(zip(lines, points, strict=True), int(rng.integers(-3, 9)))


def random_rule(atoms: int, rng: np.random.Generator) -> SignedDNF | Scorecard:
    clauses = [
        [
            (int(rng.integers(atoms)), bool(rng.integers(2)))
            for _ in range(rng.integers(0 if rng.random() < 0.05 else 1, 5))
        ]
        for _ in range(rng.integers(0 if rng.random() < 0.05 else 1, 5))
    ]
    if rng.random() < 0.3:
        return random_scorecard(atoms, rng)
    return SignedDNF(clauses, bool(rng.integers(2)))


def random_columns(rules: RuleList, rows: int, rng: np.random.Generator) -> dict[str, list[Any]]:
    names = dict.fromkeys(atom.column for atom in rules.schema.atoms)
    return {name: _cells(rules, name, rows, rng) for name in names}


def _atoms(column: str, rng: np.random.Generator) -> list[Any]:
    match rng.integers(4):
        case 0:
            cuts = [*rng.choice(CUTS, 2), *rng.normal(size=2) * 10.0 ** rng.integers(-9, 9)]
            return [*(Above(column, float(cut)) for cut in cuts), Equals(column, float(cuts[3]))]
        case 1:
            return [
                *(Equals(column, str(value)) for value in rng.choice(CATEGORIES, 3)),
                OneOf(column, tuple(map(str, rng.choice(CATEGORIES, 3)))),
            ]
        case 2:
            values = tuple(map(int, rng.integers(-3, 4, 3)))
            return [Equals(column, values[0]), OneOf(column, values), Above(column, 0.5)]
        case _:
            return [IsTrue(column), Equals(column, False), OneOf(column, (True, False))]


def _cells(rules: RuleList, name: str, rows: int, rng: np.random.Generator) -> list[Any]:
    atoms = [atom for atom in rules.schema.atoms if atom.column == name]
    if any(isinstance(atom, IsTrue) for atom in atoms):
        pool: list[Any] = [True, False] if rng.random() < 0.3 else list(FLAGS)
    elif any(isinstance(atom, Equals) and isinstance(atom.value, str) for atom in atoms):
        pool = CATEGORIES + UNSEEN
    else:
        near = [atom.cut for atom in atoms if isinstance(atom, Above)]
        near += [float(atom.value) for atom in atoms if isinstance(atom, Equals)]
        pool = near + [math.nextafter(x, to) for x in near for to in (math.inf, -math.inf)]
        pool += [*NUMBERS, *range(-3, 4), *map(float, rng.normal(size=8))]
    if rng.random() < 0.3:
        pool = [cell for cell in pool if type(cell) is not float]
    lost = [None] if all(type(cell) is not float for cell in pool) else [None, math.nan]
    pool = [*pool, *lost * (1 + len(pool) // 12)]
    return [pool[i] for i in rng.integers(len(pool), size=rows)]
