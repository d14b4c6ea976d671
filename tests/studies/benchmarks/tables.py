"""Small tables for benchmarks, in a folder."""

import csv
import json
from itertools import product
from pathlib import Path

COLUMNS = ("a", "b", "c", "d")


def data_folder(path: Path) -> Path:
    """Two tables of 80 rows: `two` has two classes, `three` has three; both follow a rule."""
    cells = list(product("01", repeat=4)) * 5
    labels = {
        "two": ["yes" if row[0] == "1" and row[1] == "0" else "no" for row in cells],
        "three": [
            "both" if row[:2] == ("1", "1") else "one" if "1" in row[:2] else "none"
            for row in cells
        ],
    }
    columns = [{"name": name, "kind": "binary"} for name in COLUMNS]
    for name, answers in labels.items():
        with (path / f"{name}.csv").open("w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow([*COLUMNS, "class"])
            writer.writerows([*row, label] for row, label in zip(cells, answers, strict=True))
    (path / "schema.json").write_text(json.dumps({name: {"columns": columns} for name in labels}))
    return path
