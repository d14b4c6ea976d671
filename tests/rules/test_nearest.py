"""The nearest changes are those that trying every cell in every column finds."""

from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import inf, nextafter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gnri.data.encode import encode_cells
from gnri.data.schema import Above, Equals, IsTrue, OneOf, Schema
from gnri.formats.changes import find_changes
from gnri.rules import nearest
from gnri.rules.dnf import Literal, SignedDNF
from gnri.rules.nearest import NearestChanges
from gnri.rules.rule_list import RuleList, Step
from gnri.rules.scorecard import Scorecard

SCHEMA = Schema(
    (
        *(Above("age", cut) for cut in (30.0, 45.0, 45.5, 60.0)),
        *(Above("income", cut) for cut in (-1.5, 0.25)),
        *(Equals("odor", value) for value in ("foul", "none", "musty")),
        OneOf("odor", ("almond", "anise")),
        Equals("sex", "male", "female"),
        IsTrue("owner"),
        *(Equals("code", value) for value in (3, 7)),
        Equals("plan", "gold"),
    )
)
COLUMNS = SCHEMA.columns
THRESHOLDS = {"age": [30.0, 45.0, 45.5, 60.0], "income": [-1.5, 0.25]}
CELLS: dict[str, list[Any]] = {
    "age": [-inf, *(v for cut in THRESHOLDS["age"] for v in (cut, nextafter(cut, inf)))],
    "income": [-inf, *(v for cut in THRESHOLDS["income"] for v in (cut, nextafter(cut, inf)))],
    "odor": ["foul", "none", "musty", "almond", "anise"],
    "sex": ["male", "female"],
    "owner": [False, True],
    "code": [3, 7],
    "plan": ["gold", "other"],  # only one is named: any other will do
}
UNSEEN = {"odor": ["never seen"], "code": [5], "plan": ["silver"]}
NOW = {name: [*cells, *UNSEEN.get(name, []), None] for name, cells in CELLS.items()}

clauses = st.frozensets(
    st.tuples(st.integers(0, len(SCHEMA.atoms) - 1), st.booleans()), min_size=1, max_size=3
)
dnfs = st.builds(SignedDNF, st.lists(clauses, min_size=1, max_size=4), st.booleans())
cards = st.builds(
    Scorecard,
    st.lists(st.tuples(clauses, st.integers(-3, 3)), min_size=1, max_size=5),
    st.integers(-2, 4),
)
rows = st.fixed_dictionaries({name: st.sampled_from(NOW[name]) for name in COLUMNS})
subsets = st.sets(st.sampled_from(COLUMNS), min_size=1, max_size=4)


@st.composite
def rule_lists(draw: st.DrawFn) -> RuleList:
    """Lists of DNFs and scorecards of two or three classes, and point tables."""
    kind = draw(st.sampled_from(["binary", "card", "list", "points"]))
    default = draw(st.integers(0, 1))
    if kind in ("binary", "card"):
        rule = draw(dnfs if kind == "binary" else cards)
        return RuleList.binary(SCHEMA, ("no", "yes"), rule, default)
    labels = ("a", "b", "c")
    order = draw(st.permutations([0, 1, 2]))
    if kind == "points":
        steps = tuple(Step(draw(cards), kind) for kind in order)
        return RuleList(SCHEMA, labels, steps, order[-1], 0.5)
    rules = draw(st.lists(st.one_of(dnfs, cards), min_size=1, max_size=3))
    steps = [Step(rule, order[i % 3]) for i, rule in enumerate(rules)]
    steps[-1] = steps[-1]._replace(truth=draw(st.sampled_from([1, -1])))
    return RuleList(SCHEMA, labels, tuple(steps), default)


def movement(name: str, old: Any, new: Any) -> Fraction:
    cuts = THRESHOLDS.get(name)
    if cuts is None or old is None:
        return Fraction(1)
    passed = [cut for cut in cuts if min(old, new) <= cut < max(old, new)]
    return Fraction(len(passed), len(cuts))


def state(rules: RuleList, name: str, cell: Any) -> tuple[int, ...]:
    """The answers of a cell to the atoms of the rules: cells with the same ones are one state."""
    atoms = tuple(SCHEMA.atoms[i] for i in rules.atoms if SCHEMA.atoms[i].column == name)
    return tuple(encode_cells(Schema(atoms), {name: [cell]})[0].tolist())


def table_of(some: list[dict[str, Any]]) -> dict[str, list[Any]]:
    return {name: [row[name] for row in some] for name in COLUMNS}


def draw(rng: np.random.Generator) -> tuple[RuleList, dict[str, Any], set[str], str | None]:
    """Rules of every form that read many columns, a row, what may change, and a wanted answer."""

    def clause(most: int) -> list[tuple[int, bool]]:
        atoms = rng.choice(len(SCHEMA.atoms), rng.integers(1, most + 1), replace=False)
        return [(int(atom), bool(rng.integers(2))) for atom in atoms]

    def rule(kind: int) -> SignedDNF | Scorecard:
        if kind == 0:
            clauses = [clause(4) for _ in range(rng.integers(1, 6))]
            return SignedDNF(clauses, bool(rng.integers(2)))
        lines = [(clause(3), int(rng.integers(-3, 4))) for _ in range(rng.integers(2, 7))]
        return Scorecard(lines, int(rng.integers(-3, 5)))

    kind, labels = int(rng.integers(4)), ("a", "b", "c")
    order = [int(i) for i in rng.permutation(3)]
    if kind < 2:
        labels = ("a", "b")
        rules = RuleList.binary(SCHEMA, labels, rule(kind), int(rng.integers(2)))
    elif kind == 2:
        rules = RuleList(SCHEMA, labels, tuple(Step(rule(1), i) for i in order), order[-1], 0.5)
    else:
        steps = [Step(rule(int(rng.random() < 0.2)), i) for i in order[: rng.integers(1, 4)]]
        steps[-1] = steps[-1]._replace(truth=int(rng.choice([1, -1])))
        rules = RuleList(SCHEMA, labels, tuple(steps), int(rng.integers(3)))
    row = {
        name: (cells := [*CELLS[name], *NOW.get(name, []), None])[rng.integers(len(cells))]
        for name in COLUMNS
    }
    changeable = {str(name) for name in rng.choice(COLUMNS, rng.integers(1, 5), replace=False)}
    return rules, row, changeable, None if rng.random() < 0.5 else str(rng.choice(labels))


Found = tuple[int, Fraction, set[Any]]


def by_brute_force(
    rules: RuleList, row: dict[str, Any], changeable: set[str], towards: str | None
) -> Found | None:
    names = sorted(changeable & set(rules.columns))
    tried = [
        row | dict(zip(names, cells, strict=True))
        for cells in product(*([row[name], *CELLS[name]] for name in names))
    ]
    answers = rules.predict(table_of(tried))
    best: Found | None = None
    for one, answer in zip(tried, answers, strict=True):
        if answer == answers[0] or (towards is not None and answer != towards):
            continue
        moved = {
            name: state(rules, name, one[name])
            for name in names
            if state(rules, name, one[name]) != state(rules, name, row[name])
        }
        total = sum((movement(name, row[name], one[name]) for name in moved), Fraction(0))
        if best is None or (len(moved), total) < best[:2]:
            best = len(moved), total, set()
        if (len(moved), total) == best[:2]:
            best[2].add((answer, frozenset(moved.items())))
    return best


def by_search(
    rules: RuleList, row: dict[str, Any], changeable: set[str], towards: str | None
) -> Found | None:
    target = None if towards is None else rules.classes.index(towards)
    search = NearestChanges(rules, changeable, target)
    changes = search.find(encode_cells(search.schema, table_of([row]))[0])
    if not changes:
        return None
    found = set()
    for change in changes:
        label = rules.classes[change.answer]
        names = list(change.states)
        for mixed in product(*change.states.values()):
            # each of its cells, and not only the nearest, gives the answer
            cells = [
                [(name, cell) for cell in one.cells] for name, one in zip(names, mixed, strict=True)
            ]
            changed = [row | dict(some) for some in product(*cells)]
            assert set(rules.predict(table_of(changed))) == {label}
        near = [
            [one for one in some if one.movement == some[0].movement]
            for some in change.states.values()
        ]
        for mixed in product(*near):
            picked = {name: one.cells[0] for name, one in zip(names, mixed, strict=True)}
            moved = sum((movement(name, row[name], picked[name]) for name in names), Fraction(0))
            assert moved == change.movement
            found.add((label, frozenset((n, state(rules, n, cell)) for n, cell in picked.items())))
    return len(changes[0].states), changes[0].movement, found


@settings(max_examples=settings.default.max_examples // 4)
@given(rule_lists(), rows, subsets, st.booleans(), st.integers(0, 2))
def test_they_are_those_of_brute_force(
    rules: RuleList, row: dict[str, Any], changeable: set[str], any_answer: bool, kind: int
) -> None:
    towards = None if any_answer else rules.classes[kind % len(rules.classes)]
    found, expected = (way(rules, row, changeable, towards) for way in (by_search, by_brute_force))
    assert found == expected


@pytest.mark.parametrize("seed", range(20))
def test_they_are_those_of_brute_force_for_longer_rules(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if seed % 4 == 0:  # less is looked at together
        monkeypatch.setattr(nearest, "_CHUNK", 3)
    rng = np.random.default_rng(seed)
    for _ in range(15):
        case = draw(rng)
        assert by_search(*case) == by_brute_force(*case)


@pytest.mark.parametrize("seed", range(10))
def test_they_follow_names_order_signs_and_labels(seed: int) -> None:
    """Columns renamed and reordered, flags negated, labels swapped: the same changes, renamed."""
    rng = np.random.default_rng(seed)
    for _ in range(10):
        rules, row, changeable, towards = draw(rng)
        order = [int(i) for i in rng.permutation(len(SCHEMA.atoms))]
        place = {old: new for new, old in enumerate(order)}
        name_of = {name: f"z{i}" for i, name in enumerate(rng.permutation(COLUMNS))}
        atoms = [replace(SCHEMA.atoms[i], column=name_of[SCHEMA.atoms[i].column]) for i in order]
        flag = next(i for i, one in enumerate(SCHEMA.atoms) if isinstance(one, IsTrue))

        def move(one: Literal, place: Any = place, flag: int = flag) -> Literal:
            return Literal(place[one.atom], one.positive ^ (one.atom == flag))

        mapped = [rule.map_literals(move) for rule in rules.rules]
        label_of = dict(zip(rules.classes, reversed(rules.classes), strict=True))
        classes = tuple(label_of[label] for label in rules.classes)
        moved = replace(
            RuleList(Schema(tuple(atoms)), classes, (), rules.default),
            steps=tuple(
                one._replace(rule=rule) for one, rule in zip(rules.steps, mapped, strict=True)
            ),
            unit=rules.unit,
        )

        def turn(name: str, cell: Any) -> Any:
            return not cell if name == "owner" and cell is not None else cell

        other = {name_of[name]: [turn(name, cell)] for name, cell in row.items()}
        old = find_changes(rules, table_of([row]), changeable, towards)[0]
        new = find_changes(
            moved,
            other,
            {name_of[name] for name in changeable},
            None if towards is None else label_of[towards],
        )[0]

        def contents(changes: Any, names: dict[str, str], labels: dict[str, str]) -> set[Any]:
            return {
                (
                    labels.get(one.prediction, one.prediction),
                    one.movement,
                    frozenset((names.get(k, k), frozenset(v)) for k, v in one.cells.items()),
                )
                for one in changes
            }

        old = [
            one._replace(cells={k: [turn(k, cell) for cell in v] for k, v in one.cells.items()})
            for one in old
        ]
        assert contents(old, name_of, label_of) == contents(new, {}, {})
