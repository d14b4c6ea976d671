"""Classes asked for in turn, against rows that are plain sets."""

from collections.abc import Sequence
from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from gnri.estimator.multiclass import Glance, in_turn, surest_first
from gnri.rules.dnf import SignedDNF


class Rows:
    """Rows of four classes; `rules` says which rows the rule of a class takes, if it has one."""

    def __init__(self, classes: list[int], rules: dict[int, frozenset[int]]) -> None:
        self.classes, self.rules = dict(enumerate(classes)), rules
        self.learnt: list[tuple[tuple[int, ...], frozenset[int]]] = []

    def left(self) -> list[int]:
        return [list(self.classes.values()).count(kind) for kind in range(4)]

    def glance(self) -> list[Glance | None]:
        return [self._glance(kind) for kind in range(4)]

    def _glance(self, kind: int) -> Glance | None:
        if kind not in self.rules:
            return None
        right = sum(self.classes[row] == kind for row in self.rules[kind])
        return Glance(right, len(self.rules[kind]), 1)

    def learn(self, kinds: Sequence[int]) -> list[SignedDNF | None]:
        self.learnt.append((tuple(kinds), frozenset(self.classes)))
        return [SignedDNF([[(kind, True)]]) if kind in self.rules else None for kind in kinds]

    def take(self, rules: Sequence[SignedDNF]) -> None:
        for rule in rules:
            (kind,) = rule.atoms
            self.classes = {r: k for r, k in self.classes.items() if r not in self.rules[kind]}


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[int], dict[int, frozenset[int]]]:
    classes = draw(st.lists(st.integers(0, 3), min_size=4, max_size=12))
    taken = st.frozensets(st.integers(0, len(classes) - 1))
    return classes, draw(st.dictionaries(st.integers(0, 3), taken))


@given(tables())
def test_each_class_is_learnt_from_the_rows_that_are_left(table) -> None:
    classes, rules = table
    rows = Rows(classes, rules)
    found = in_turn(rows)
    taken: set[int] = set()
    for kinds, shown in rows.learnt:
        assert shown == set(range(len(classes))) - taken
        assert len({classes[row] for row in shown}) > 1
        assert all(kind in {classes[row] for row in shown} for kind in kinds)
        taken |= {row for kind in kinds for row in rules.get(kind, ())}
    asked = [kind for turn in found.turns for kind in turn]
    assert sorted(asked) == [kind for kind in range(4) if found.rules[kind] is not None]
    assert [kind for kinds, _ in rows.learnt for kind in kinds if kind in asked] == asked


@given(tables())
def test_what_no_rule_takes_goes_to_the_class_of_most_of_it(table) -> None:
    classes, rules = table
    rows = Rows(classes, rules)
    found, left = in_turn(rows), rows.left()
    sizes = [(left[kind], classes.count(kind)) for kind in range(4)]
    assert found.rest == sizes.index(max(sizes))
    if found.turns and found.turns[-1] == (found.rest,):
        assert sizes.count(max(sizes)) > 1


@given(tables(), st.sampled_from(list(permutations(range(4)))))
def test_the_names_of_the_classes_count_for_nothing(table, names) -> None:
    classes, rules = table
    old = in_turn(Rows(classes, rules)).turns
    renamed = [names[kind] for kind in classes], {names[k]: rows for k, rows in rules.items()}
    new = in_turn(Rows(*renamed)).turns
    assert [set(turn) for turn in new] == [{names[kind] for kind in turn} for turn in old]


def test_the_surest_class_is_first_and_the_last_has_no_turn() -> None:
    glances = [Glance(9, 10, 3), Glance(40, 41, 5), None, Glance(9, 10, 2)]
    assert surest_first(glances, [20, 60, 80, 20]) == [(1,), (3,), (0,)]
    assert surest_first(glances, [21, 60, 80, 20]) == [(1,), (0,), (3,)]
    assert surest_first([None] * 4, [5] * 4) == [(0, 1, 2, 3)]
