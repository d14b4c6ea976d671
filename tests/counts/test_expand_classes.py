"""A class of identical literals is read as a vote of its members."""

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gnri import Episode
from gnri.counts.problem import MAX_VOTE_CLAUSES, Problem, expand_classes
from gnri.rules.dnf import Literal, SignedDNF


def classes_of(sizes: list[int]) -> list[frozenset[Literal]]:
    """Classes of these sizes, of atoms of their own, the signs in turn."""
    atoms = iter(range(sum(sizes)))
    return [frozenset(Literal(a, a % 2 == 0) for _, a in zip(range(k), atoms)) for k in sizes]  # noqa: B905


def holds(members: frozenset[Literal], row: tuple[int, ...]) -> bool:
    """Slow and obvious: more than half of the members are true."""
    return 2 * sum((row[x.atom] > 0) == x.positive for x in members) > len(members)


@given(st.lists(st.lists(st.integers(1, 4), min_size=1, max_size=2), min_size=1, max_size=2))
def test_a_class_holds_where_most_of_its_members_do(sizes: list[list[int]]) -> None:
    flat = classes_of([size for clause in sizes for size in clause])
    places = iter(flat)
    clauses = [[next(places) for _ in clause] for clause in sizes]
    rule = SignedDNF(expand_classes(clauses))
    atoms = sum(map(len, flat))
    if atoms > 8:
        return
    for row in product([-1, 1], repeat=atoms):
        said = rule.evaluate(np.array([row], np.int8))[0] > 0
        assert said == any(all(holds(c, row) for c in clause) for clause in clauses)


def test_where_there_is_no_room_all_members_must_hold() -> None:
    large, small = classes_of([8, 3])
    assert expand_classes([[large], [small]]) == [large, small]
    assert expand_classes([[small]], max_clauses=2) == [small]
    assert len(expand_classes([[small]], max_clauses=3)) == 3
    assert len(expand_classes([classes_of([5])], max_clauses=10**6)) == 10 <= MAX_VOTE_CLAUSES


def test_on_the_rows_at_hand_the_vote_says_what_each_member_says() -> None:
    values = np.array([[1, 1, -1, 1], [1, 1, -1, -1], [-1, -1, 1, 1], [0, 0, 0, -1]], np.int8)
    table = Problem.from_episode(Episode(values, [1, 1, -1, -1]))
    members = frozenset([Literal(0, True), Literal(1, True), Literal(2, False)])
    rule = table.to_rule(0, [[table.classes.index(members)]])
    assert len(rule.clauses) == 3
    assert (rule.evaluate(values) > 0).tolist() == [True, True, False, False]
