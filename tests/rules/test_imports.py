"""The logic stands by itself: it costs no one a second to import."""

import subprocess
import sys

HEAVY = ("torch", "sklearn", "pysat", "scipy")


def test_import_loads_nothing_heavy():
    modules = "gnri.rules.dnf, gnri.rules.syntax, gnri.rules.documents"
    code = f"import sys, {modules}; print([m for m in {HEAVY} if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
