"""The picture of the packages shows the imports as they are."""

import re
import runpy
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "docs" / "pictures" / "packages.py"


@pytest.fixture(scope="module")
def script() -> dict:
    return runpy.run_path(str(SCRIPT))


def test_the_committed_picture_names_every_import(script: dict) -> None:
    picture = SCRIPT.with_suffix(".svg").read_text(encoding="utf-8")
    said = re.search(r"<desc>(.*)</desc>", picture)
    assert said is not None
    edges = script["imports"]()
    expected = [f"{part} imports {other}" for part, other in script["arrows"](edges)]
    again = f"run python {SCRIPT.relative_to(SCRIPT.parents[2])}"
    assert said[1].split("; ") == expected, again
    assert {"data", "rules", "counts", "estimator", "cli"} <= set(edges)


def test_an_import_that_follows_from_others_is_left_out(script: dict) -> None:
    edges = {"cli": {"rules", "data"}, "rules": {"data"}, "data": set()}
    assert script["arrows"](edges) == [("cli", "rules"), ("rules", "data")]
    assert script["levels"](edges) == {"data": 0, "rules": 1, "cli": 2}
