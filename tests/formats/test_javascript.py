"""The exported module stands alone; node runs it in `tests/contracts` too."""

import json
import subprocess
from typing import Any

import pytest

from gnri.data.schema import Above, Equals, IsTrue, OneOf, Schema
from gnri.formats.javascript import to_javascript
from gnri.rules.dnf import SignedDNF
from gnri.rules.rule_list import RuleList
from tests.contracts.format_contract import NODE

SCHEMA = Schema((Above("age", 30.0), Equals("odor", "foul"), IsTrue("sick")))
RULES = RuleList.binary(SCHEMA, ("no", "yes"), SignedDNF([[(0, True), (1, False)], [(2, True)]]))

with_node = pytest.mark.skipif(NODE is None, reason="node is not installed")


def run(rules: RuleList, row: str) -> subprocess.CompletedProcess[str]:
    """What `predict` prints for a row in JavaScript."""
    assert NODE
    source = to_javascript(rules) + f"console.log(JSON.stringify(predict({row})));\n"
    command = [NODE, "--input-type=module"]
    return subprocess.run(command, input=source, capture_output=True, text=True)


def answer(rules: RuleList, row: str) -> Any:
    done = run(rules, row)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@with_node
@pytest.mark.parametrize("missing", ["{}", '{odor: ""}', "{odor: null}", "{odor: undefined}"])
def test_what_is_missing(missing: str) -> None:
    assert answer(RULES, f"{{age: 31, sick: NaN, ...{missing}}}") == "no"
    assert answer(RULES, f"{{age: '', sick: true, ...{missing}}}") == "yes"


@with_node
def test_empty_text_may_be_a_value() -> None:
    schema = Schema((OneOf("odor", ("", "foul")),))
    rules = RuleList.binary(schema, (0, 1), SignedDNF([[(0, False)]]), default=1)
    assert [answer(rules, f"{{odor: {cell}}}") for cell in ('""', '"x"', "null")] == [0, 1, 1]


@with_node
@pytest.mark.parametrize("cell", ["age: '31'", "age: true", "odor: 3", "sick: 2", "sick: '1'"])
def test_a_wrong_cell_is_an_error(cell: str) -> None:
    name = cell.split(":")[0]
    assert f'TypeError: wrong type in column "{name}"' in run(RULES, f"{{{cell}}}").stderr


@with_node
@pytest.mark.parametrize("name", ["__proto__", "constructor", "toString"])
def test_a_column_that_every_object_inherits(name: str) -> None:
    rules = RuleList.binary(Schema((IsTrue(name),)), (0, 1), SignedDNF([[(0, True)]]))
    assert answer(rules, "{}") == 0
    assert answer(rules, f"JSON.parse('{{\"{name}\": true}}')") == 1


def test_no_text_ends_the_script_of_a_page() -> None:
    text = "</script><!--"
    rules = RuleList.binary(Schema((Equals(text, text),)), (text, "b"), SignedDNF([[(0, True)]]))
    assert "<" not in to_javascript(rules)
