"""Labelled tables that the package brings, or that are read from scikit-learn."""

import csv
import gzip
from importlib.resources import files
from io import StringIO
from typing import Any

from gnri.errors import GnriError

TARGET = "class"  # the name of the label column, the last
FILES = (  # of definitions: MONK's problems, boards at the end of a game, scenes drawn by rules
    *("tic-tac-toe", "monks-1", "monks-2", "monks-3", "clevr-hans3"),
    *("monks-1-all", "monks-2-all", "monks-3-all"),
)
SCIKIT = ("iris", "wine", "breast-cancer", "digits")


def read_sample(name: str) -> bytes:
    r"""Return a table as CSV, an empty cell for a missing value; none needs a network.

    >>> read_sample("monks-1").splitlines()[:2]
    [b'a1,a2,a3,a4,a5,a6,class', b'1,1,1,1,3,1,1']
    """
    if name in FILES:
        return gzip.decompress((files("gnri") / "tables" / f"{name}.csv.gz").read_bytes())
    if name not in SCIKIT:
        listed = ", ".join([*FILES, *SCIKIT])
        raise GnriError(f"there is no bundled table {name!r}; choose one of {listed}")
    from sklearn import datasets

    bunch: Any = getattr(datasets, f"load_{name.replace('-', '_')}")()
    labels = [bunch.target_names[code] for code in bunch.target]
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*bunch.feature_names, TARGET])
    writer.writerows([*row, label] for row, label in zip(bunch.data.tolist(), labels, strict=True))
    return text.getvalue().encode()
