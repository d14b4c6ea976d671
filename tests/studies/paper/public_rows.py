"""Rows of `capability` made of the paper's own figures, in a folder of results."""

import json
from pathlib import Path
from typing import Any

from studies.paper import PUBLISHED
from studies.results import append
from studies.study import Context, load_protocol

ATOMS = {
    "adult": 105, "breast-cancer-wisconsin": 9, "car": 21, "credit-approval": 46, "diabetes": 8,
    "german-credit": 61, "hepatitis": 32, "ionosphere": 34, "kr-vs-kp": 73, "mushroom": 116,
    "nursery": 27, "spambase": 57, "tic-tac-toe": 27, "vote": 32, "monks-1": 17, "monks-2": 17,
    "monks-3": 17, "mutag": 51, "clevr-hans3": 105,
}  # fmt: skip


def capability_row(name: str, condition: str, accuracy: float, **other: Any) -> dict[str, Any]:
    return {
        "set": name,
        "condition": condition,
        "seed": 42,
        "fold": 0,
        "atoms": ATOMS[name],
        "classes": 3 if name in ("car", "nursery", "clevr-hans3") else 2,
        "accuracy": accuracy,
        "voted": accuracy,
        "clauses": 1.0,
        "literals": 2.0,
        "rules": json.dumps(["x0 & ~x1"] * (5 if name == "nursery" else 1)),
    } | other


def paper_results(folder: Path) -> Context:
    """What the paper measured, as if we had."""
    found = Context(folder, protocol=load_protocol())
    rows = [
        capability_row(name, condition, accuracy / 100)
        for name, figures in PUBLISHED["capability"].items()
        for condition, accuracy in figures.items()
    ]
    write(found, "capability", rows)
    return found


def write(context: Context, name: str, rows: list[dict[str, Any]]) -> None:
    identity = context.protocol.identity(name)
    append(context.results / f"{name}.csv", [row | {"protocol": identity} for row in rows])
