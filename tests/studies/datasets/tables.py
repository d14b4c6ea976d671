"""A small folder of tables, and the encoding by its definition."""

import json
from hashlib import sha256
from pathlib import Path
from statistics import median

from studies.datasets import Dataset

SMALL = "age,colour,member,class\n31,red,1,yes\n,blue,0,no\n25,red,0,yes\n40.5,,1,no\n"
KINDS = {"age": "numeric", "colour": "categorical", "member": "binary"}


def folder_with(path: Path, text: str = SMALL, name: str = "small") -> Path:
    """A data folder with one table."""
    columns = [{"name": column, "kind": kind} for column, kind in KINDS.items()]
    described = {"columns": columns, "sha256": sha256(text.encode()).hexdigest()}
    (path / f"{name}.csv").write_text(text)
    (path / "schema.json").write_text(json.dumps({name: described}))
    return path


def slow_encoding(dataset: Dataset) -> list[list[int]]:
    """The paper's encoding, one cell at a time."""
    encoded: list[list[int]] = [[] for _ in dataset.rows]
    for place, kind in enumerate(dataset.kinds):
        cells = [row[place] for row in dataset.rows]
        known = [cell for cell in cells if cell]
        values = sorted(set(known))
        for row, cell in zip(encoded, cells, strict=True):
            if kind == "numeric":
                row.append(sign(cell, bool(cell) and float(cell) > median(map(float, known))))
            elif kind == "binary":
                row.append(sign(cell, cell == values[-1]))
            else:
                row.extend(sign(cell, cell == value) for value in values)
    return encoded


def sign(cell: str, true: bool) -> int:
    return 0 if not cell else 1 if true else -1
