"""Classes learnt in group, with rules that are given."""

from dataclasses import dataclass, field
from fractions import Fraction
from itertools import permutations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gnri.counts.counter import Counter
from gnri.estimator.multiclass import Tasks, group_by_rank, learn_classes
from gnri.rules.dnf import SignedDNF

CLASSES = 4
Table = tuple[list[int], dict[int, frozenset[int]]]
"""The class of each row, and the rows that the rule of a class covers, if it has one."""


@dataclass
class GivenRules:
    """A learner: the rule of a class, if it has one, is the atom of its number."""

    kinds: frozenset[int]
    learnt: list[tuple[list[int], list[int]]] = field(default_factory=list)

    def rules(self, tasks: Tasks) -> list[SignedDNF | None]:
        self.learnt.append((list(tasks.kinds), tasks.counter.rows.tolist()))
        return self.quick_rules(tasks)

    def quick_rules(self, tasks: Tasks) -> list[SignedDNF | None]:
        return [SignedDNF([[(k, True)]]) if k in self.kinds else None for k in tasks.kinds]


def learn(table: Table):
    classes, rules = table
    values = np.full((len(classes), CLASSES), -1, np.int8)
    for kind, rows in rules.items():
        values[list(rows), kind] = 1
    learner = GivenRules(frozenset(rules))
    counter = Counter.from_values(values, np.array(classes), CLASSES)
    return learn_classes(counter, CLASSES, learner), learner.learnt


@st.composite
def tables(draw: st.DrawFn) -> Table:
    classes = draw(st.lists(st.integers(0, 3), min_size=4, max_size=12))
    covered = st.frozensets(st.integers(0, len(classes) - 1))
    return classes, draw(st.dictionaries(st.integers(0, 3), covered))


def sizes(classes: list[int], taken: set[int]) -> list[int]:
    left = [kind for row, kind in enumerate(classes) if row not in taken]
    return [left.count(kind) for kind in range(CLASSES)]


@given(tables())
def test_each_class_is_learnt_from_the_rows_that_are_left(table: Table) -> None:
    classes, covered = table
    (rules, groups, _), learnt = learn(table)
    taken: set[int] = set()
    for kinds, left in learnt:
        assert left == sizes(classes, taken)
        assert sum(size > 0 for size in left) > 1
        assert all(left[kind] for kind in kinds)
        taken |= {row for kind in kinds for row in covered.get(kind, ())}
    asked = [kind for group in groups for kind in group]
    assert set(asked) <= set(rules)
    assert [set(kinds) & set(asked) for kinds, _ in learnt if set(kinds) & set(asked)] == [
        set(group) for group in groups
    ]


@given(tables())
def test_what_no_rule_takes_goes_to_the_class_of_most_of_it(table: Table) -> None:
    classes, covered = table
    (_, groups, default), learnt = learn(table)
    taken = {row for kinds, _ in learnt for kind in kinds for row in covered.get(kind, ())}
    pairs = list(zip(sizes(classes, taken), sizes(classes, set()), strict=True))
    assert pairs[default] == max(pairs)
    if groups and groups[-1] == (default,):
        assert pairs.count(max(pairs)) > 1


@given(tables(), st.sampled_from(list(permutations(range(4)))))
def test_the_names_of_the_classes_count_for_nothing(table: Table, names) -> None:
    classes, covered = table
    renamed = [names[kind] for kind in classes], {names[k]: rows for k, rows in covered.items()}
    (_, old, _), _ = learn(table)
    (_, new, _), _ = learn(renamed)
    assert [set(group) for group in new] == [{names[kind] for kind in group} for group in old]


def test_the_surest_class_is_first_and_the_last_has_no_turn() -> None:
    high, low, none = Fraction(41, 43), Fraction(10, 12), Fraction(0)
    others = [(high, 60, -5), (none, 80, 0), (low, 20, -2)]
    assert group_by_rank([(low, 20, -3), *others]) == [(1,), (3,), (0,)]
    assert group_by_rank([(low, 21, -3), *others]) == [(1,), (0,), (3,)]
    assert group_by_rank([(none, 5, 0)] * 4) == [(0, 1, 2, 3)]
