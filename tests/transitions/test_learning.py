"""Programs that take every transition as it was given."""

import random
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gnri.data.table import Table, text_column
from gnri.errors import GnriError
from gnri.rules.dnf import SignedDNF
from gnri.transitions import (
    Program,
    _to_positive,
    learn,
    predicate_names,
    read_transitions,
    to_program,
    to_python,
)
from tests.strategies import rules
from tests.transitions.networks import MAMMALIAN, NETWORKS, Network
from tests.transitions.reading_programs import run_program


def text_table(columns: dict[str, list[str]]) -> Table:
    return Table({name: text_column(name, cells) for name, cells in columns.items()}, "t.csv")


def table_of(network: Network, states: list[dict[str, int]]) -> Table:
    now = {name: [str(state[name]) for state in states] for name in network.rules}
    after = [network.step(state) for state in states]
    return text_table(now | {f"{name}'": [str(s[name]) for s in after] for name in now})


@pytest.mark.parametrize("name", NETWORKS)
def test_a_published_network_is_learnt_exactly(name: str) -> None:
    network = NETWORKS[name]
    given = read_transitions(table_of(network, network.states()))
    program = learn(given)
    assert program.reproduced(given) == len(given.now) == 2 ** len(network.rules)
    space: dict[str, Callable[[dict[str, int]], dict[str, int]]] = {}
    exec(to_python(program), space)
    lines = to_program(program)
    called = dict(zip(network.rules, predicate_names(tuple(network.rules)), strict=True))
    for state in network.states():
        expected = network.step(state)
        assert space["step"](state) == expected
        true = {called[name] for name, value in state.items() if value}
        assert run_program(lines, true) == {called[n] for n, value in expected.items() if value}


def test_the_rules_are_the_published_ones() -> None:
    program = to_program(learn(read_transitions(table_of(MAMMALIAN, MAMMALIAN.states()))))
    for line in (
        "cycB(t+1) :- not cdc20(t), not cdh1(t).",
        "cdc20(t+1) :- cycB(t).",
        "ubcH10(t+1) :- not cdh1(t).",
        "e2F(t+1) :- not rb(t), p27(t), not cycB(t).",
    ):
        assert line in program.splitlines()


@settings(max_examples=25)
@given(st.integers(2, 5), st.randoms(use_true_random=False))
def test_any_function_is_learnt_exactly(variables: int, rng: random.Random) -> None:
    """Whatever the next states are, from all states or from some of them."""
    names = [f"v{i}" for i in range(variables)]
    after = {
        bits: [rng.randint(0, 1) for _ in names]
        for bits in np.ndindex(*[2] * variables)
        if rng.random() < 0.8
    }
    if not after:
        return
    columns = {n: [str(bits[i]) for bits in after] for i, n in enumerate(names)}
    columns |= {f"{n}_next": [str(v[i]) for v in after.values()] for i, n in enumerate(names)}
    found = read_transitions(text_table(columns))
    assert learn(found).reproduced(found) == len(after)


def test_renaming_and_reordering_the_variables_renames_the_program() -> None:
    names = list(MAMMALIAN.rules)
    table = table_of(MAMMALIAN, MAMMALIAN.states())
    moved = table.select(reversed(list(table)))
    first, second = learn(read_transitions(table)), learn(read_transitions(moved))
    place = {name: second.variables.index(name) for name in names}
    for name, rule in first.rules.items():
        clauses = [[(place[names[atom]], sign) for atom, sign in c] for c in rule.clauses]
        assert second.rules[name] == SignedDNF(clauses)


def test_an_input_is_read_and_not_defined() -> None:
    columns = {"drug": ["0", "0", "1", "1"], "cell": ["0", "1", "0", "1"]}
    found = read_transitions(text_table(columns | {"cell'": ["0", "1", "0", "0"]}))
    program = learn(found)
    assert list(program.rules) == ["cell"]
    assert "cell(t+1) :- not drug(t), cell(t)." in to_program(program).splitlines()


@given(rules(atoms=4))
def test_a_complement_is_multiplied_out(rule: SignedDNF) -> None:
    found = _to_positive(rule)
    values = np.array(list(np.ndindex(2, 2, 2, 2)), np.int8) * 2 - 1
    assert found is not None
    assert found.positive
    assert (found.evaluate(values) == rule.evaluate(values)).all()


def test_a_program_that_errs_is_counted_as_such() -> None:
    found = read_transitions(text_table({"x": ["0", "1"], "x'": ["1", "0"]}))
    assert Program(("x",), {"x": SignedDNF([[(0, True)]])}).reproduced(found) == 0
    assert Program(("x",), {"x": SignedDNF([[]])}).reproduced(found) == 1


def test_names_that_programs_do_not_take_are_changed_and_told() -> None:
    program = Program(("Cdc2/Cdc13*", "not"), {"not": SignedDNF([[(0, False)]])})
    lines = to_program(program).splitlines()
    assert "% cdc2_Cdc13_ stands for 'Cdc2/Cdc13*'" in lines
    assert lines[-1] == "not_2(t+1) :- not cdc2_Cdc13_(t)."


@pytest.mark.parametrize("name", ["a\n:- b", "x'); import os #", "é", "1", "_x"])
def test_hostile_names_do_no_harm(name: str) -> None:
    program = Program((name,), {name: SignedDNF([[(0, False)]])})
    space: dict[str, Callable[[dict[str, int]], dict[str, int]]] = {}
    exec(to_python(program), space)
    assert space["step"]({name: 0}) == {name: 1}
    (head,) = predicate_names((name,))
    assert run_program(to_program(program), set()) == {head}


@pytest.mark.parametrize("cells", [["2", "0"], ["", "0"], ["yes", "0"]])
def test_a_state_is_0_or_1(cells: list[str]) -> None:
    with pytest.raises(GnriError, match="column 'x'"):
        read_transitions(text_table({"x": cells, "x'": ["0", "1"]}))
