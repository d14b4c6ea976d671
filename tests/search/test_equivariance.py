"""refine(g(episode), g(prices)) == g(refine(episode, prices)), for every g, ties included."""

from collections.abc import Iterable, Sequence
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from gnri.counts.problem import Problem
from gnri.episode import Episode
from gnri.rules.dnf import Clause, SignedDNF
from gnri.search import local_moves as polish_module
from gnri.search.beam import grow_clauses
from gnri.search.limits import Limits, check_prices, uniform_prices
from gnri.search.local_moves import edit_clauses, merge_clauses
from gnri.search.refine import Climb, SearchResult, refine
from gnri.search.state import State
from gnri.symmetry.group import Symmetry
from tests.search.slow import cube, hard_tables, labelled, move_prices
from tests.strategies import SIGNS, cells, episodes, rules, symmetries_of

PRICES = (0.1, 0.25, 1.0)


def image(g: Symmetry, found: SearchResult) -> SearchResult:
    rail = None if found.rail is None else found.rail ^ g.label
    return SearchResult(g(found.rule), found.cost, rail)


def every_table(
    rows: int, atoms: int, cells: Sequence[int], labels: Sequence[int]
) -> list[Episode]:
    return [
        Episode(np.reshape(values, (rows, atoms)), answer)
        for values in product(cells, repeat=rows * atoms)
        for answer in product(labels, repeat=rows)
    ]


def check_closed(tables: list[Episode], elements: Iterable[Symmetry], errors: float) -> None:
    """The law on a set of tables that G maps to itself, where each image is found already."""
    found = {table: refine(table, uniform_prices(table.atoms, errors)) for table in tables}
    for g in elements:
        for table in tables:
            assert found[g(table)] == image(g, found[table]), (table.values, table.labels, g)


def test_every_element_on_every_table_of_two_rows_and_two_atoms() -> None:
    tables = every_table(2, 2, (-1, 1), (-1, 0, 1))
    check_closed(tables, Symmetry.everything(atoms=2, rows=2), errors=0.25)


def test_generators_on_every_table_of_three_rows_and_two_atoms() -> None:
    """The tables are all there are, so that what holds for generators holds for all of G."""
    tables = every_table(3, 2, (-1, 1), (-1, 1))
    check_closed(tables, Symmetry.generators(atoms=2, rows=3), errors=0.25)


def test_generators_on_every_table_with_missing_cells() -> None:
    tables = every_table(2, 2, (-1, 0, 1), (-1, 1))
    check_closed(tables, Symmetry.generators(atoms=2, rows=2), errors=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("errors", [0.1, 0.5])
def test_every_element_on_every_table_of_three_rows_and_two_atoms(errors: float) -> None:
    tables = every_table(3, 2, (-1, 1), (-1, 1))
    check_closed(tables, Symmetry.everything(atoms=2, rows=3), errors)


@pytest.mark.slow
@pytest.mark.parametrize("errors", [0.1, 0.5])
def test_generators_on_every_table_of_three_rows_and_three_atoms(errors: float) -> None:
    tables = every_table(3, 3, (-1, 1), (-1, 1))
    check_closed(tables, Symmetry.generators(atoms=3, rows=3), errors)


@pytest.mark.parametrize("errors", PRICES)
@pytest.mark.parametrize("name", hard_tables())
def test_hard_tables(name: str, errors: float) -> None:
    table, rng = hard_tables()[name], np.random.default_rng(1)
    prices = uniform_prices(table.atoms, errors)
    found = refine(table, prices)
    elements = Symmetry.generators(atoms=table.atoms, rows=table.rows)
    elements += [Symmetry.random(table, rng=rng) for _ in range(3)]
    for g in elements:
        assert refine(g(table), prices) == image(g, found), g


DRAWN_PRICES = (0, 8, 16, 64)


@st.composite
def symmetric_tables(draw: st.DrawFn) -> Episode:
    """All rows over some atoms, with labels that only the number of true ones in a block decides.

    The blocks are exchangeable inside, so that most literals have twins that nothing tells apart.
    """
    blocks = draw(st.sampled_from([(2,), (3,), (4,), (2, 2), (1, 2), (1, 3)]))
    values = cube(sum(blocks))
    counts = [part.sum(1) for part in np.split(values > 0, np.cumsum(blocks)[:-1], axis=1)]
    place = counts[0] * 5 + (counts[1] if len(counts) > 1 else 0)
    label = draw(cells(SIGNS, 25))
    return Episode(values, label[place])


LIMITS = Limits(), Limits(max_clauses=3, max_literals=2, steps=5), Limits(max_conditions=3)


@st.composite
def tasks(
    draw: st.DrawFn,
) -> tuple[Episode, NDArray[np.int64], list[SignedDNF], Limits, Symmetry]:
    """A table rich in ties, prices from a coarse grid, starts, limits and a symmetry."""
    random = episodes(max_rows=12, max_atoms=5, missing=draw(st.booleans()))
    episode = draw(random | symmetric_tables())
    shape = episode.atoms, 2
    alike = cells(DRAWN_PRICES, 1).map(lambda price: np.full(shape, price))
    prices = draw(cells(DRAWN_PRICES, *shape) | alike)
    starts = draw(st.lists(rules(episode.atoms, max_clauses=3, max_size=3), max_size=2))
    limits = draw(st.sampled_from(LIMITS))
    return episode, prices, starts, limits, draw(symmetries_of(episode))


@given(tasks())
def test_any_table_prices_starts_and_limits(task) -> None:
    episode, prices, starts, limits, g = task
    found = refine(episode, prices, starts=starts, limits=limits)
    moved_starts = [g(start) for start in starts]
    moved = refine(g(episode), move_prices(g, prices), starts=moved_starts, limits=limits)
    assert moved == image(g, found)


@given(st.integers(0, 2**32 - 1))
def test_tables_with_more_rows(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.choice([-1, 1], (int(rng.integers(20, 80)), 6)).astype(np.int8)
    target = (values[:, 0] * values[:, 1] > 0) | (values[:, 2:5] > 0).all(1)
    table = Episode(values, np.where(target ^ (rng.random(len(values)) < 0.1), 1, -1))
    g = Symmetry.random(table, rng=rng)
    limits = Limits(steps=12)
    assert refine(g(table), limits=limits) == image(g, refine(table, limits=limits))


Found = dict[tuple[frozenset[Clause], frozenset[Clause]], int]


def proposals(episode: Episode, prices: NDArray[np.int64], rule: SignedDNF) -> list[Found]:
    """What each kind of move proposes for a rule on its rail, in literals, with the gains."""
    table = Problem.from_episode(episode).with_prices(check_prices(prices, episode.atoms))
    index = table.index()
    clauses = {
        frozenset(index[literal] for literal in items)
        for items in rule.clauses
        if items and all(literal in index for literal in items)
    }
    state, limits = State(table.rails[0 if rule.positive else 1], clauses), Limits(max_literals=4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(polish_module, "_BATCH", 1)
        kinds = [edit_clauses(state, limits, {}), merge_clauses(state), grow_clauses(state, limits)]

    def written(parts: frozenset[frozenset[int]]) -> frozenset[Clause]:
        return frozenset(frozenset().union(*(table.classes[i] for i in part)) for part in parts)

    return [{(written(m.removed), written(m.added)): m.gain for m in kind} for kind in kinds]


def moved_proposals(g: Symmetry, found: Found) -> Found:
    return {
        (g(SignedDNF(removed)).clauses, g(SignedDNF(added)).clauses): gain
        for (removed, added), gain in found.items()
    }


@given(tasks())
def test_each_kind_of_move_is_proposed_alike(task) -> None:
    """Stronger than the law itself: nothing is looked at on one table and not on its image."""
    episode, prices, starts, _, g = task
    for rule in [SignedDNF(), ~SignedDNF(), *starts]:
        here = proposals(episode, prices, rule)
        there = proposals(g(episode), move_prices(g, prices), g(rule))
        assert there == [moved_proposals(g, found) for found in here]


@given(tasks())
def test_each_climb_is_alike(task) -> None:
    """From its start alone, with one step: rules that are not finished yet."""
    episode, prices, starts, _, g = task
    for rule in starts:
        assert climbed(g(episode), move_prices(g, prices), g(rule)) == g(
            climbed(episode, prices, rule)
        )


def climbed(episode: Episode, prices: NDArray[np.int64], rule: SignedDNF) -> SignedDNF:
    """The rule after one step from its start."""
    table = Problem.from_episode(episode).with_prices(check_prices(prices, episode.atoms))
    index = table.index()
    clauses = frozenset(
        frozenset(index[literal] for literal in items)
        for items in rule.clauses
        if items and all(literal in index for literal in items)
    )
    rail = table.rails[0 if rule.positive else 1]
    state = Climb(rail, Limits(max_clauses=max(len(clauses), 1), steps=1)).best(clauses)
    return SignedDNF(
        [frozenset().union(*(table.classes[i] for i in part)) for part in state.clauses],
        rule.positive,
    )


def test_literals_that_tie_are_added_together() -> None:
    table = labelled(cube(3), (cube(3) > 0).all(1))
    assert climbed(table, uniform_prices(3, 0.1), SignedDNF([[(0, True)]])) == SignedDNF(
        [[(0, True), (1, True), (2, True)]]
    )
