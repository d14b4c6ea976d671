"""A saved rule runs with numpy alone."""

import subprocess
import sys

HEAVY = ("torch", "sklearn", "pandas", "scipy", "pysat", "duckdb", "narwhals")


def test_a_saved_rule_loads_nothing_heavy() -> None:
    code = f"""
import sys
from gnri.rules.documents import load_ruleset
from gnri.rules.documents import ruleset_to_json as to_json
from gnri.rules.rule_list import RuleSet
from gnri.data.schema import Above, Schema
rules = load_ruleset(to_json(RuleSet(Schema((Above("a", 1.0),)), (0, 1), (None,), 0)))
rules.predict({{"a": [1]}})
print([name for name in {HEAVY} if name in sys.modules])
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
