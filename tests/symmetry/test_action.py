"""How the group acts on literals, rules, scores and abstentions, and what it does not act on."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnri.data.schema import IsTrue, make_schema
from gnri.episode import Episode
from gnri.errors import SymmetryError
from gnri.rules.dnf import Literal, SignedDNF
from gnri.rules.rule_list import RuleList, Step, classes_to_learn
from gnri.scores import Scores
from gnri.symmetry.group import Symmetry
from gnri.symmetry.table_task import TableTask
from tests.strategies import rules, scores, symmetries, tables

G = Symmetry(atoms=(2, 0, 1), flips=(True, False, False), rows=(1, 0), label=True)


DISTINCT = Scores(np.arange(36).reshape(2, 3, 3, 2) / 64, np.arange(6).reshape(2, 3) / 8)


def test_on_a_literal() -> None:
    assert G(Literal(0, True)) == Literal(2, False)
    assert G(Literal(0, False)) == Literal(2, True)
    assert G(Literal(1, False)) == Literal(0, False)


def test_on_a_rule() -> None:
    rule = SignedDNF([[(0, True), (1, False)], [(2, True)]])
    assert G(rule) == SignedDNF([[(2, False), (0, False)], [(1, True)]], positive=False)


def test_the_label_swap_alone_complements_a_rule() -> None:
    rule = SignedDNF([[(0, True)]])
    assert Symmetry((0,), (False,), (0,), label=True)(rule) == ~rule


def test_an_abstention_stays_one() -> None:
    assert G(None) is None


def test_on_scores_against_plain_loops() -> None:
    literals, gates = np.empty_like(DISTINCT.literals), np.empty_like(DISTINCT.gates)
    for rail in range(2):
        gates[rail ^ G.label] = DISTINCT.gates[rail]
        for slot in range(DISTINCT.slots):
            for atom in range(3):
                for polarity in range(2):
                    there = (rail ^ G.label, slot, G.atoms[atom], polarity ^ G.flips[atom])
                    literals[there] = DISTINCT.literals[rail, slot, atom, polarity]
    assert G(DISTINCT) == Scores(literals, gates)


@given(st.data(), st.integers(1, 7))
def test_scores_are_moved_by_a_left_action(data: st.DataObject, atoms: int) -> None:
    g, h = (data.draw(symmetries(atoms, rows=1)) for _ in range(2))
    drawn = data.draw(scores(slots=2, atoms=atoms))
    assert g(h(drawn)) == (g @ h)(drawn)
    assert (~g)(g(drawn)) == drawn


def test_refuses_an_episode_of_another_size() -> None:
    message = "g moves 2 rows x 3 atoms, the episode has 3 x 2"
    with pytest.raises(SymmetryError, match=message):
        G(Episode(np.ones((3, 2)), np.ones(3)))


def test_refuses_scores_of_another_size() -> None:
    with pytest.raises(SymmetryError, match="g moves 2 atoms, the scores have 3"):
        Symmetry.identity(atoms=2, rows=1)(DISTINCT)


def test_refuses_an_atom_it_does_not_move() -> None:
    with pytest.raises(SymmetryError, match="atom x3 is not among the 3 that g moves"):
        G(SignedDNF([[(0, True)], [(3, True)]]))


def test_refuses_a_thing_without_an_action() -> None:
    with pytest.raises(SymmetryError, match="no symmetry acts on a str"):
        G("x0 & x1")


@given(st.data(), st.integers(0, 1))
def test_rules_of_two_classes_or_three_answer_moved_rows_as_before(
    data: st.DataObject, default: int
) -> None:
    schema, g = make_schema([*map(IsTrue, "abc")]), data.draw(symmetries(3, rows=6))
    first, second = data.draw(rules(3)), data.draw(rules(3))
    three = RuleList(schema, (0, 1, 2), (Step(first, 2), Step(second, 1 - default)), default)
    for old in (RuleList.binary(schema, (0, 1), first, default), three):
        codes = np.arange(6) % len(old.classes)
        task = TableTask(schema, data.draw(tables(6, 3)), codes, len(old.classes))
        new, moved = g(old), g(task)
        order, kinds = list(g.rows), np.arange(task.classes)[:: -1 if g.label else 1]
        assert np.array_equal(new.choose(moved.values)[order], kinds[old.choose(task.values)])
        assert np.array_equal(moved.codes[order], kinds[codes])
        assert (~g)(new) == old
        assert new.rule_of.keys() <= set(classes_to_learn(new.classes))
