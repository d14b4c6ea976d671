"""The exported function stands alone."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from gnri.data.schema import Above, Equals, IsTrue, Schema
from gnri.errors import RuleError
from gnri.formats.python_source import to_python
from gnri.rules.dnf import SignedDNF
from gnri.rules.rule_list import RuleList

SCHEMA = Schema((Above("age", 30.0), Equals("odor", "foul"), IsTrue("sick")))
RULES = RuleList.binary(SCHEMA, ("no", "yes"), SignedDNF([[(0, True), (1, False)], [(2, True)]]))


def test_it_runs_in_a_bare_interpreter() -> None:
    call = "print(predict({'age': 31, 'odor': 'none', 'sick': None}))"
    command = [sys.executable, "-I", "-S", "-c", to_python(RULES) + call]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout == "yes\n"


@pytest.mark.parametrize(
    "name", ["class", "max", "print", "a b", "1a", "", "f(", "ﬁ", "None", "x\n", 3, "__import__"]
)
def test_a_bad_name_is_refused(name) -> None:
    with pytest.raises(RuleError, match="identifier"):
        to_python(RULES, name)


@pytest.mark.parametrize("name", ["row", "cell", "x0", "c0", "r0", "Real", "score_1"])
def test_its_own_words_may_be_its_name(name: str) -> None:
    space = {}
    exec(to_python(RULES, name), space)
    row = {"age": np.float32(31), "odor": pd.NA, "sick": np.bool_(True)}
    assert space[name](row) == "yes"
    assert space[name](row | {"sick": False}) == "no"


@pytest.mark.parametrize(
    "wrong", [{"age": "31"}, {"age": True}, {"odor": 3}, {"sick": 2}, {"sick": "1"}]
)
def test_a_wrong_cell_is_an_error(wrong) -> None:
    space = {}
    exec(to_python(RULES), space)
    with pytest.raises(TypeError, match=f"wrong type in column '{next(iter(wrong))}'"):
        space["predict"]({"age": 1, "odor": "a", "sick": 0} | wrong)
