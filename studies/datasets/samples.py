"""A labelled table as text, and those that gnri brings or reads from scikit-learn."""

import csv
from dataclasses import dataclass, field
from io import StringIO

from gnri.data.samples import FILES, SCIKIT, TARGET, read_sample


@dataclass(frozen=True)
class Dataset:
    """Cells as text, an empty one for a missing value; `origin` says where they came from.

    Kinds are numeric, categorical and binary, which is 0 and 1.
    """

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...] = field(repr=False)
    labels: tuple[str, ...] = field(repr=False)
    kinds: tuple[str, ...]
    origin: str = field(compare=False)

    def to_csv(self) -> str:
        """Return the table as text: a header, the label last, rows in their order."""
        text = StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([*self.columns, TARGET])
        writer.writerows([*row, label] for row, label in zip(self.rows, self.labels, strict=True))
        return text.getvalue()


SAMPLES = (*FILES, *SCIKIT)
"""The names of tables that need neither a folder nor a network."""


def sample(name: str) -> Dataset:
    """Return a table of gnri's own as text, from which each number is read back exactly.

    Ours are the MONK's problems, all boards of tic-tac-toe, and scenes drawn by the rules of
    CLEVR-Hans3.
    """
    (*columns, _), *lines = csv.reader(StringIO(read_sample(name).decode()))
    rows, labels = tuple(tuple(line[:-1]) for line in lines), tuple(line[-1] for line in lines)
    kind = {"clevr-hans3": "binary"}.get(name, "numeric" if name in SCIKIT else "categorical")
    origin = "scikit-learn" if name in SCIKIT else "generated"
    return Dataset(name, tuple(columns), rows, labels, (kind,) * len(columns), origin)
