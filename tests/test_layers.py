"""Imports point downwards only, and torch stays where tensors are told from arrays."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src"

LAYERS = (
    {"errors", "atomic_write", "processes"},
    {"data", "episode", "scores"},
    {"rules"},
    {"counts", "formats"},
    {"search"},
    {"model", "symmetry"},
    {"induction"},
    {"estimator"},
    {"report", "transitions"},
    {"classifier"},
    {"web"},
    {"cli"},
    {"__main__"},
)
"""From the lowest up. A part imports itself and what is strictly lower; parts of one layer never
import each other."""

HEIGHT = {part: height for height, layer in enumerate(LAYERS) for part in layer}

TORCH = "gnri.model.layers"
"""The only module that knows of torch; `tests/test_imports.py` sees that it is not loaded."""


def imports(source: str) -> Iterator[str]:
    """The dotted names a module imports, at its top or inside a function."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = "." * node.level + (node.module or "")
            yield from (f"{start}.{alias.name}" for alias in node.names)


def may_import(module: str, name: str) -> bool:
    """Whether `module`, such as gnri.rules.syntax, may import `name`."""
    if name.startswith("."):
        return False
    if name.split(".")[0] == "torch":
        return module == TORCH
    if name.split(".")[0] != "gnri":
        return name.split(".")[0] not in ("studies", "tests")
    mine, theirs = part(module), part(name)
    return theirs in HEIGHT and (mine == theirs or HEIGHT[theirs] < HEIGHT[mine])


def part(name: str) -> str:
    return (name + ".").split(".")[1]


def faults(module: str, source: str) -> list[str]:
    """What is wrong with the imports of `module`, a line each."""
    if module != "gnri" and part(module) not in HEIGHT:
        return [f"{module} has no place in LAYERS; give its part one"]
    return [
        f"{module} must not import {name}"
        for name in imports(source)
        if not may_import(module, name)
    ]


def modules() -> dict[str, str]:
    """Every module of the package and its source."""
    files = sorted((SOURCE / "gnri").rglob("*.py"))
    names = (file.relative_to(SOURCE).with_suffix("").parts for file in files)
    dotted = (".".join(name).removesuffix(".__init__") for name in names)
    return dict(zip(dotted, (file.read_text() for file in files), strict=True))


def test_imports_point_downwards() -> None:
    found = modules()
    assert {"gnri", "gnri.errors", "gnri.rules.dnf"} <= set(found)
    assert [fault for module, source in found.items() for fault in faults(module, source)] == []


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("gnri.rules.dnf", "from gnri.model.nri.nri import NRI"),
        ("gnri.rules.dnf", "def late():\n    import gnri.counts.block"),
        ("gnri.model.nri.encoder", "from gnri.symmetry.group import Symmetry"),
        ("gnri.model.nri.encoder", "from gnri import symmetry"),
        ("gnri.symmetry.action", "from gnri.model.nri.nri import NRI"),
        ("gnri.symmetry.audit_report", "from studies.training.loop import train"),
        ("gnri.formats.sql", "from gnri.induction import induce"),
        ("gnri.induction", "from gnri.cli import app"),
        ("gnri.rules.syntax", "from gnri import Episode"),
        ("gnri.rules.syntax", "import gnri"),
        ("gnri.rules.syntax", "from . import formula"),
        ("gnri.rules.syntax", "import torch"),
        ("gnri.episode", "from torch import Tensor"),
        ("gnri.model.nri.encoder", "def late():\n    import torch.nn as nn"),
        ("gnri.symmetry.action", "import torch"),
        ("gnri.symmetry.audit_report", "import torch"),
        ("gnri.modelling.layers", ""),
        ("gnri", "import torch"),
    ],
)
def test_a_planted_fault_is_caught(module: str, source: str) -> None:
    assert len(faults(module, source)) == 1


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("gnri.rules.syntax", "import numpy as np\nfrom gnri.rules.dnf import Literal"),
        ("gnri.model.layers", "def late():\n    import torch"),
        ("gnri.model.nri.encoder", "import numpy\nfrom gnri.counts import counter"),
        (
            "gnri.estimator",
            "from gnri.induction import induce\nfrom gnri.formats.sql import to_sql",
        ),
        ("gnri.symmetry.audit_report", "from gnri.symmetry.group import Symmetry"),
        ("gnri.cli", "def serve():\n    from gnri.web.app import app"),
    ],
)
def test_a_downward_import_is_let_through(module: str, source: str) -> None:
    assert faults(module, source) == []
