"""The rules that each shipped checkpoint gives for twenty tables, kept: they may change only with
its weights. After training one anew: `python -m tests.reliability.goldens`.
"""

import json
from pathlib import Path

from gnri.induction import induce
from gnri.model.load import load_model
from tests.reliability.tasks import tasks

FILE = Path(__file__).with_suffix(".json")
MODELS = ("guided", "gnri", "gnri-wide")
COUNT, SEED = 20, 1

Golden = dict[str, str | list[str]]


def given(name: str) -> Golden:
    """The weights of a checkpoint, and what they answer, in one pass and refined."""
    model = load_model(name)
    episodes = tasks(COUNT, seed=SEED)
    return {
        "sha256": model.sha256,
        "one pass": [str(induce(episode, model, refine=False).rule) for episode in episodes],
        "refined": [str(induce(episode, model).rule) for episode in episodes],
    }


def kept() -> dict[str, Golden]:
    """What is in the file."""
    found: dict[str, Golden] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


if __name__ == "__main__":
    FILE.write_text(json.dumps({name: given(name) for name in MODELS}, indent=1) + "\n")
    print(f"{COUNT} rules of {' and '.join(MODELS)}: {FILE.name}")
