"""How a run is doing: figures kept as lines of JSON and drawn as curves."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gnri.atomic_write import write_atomically

METRICS, CURVES = "metrics.jsonl", "curves.png"


def append(out: Path, row: Mapping[str, Any]) -> None:
    """Add one line to the run's metrics."""
    with (out / METRICS).open("a", encoding="utf-8") as file:
        file.write(json.dumps(dict(row)) + "\n")


def read(out: Path) -> list[dict[str, Any]]:
    """Return the run's metrics, oldest first; a last line that was cut off does not count."""
    path = out / METRICS
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    return [json.loads(line) for line in lines if line.endswith("\n")]


def rewind(out: Path, step: int) -> None:
    """Forget what was measured after `step`: a resumed run will measure it again."""
    kept = [json.dumps(row) + "\n" for row in read(out) if row["step"] <= step]
    write_atomically(out / METRICS, "".join(kept).encode())


def draw(out: Path, figure: str) -> str:
    """Draw loss and `figure` against the step; a line that says where, or why not."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return "no curves drawn: matplotlib is not installed (pip install 'gnri[plots]')"
    rows = read(out)
    canvas = Figure(figsize=(7, 3.5))
    edges = {"left": 0.08, "right": 0.98, "bottom": 0.15, "top": 0.9}
    for axes, name in zip(canvas.subplots(1, 2, gridspec_kw=edges), ("loss", figure), strict=True):
        axes.plot([row["step"] for row in rows], [row[name] for row in rows], marker=".")
        axes.set(xlabel="step", title=name.replace("_", " "))
        axes.grid(alpha=0.3)
    canvas.savefig(out / CURVES, dpi=120)
    return f"curves drawn in {out / CURVES}"
