"""Every form of rule keeps the contract of rules."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnri.rules.dnf import Literal, SignedDNF
from gnri.rules.scorecard import FORMS
from tests.contracts import rule_contract as contract
from tests.strategies import rules, scorecards, symmetries, tables

ATOMS = 4
RULES = {"dnf": rules(ATOMS), "scorecard": scorecards(ATOMS)}
"""Rules of each form."""

every_form = pytest.mark.parametrize("form", RULES)
rows = st.integers(1, 9).flatmap(lambda rows: tables(rows, ATOMS))


def test_every_form_is_tested() -> None:
    assert set(RULES) == set(FORMS)


@every_form
@given(data=st.data(), values=rows)
def test_a_rule_holds_where_it_says(form: str, data: st.DataObject, values: np.ndarray) -> None:
    rule = data.draw(RULES[form])
    contract.check_rule(rule, values)
    contract.check_reads_its_atoms_alone(rule, values)


@every_form
@given(data=st.data(), values=rows, g=symmetries(ATOMS, 1))
def test_a_rule_moves(form: str, data: st.DataObject, values: np.ndarray, g) -> None:
    contract.check_moves(data.draw(RULES[form]), values, g)


@every_form
@given(data=st.data())
def test_a_rule_is_a_document(form: str, data: st.DataObject) -> None:
    contract.check_document(data.draw(RULES[form]))


def test_a_rule_of_many_clauses_is_no_deep_expression() -> None:
    atoms = 3000
    rule = SignedDNF([[Literal(atom)] for atom in range(atoms)])
    contract.check_rule(rule, -np.ones((2, atoms), np.int8))
