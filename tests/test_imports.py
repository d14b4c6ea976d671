"""What importing costs: nothing heavy is loaded before it is used."""

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {"torch", "sklearn", "scipy", "pandas", "pysat", "matplotlib", "dask"}
MOST = 75  # of our own modules, for a rule from a file
BENCHMARKS = Path(__file__).parents[1] / "benchmarks"

EVERY_LOGIC_MODULE = """
from importlib import import_module
from pkgutil import iter_modules
import gnri.rules
names = [name for _, name, _ in iter_modules(gnri.rules.__path__)]
assert "dnf" in names
for name in names:
    import_module(f"gnri.rules.{name}")
"""


def run(code: str) -> subprocess.CompletedProcess[str]:
    """`code` in an interpreter of its own, where nothing has been imported yet."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)


def loaded_by(code: str) -> set[str]:
    done = run(f"{code}\nimport sys; print(*sys.modules)")
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


def test_import_gnri_loads_nothing_heavy() -> None:
    loaded = loaded_by("import gnri")
    assert "gnri" in loaded
    assert loaded.isdisjoint(HEAVY)


def test_import_logic_loads_nothing_heavy() -> None:
    loaded = loaded_by(EVERY_LOGIC_MODULE)
    assert {"gnri.rules.dnf", "numpy"} <= loaded
    assert loaded.isdisjoint(HEAVY)


FIT = """
from gnri import RuleClassifier
rows = [["foul", 1], ["none", 1], ["none", 2]] * 8
print(*RuleClassifier().fit(rows, ["bad", "good", "good"] * 8).predict(rows[:2]))
"""
COMMAND = """
import sys
from gnri.cli import app
sys.argv = ["gnri", *{words}]
try:
    app()
except SystemExit as left:
    assert not left.code, left.code
"""


def test_a_classifier_loads_scikit_learn_and_nothing_else_that_is_heavy() -> None:
    """What scikit-learn loads, such as pandas where there is one, is not ours to change."""
    theirs = loaded_by("import sklearn.base, sklearn.utils.multiclass, sklearn.utils.validation")
    for code in ("from gnri import RuleClassifier", FIT):
        loaded = loaded_by(code)
        assert "sklearn" in loaded
        assert loaded.isdisjoint(HEAVY - theirs - {"pysat"})  # which minimizes a fitted rule


def test_the_command_line_loads_what_a_command_needs(tmp_path: Path) -> None:
    table, rules = tmp_path / "table.csv", tmp_path / "rules.json"
    table.write_text("a,b,class\n" + "1,0,yes\n0,1,no\n" * 8)
    words = ["induce", str(table), "--target", "class", "--out", str(rules)]
    loaded = loaded_by(COMMAND.format(words=words))
    assert loaded.isdisjoint(HEAVY - {"pysat"})
    assert len([name for name in loaded if name.split(".")[0] == "gnri"]) <= MOST
    for words in (["predict", str(rules), str(table)], ["export", str(rules)], ["--help"]):
        assert loaded_by(COMMAND.format(words=words)).isdisjoint({*HEAVY, "safetensors"})


def test_rules_are_learnt_where_torch_is_absent() -> None:
    absent = "import sys\nclass No:\n    def find_spec(self, name, *_):\n        "
    absent += "if name.split('.')[0] == 'torch':\n            raise ImportError(name)\n"
    done = run(f"{absent}sys.meta_path.insert(0, No())\n{FIT}")
    assert (done.stdout, done.returncode) == ("bad good\n", 0), done.stderr


@pytest.mark.parametrize("missing", ["torch", "sklearn", "scipy", "pysat"])
def test_logic_imports_where_a_package_is_absent(missing: str) -> None:
    done = run(f"import sys; sys.modules[{missing!r}] = None\n{EVERY_LOGIC_MODULE}")
    assert done.returncode == 0, done.stderr


def test_the_checks_can_fail() -> None:
    assert "scipy" in loaded_by("import gnri, scipy")
    assert run("import sys; sys.modules['scipy'] = None\nimport scipy").returncode != 0


@pytest.mark.parametrize("path", sorted(BENCHMARKS.glob("*.py")), ids=lambda path: path.stem)
def test_benchmarks_import_what_is_there(path: Path) -> None:
    """They are not run with the tests, so a renamed module would break them unseen."""
    assert run(f"import {BENCHMARKS.name}.{path.stem}").returncode == 0
