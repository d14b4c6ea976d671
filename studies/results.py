"""Committed figures: rows of a CSV file, each with where it came from."""

import csv
import os
import platform
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from fcntl import LOCK_EX, flock
from io import StringIO
from pathlib import Path

from gnri.atomic_write import write_atomically
from gnri.errors import GnriError

Row = dict[str, float | int | str]  # a row that is to be written

Rows = list[dict[str, str]]  # rows as they are read


def provenance(device: str) -> Row:
    """Return commit, kind of machine and date, to stand in every row."""
    commit = os.environ.get("GNRI_COMMIT")  # of a copy of the tree without its history
    if commit is None:
        command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short=12", "HEAD"]
        answer = subprocess.run(command, capture_output=True, text=True, check=False)
        commit = answer.stdout.strip() or "unknown"
    machine = f"{platform.machine()} CPU, {os.cpu_count()} cores"
    if device.startswith("cuda"):
        import torch

        machine = torch.cuda.get_device_name()
    return {"commit": commit, "machine": machine, "date": f"{datetime.now(UTC):%Y-%m-%d}"}


def read(path: Path) -> Rows:
    """Return the rows of a file, none if it is not there yet."""
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def append(path: Path, rows: Sequence[Row]) -> None:
    """Add all rows or none to a file that several processes write; the first sets the columns."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with _locked(path):
        with path.open(newline="", encoding="utf-8") as old:
            columns = next(csv.reader(old), [])
        lines = _lines(path, rows, columns or list(rows[0]))
        added = lines.partition(b"\n")[2] if columns else lines
        write_atomically(path, path.read_bytes() + added)


def replace_rows(
    path: Path, unwanted: Callable[[dict[str, str]], bool], rows: Sequence[Row] = ()
) -> None:
    """Put `rows` in place of the unwanted ones; the file is replaced whole or not at all."""
    if not path.exists():
        return append(path, rows) if rows else None
    with _locked(path):
        kept: list[Mapping[str, object]] = [row for row in read(path) if not unwanted(row)]
        kept += rows
        write_atomically(path, _lines(path, kept, list(kept[0])) if kept else b"")
    return None


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Let no other process write the file, which is made if it is not there."""
    while True:
        with path.open("ab") as file:
            flock(file, LOCK_EX)
            # While this one waited, another may have put a new file in its place.
            if os.path.samestat(os.fstat(file.fileno()), path.stat()):
                yield
                return


def _lines(path: Path, rows: Iterable[Mapping[str, object]], columns: list[str]) -> bytes:
    """Return the header and the rows as CSV."""
    text = StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        if set(row) != set(columns):
            raise GnriError(
                f"a row of {path.name} must have the columns {', '.join(columns)}, got "
                f"{', '.join(row)}; take the old {path.name} away if its columns changed"
            )
        writer.writerow(row)
    return text.getvalue().encode()
