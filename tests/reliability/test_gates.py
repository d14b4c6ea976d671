"""Nothing in the package unpickles, evaluates, is too long, or reaches into scikit-learn."""

import pytest

from tests.reliability.gates import ROOT, SOURCE, faults


def test_no_module_has_a_fault() -> None:
    modules = sorted(SOURCE.rglob("*.py"))
    assert len(modules) > 100
    found = [
        f"{module.relative_to(ROOT)}:{line}: {said}"
        for module in modules
        for line, said in faults(module.read_text(encoding="utf-8"))
    ]
    assert found == []


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("import pickle", "imports pickle"),
        ("def late():\n    from joblib import load", "imports joblib"),
        ("import torch\ntorch.load('x')", "unpickles"),
        ("eval('1')", "calls eval"),
        ("import builtins\nbuiltins.exec('1')", "calls exec"),
        ("frame.query('a > 1')", "evaluates text"),
        ("frame.eval('a > 1')", "evaluates text"),
        ("from sklearn.utils._param_validation import Interval", "private"),
        ("from sklearn.tree import _tree", "private"),
        ("import sklearn.tree._classes", "private"),
        ("import numpy as np\nnp.load('x', allow_pickle=True)", "unpickle"),
        ("import pandas as pd\npd.read_pickle('x')", "read_pickle"),
        ("import subprocess\nsubprocess.run('ls', shell=True)", "shell"),
        ("def long():\n" + "    x = 1\n" * 60, "61 lines"),
        ("x = 1\n" * 351, "351 lines"),
        ("x = 1  # nosec", "bandit"),
    ],
)
def test_a_fault_is_found(source: str, said: str) -> None:
    ((_, found),) = faults(source)
    assert said in found


@pytest.mark.parametrize(
    "source",
    [
        "network.eval()",
        "class Layer:\n    def forward(self, x):\n        return self.query(x)",
        "from sklearn.utils.validation import check_is_fitted",
        "from sklearn import __version__",
        "def long():\n    # long: one case for each kind of a message\n" + "    x = 1\n" * 60,
        "# long: a table of names and nothing else\n" + "x = 1\n" * 351,
    ],
)
def test_what_is_allowed_is_not_a_fault(source: str) -> None:
    assert faults(source) == []
