"""The LaTeX list is escaped, closed, and says what the rules say."""

import numpy as np
import pytest

from gnri.data.schema import Above, Equals, IsTrue, OneOf, Schema
from gnri.formats.latex import to_latex, write_number
from gnri.rules.dnf import SignedDNF
from gnri.rules.rule_list import RuleList
from tests.formats.cases import random_rule_list
from tests.formats.tokens import latex_faults

SCHEMA = Schema(
    (
        Above("a_b", 1.0),
        Above("a_b", 2.5e-7),
        Equals("c", "x%"),
        OneOf("c", ("y", "z")),
        IsTrue("d"),
    )
)


@pytest.mark.parametrize("seed", range(40))
def test_random_rules_are_well_formed(seed: int) -> None:
    assert latex_faults(to_latex(random_rule_list(np.random.default_rng(seed)))) == []


def test_each_condition_has_its_formula() -> None:
    clauses = [
        [(0, False), (1, True)],
        [(2, True)],
        [(2, False)],
        [(3, True)],
        [(3, False)],
        [(4, False)],
    ]
    lines = to_latex(RuleList.binary(SCHEMA, (0, 1), SignedDNF(clauses, False), 1)).splitlines()
    assert lines[1] == r"  \item \textbf{1} unless"
    assert [line.strip() for line in lines[3:9]] == [
        r"\item $\text{c} = \text{x\%}$",
        r"\item or $\text{c} \neq \text{x\%}$",
        r"\item or $\text{c} \in \{\text{y}, \text{z}\}$",
        r"\item or $\text{c} \notin \{\text{y}, \text{z}\}$",
        r"\item or $\neg \text{d}$",
        r"\item or $2.5\times 10^{-7} < \text{a\_b} \leq 1$",
    ]
    assert lines[-2].endswith(r"leave it open, \textbf{1}")


def test_numbers() -> None:
    assert [write_number(x) for x in (30.0, -0.5, 1e300)] == ["30", "-0.5", "1\\times 10^{300}"]


def test_the_checker_sees_faults() -> None:
    for source in ("a_b", "50%", "{", "}{", "$x", "\\input{x}", "\\begin{itemize}", "x^2", "\\'"):
        assert latex_faults(source) != []
