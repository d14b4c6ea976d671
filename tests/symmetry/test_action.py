"""How the group acts on literals, rules, scores and abstentions, and what it does not act on."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gnri.episodes.episode import Episode
from gnri.episodes.scores import Scores
from gnri.errors import SymmetryError
from gnri.logic.formula import Literal, SignedDNF
from gnri.symmetry.group import Symmetry

G = Symmetry(atoms=(2, 0, 1), flips=(True, False, False), rows=(1, 0), label=True)


def random_scores(atoms: int, seed: int) -> Scores:
    rng = np.random.default_rng(seed)
    return Scores(rng.random((2, 3, atoms, 2)), rng.random((2, 3)))


def symmetries(atoms: int) -> st.SearchStrategy[Symmetry]:
    return st.builds(
        Symmetry,
        atoms=st.permutations(range(atoms)).map(tuple),
        flips=st.tuples(*[st.booleans()] * atoms),
        rows=st.just((0,)),
        label=st.booleans(),
    )


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
    scores = random_scores(3, seed=1)
    literals, gates = np.empty_like(scores.literals), np.empty_like(scores.gates)
    for rail in range(2):
        gates[rail ^ G.label] = scores.gates[rail]
        for slot in range(scores.slots):
            for atom in range(3):
                for polarity in range(2):
                    there = (rail ^ G.label, slot, G.atoms[atom], polarity ^ G.flips[atom])
                    literals[there] = scores.literals[rail, slot, atom, polarity]
    assert G(scores) == Scores(literals, gates)


@settings(max_examples=200, deadline=None)
@given(
    st.integers(1, 7).flatmap(lambda n: st.tuples(symmetries(n), symmetries(n))),
    st.integers(0, 2**32 - 1),
)
def test_scores_are_moved_by_a_left_action(pair: tuple[Symmetry, Symmetry], seed: int) -> None:
    g, h = pair
    scores = random_scores(len(g.atoms), seed)
    assert g(h(scores)) == (g @ h)(scores)
    assert (~g)(g(scores)) == scores


def test_refuses_an_episode_of_another_size() -> None:
    message = "g moves 2 rows x 3 atoms, the episode has 3 x 2"
    with pytest.raises(SymmetryError, match=message):
        G(Episode(np.ones((3, 2)), np.ones(3)))


def test_refuses_scores_of_another_size() -> None:
    with pytest.raises(SymmetryError, match="g moves 3 atoms, the scores have 2"):
        G(random_scores(2, seed=0))


def test_refuses_an_atom_it_does_not_move() -> None:
    with pytest.raises(SymmetryError, match="atom x3 is not among the 3 that g moves"):
        G(SignedDNF([[(0, True)], [(3, True)]]))


def test_refuses_a_thing_without_an_action() -> None:
    with pytest.raises(SymmetryError, match="no symmetry acts on a str"):
        G("x0 & x1")
