"""Committed figures: rows of a CSV file, each with where it came from."""

import csv
import os
import platform
import subprocess
from collections.abc import Iterable
from datetime import UTC, datetime
from fcntl import LOCK_EX, flock
from pathlib import Path

Row = dict[str, float | int | str]


def provenance(device: str) -> Row:
    """Commit, kind of machine and date, to stand in every row."""
    return {
        "commit": _commit(),
        "machine": _machine(device),
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
    }


def append(path: Path, rows: Iterable[Row]) -> None:
    """Add rows to a file that several processes may be writing; the first one sets the columns."""
    rows = list(rows)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", newline="", encoding="utf-8") as file:
        flock(file, LOCK_EX)
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        if file.tell() == 0:
            writer.writeheader()
        writer.writerows(rows)


def read(path: Path) -> list[dict[str, str]]:
    """The rows of a file, none if it is not there yet."""
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def _commit() -> str:
    if "GNRI_COMMIT" in os.environ:  # a copy of the tree without its history
        return os.environ["GNRI_COMMIT"]
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short=12", "HEAD"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    return answer.stdout.strip() or "unknown"


def _machine(device: str) -> str:
    if device.startswith("cuda"):
        import torch

        return torch.cuda.get_device_name()
    return f"{platform.machine()} CPU, {os.cpu_count()} cores"
