"""What a file holds: columns by name, as they stand in it."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from gnri.errors import GnriError
from gnri.messages import closest, shorten
from gnri.tables.cells import Kind, classes, kind_of, parsed, without_dashes
from gnri.tables.frame import Frame
from gnri.tables.near_numbers import near_number_note

Cells = list[str] | NDArray[Any]
"""A column of text still to be read, or one whose type the file itself says."""

_GROUP = 1 << 17
_BLOCK = 1 << 14


class Table:
    """The columns of a file by name, in order, and the name of the file for messages.

    A dash among numbers is an empty cell, but for `text_rows`.

    >>> table = Table("pets.csv", {"legs": ["4", "4", "2"], "kind": ["cat", "dog", "bird"]})
    >>> table.features(["legs"]).cells["legs"].tolist(), table.labels("kind").tolist()
    ([4.0, 4.0, 2.0], ['cat', 'dog', 'bird'])
    """

    def __init__(self, source: str, columns: Mapping[str, Cells]) -> None:
        self.source = source
        self.columns = {name: _settled(cells) for name, cells in columns.items()}
        self._as_written = dict(columns)
        self.rows = len(next(iter(self.columns.values()), []))

    def check_has(self, name: str) -> None:
        """Raise, naming the nearest column there is, unless there is a column of this name."""
        if name in self.columns:
            return
        names = list(self.columns)
        near = closest(name, names)
        hint = f"its columns are {shorten(names)}" if near is None else f"did you mean {near!r}?"
        raise GnriError(f"{self.source} has no column {shorten(name)}; {hint}")

    def features(self, names: list[str]) -> Frame:
        """These columns, each read as what all its cells are."""
        return Frame({name: self._feature(name) for name in names})

    def read_as(self, kinds: Mapping[str, Kind]) -> Frame:
        """The columns that are there of those named, read as the kinds given."""
        found = {name: self.columns[name] for name in kinds if name in self.columns}
        return Frame({name: parsed(cells, kinds[name], name) for name, cells in found.items()})

    def labels(self, target: str) -> NDArray[Any]:
        """The class of each row."""
        self.check_has(target)
        return classes(self.columns[target], target)

    def near_numbers(self, names: list[str]) -> list[str]:
        """What to say of those of these columns that are text by a few cells alone."""
        texts = ((name, self.columns[name]) for name in names)
        notes = (near_number_note(name, cells) for name, cells in texts if isinstance(cells, list))
        return [note for note in notes if note is not None]

    def text_rows(self) -> Iterator[tuple[str, ...]]:
        """Each row as text, for a file, as it was written."""
        return zip(*(_texts(cells) for cells in self._as_written.values()), strict=True)

    def _feature(self, name: str) -> NDArray[Any]:
        cells = self.columns[name]
        kind = kind_of(cells) if isinstance(cells, list) else Kind.TEXT
        found = parsed(cells, kind, name)
        infinite = np.flatnonzero(found.dtype.kind == "f" and np.isinf(found))
        if infinite.size:
            raise GnriError(
                f"numbers must be finite, but column {shorten(name)} holds {found[infinite[0]]} in "
                f"row {infinite[0] + 1} below the header; write a number, or leave the cell empty"
            )
        return found


def check_names(names: Iterable[str], source: str) -> None:
    """Raise unless every column has a name, and none has that of another.

    The names are gone over more than once, and none is kept.
    """
    place = 0
    for place, name in enumerate(names, start=1):
        if not name:
            raise GnriError(
                f"every column of {source} needs a name, but column {place} has none; give it one"
            )
    repeated = _repeated(names, place)
    if repeated is not None:
        raise GnriError(
            f"the columns of {source} must have different names, got {shorten(repeated)} more "
            "than once; rename one"
        )


def _repeated(names: Iterable[str], count: int) -> str | None:
    """One of `count` names, if it stands more than once.

    A set of all names would be many times their size. So their hashes are compared, those of some
    of the names at a time.
    """
    groups = 1 + count // _GROUP
    for group in range(groups):
        some = (hash(name) for name in names if crc32(name.encode()) % groups == group)
        hashes = np.empty(0, np.int64)
        while (block := np.fromiter(islice(some, _BLOCK), np.int64)).size:
            hashes = np.sort(np.concatenate([hashes, block]))
            twice = np.unique(hashes[1:][hashes[1:] == hashes[:-1]])
            for name in names if twice.size else ():
                alike = (other for other in names if other == name)
                if hash(name) in twice and len(list(islice(alike, 2))) > 1:
                    return name
    return None


def _settled(cells: Cells) -> Cells:
    return without_dashes(cells) if isinstance(cells, list) else cells


def _texts(cells: Cells) -> list[str]:
    return cells if isinstance(cells, list) else [_text(cell) for cell in cells.tolist()]


def _text(cell: Any) -> str:
    if cell is None or cell != cell:
        return ""
    return str(cell).lower() if isinstance(cell, bool) else str(cell)
