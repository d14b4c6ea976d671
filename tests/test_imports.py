"""What importing costs: nothing heavy is loaded before it is used."""

import subprocess
import sys

import pytest

HEAVY = ("torch", "sklearn", "scipy", "pysat", "matplotlib")

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


@pytest.mark.parametrize("missing", ["torch", "sklearn", "scipy", "pysat"])
def test_logic_imports_where_a_package_is_absent(missing: str) -> None:
    done = run(f"import sys; sys.modules[{missing!r}] = None\n{EVERY_LOGIC_MODULE}")
    assert done.returncode == 0, done.stderr


def test_the_checks_can_fail() -> None:
    assert "scipy" in loaded_by("import gnri, scipy")
    assert run("import sys; sys.modules['scipy'] = None\nimport scipy").returncode != 0
