"""Files that gnri 0.1.0 wrote are read, and answer as they did then.

The files in `version_1` and the predictions beside them were made by 0.1.0; do not make them anew.
"""

import json
from pathlib import Path

import pytest

from gnri.rules.documents import load_rules

FOLDER = Path(__file__).parent / "version_1"
PREDICTIONS = json.loads((FOLDER / "predictions.json").read_text())


@pytest.mark.parametrize("name", ["two_classes", "three_classes"])
def test_a_file_of_version_1_answers_as_it_did(name: str) -> None:
    rules = load_rules(FOLDER / f"{name}.json")
    assert rules.predict(PREDICTIONS["columns"]) == PREDICTIONS[name]
    assert rules.minimized().predict(PREDICTIONS["columns"]) == PREDICTIONS[name]
