"""A program of another language that answers requests, one line of JSON for each."""

import json
import math
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any


class LineProcess:
    """Runs until these tests end: starting a program takes longer than most of them."""

    def __init__(self, command: Sequence[str]):
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)

    def __call__(self, request: dict[str, Any]) -> Any:
        to, back = self.process.stdin, self.process.stdout
        assert to and back
        to.write(json.dumps(request, allow_nan=False) + "\n")
        to.flush()
        answer = json.loads(back.readline() or '{"error": "the program has ended"}')
        assert "error" not in answer, answer["error"]
        return answer["answers"]


@cache
def start_node(node: str, script: str) -> LineProcess:
    """A script of this folder."""
    return LineProcess([node, str(Path(__file__).parent / script)])


def writable(cell: Any) -> Any:
    """A number that JSON lacks as an object of its name."""
    if isinstance(cell, float) and not math.isfinite(cell):
        words = {math.inf: "Infinity", -math.inf: "-Infinity"}
        return {"number": words.get(cell, "NaN")}
    return cell
