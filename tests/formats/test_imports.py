"""A saved rule runs with numpy alone."""

import subprocess
import sys

HEAVY = ("torch", "sklearn", "pandas", "scipy", "pysat", "duckdb", "narwhals")


def test_a_saved_rule_loads_nothing_heavy() -> None:
    code = f"""
import sys
from gnri.rules.documents import from_json, to_json
from gnri.rules.rule_list import RuleList
from gnri.data.schema import Above, Schema
rules = from_json(to_json(RuleList(Schema((Above("a", 1.0),)), (0, 1), (), 0)))
rules.predict({{"a": [1]}})
print([name for name in {HEAVY} if name in sys.modules])
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
