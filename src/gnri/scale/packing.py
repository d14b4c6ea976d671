"""Rows of Arrow batches as packed blocks: each atom a bit, each class in words of its own."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.cells import truth
from gnri.counts.block import WORD, Block, pack
from gnri.counts.patterns import collapsed
from gnri.data.schema import Above, Atom, IsTrue, Schema
from gnri.scale.parts import Part
from gnri.scale.summary import as_numbers, trimmed
from gnri.tables.cells import Kind, parsed


@dataclass(frozen=True, eq=False)
class Packing:
    """What it takes to pack a part: the atoms, the target column, and the place of each label."""

    schema: Schema
    target: str
    labels: Mapping[Any, int]  # a label as it stands in the file -> the place of its class
    classes: int

    def blocks(self, part: Part) -> Iterator[Block]:
        """The rows of a part, those that are alike together."""
        return collapsed(self._batches(part))

    def _batches(self, part: Part) -> Iterator[Block]:
        columns = list(dict.fromkeys(atom.column for atom in self.schema.atoms))
        for batch in part.batches([self.target, *columns]):
            if len(batch):
                yield self.block(batch, part.text)

    def block(self, batch: Any, text: bool) -> Block:
        """The rows of a batch."""
        codes = self._codes(batch.column(self.target), text)
        order = [np.flatnonzero(codes == kind) for kind in range(self.classes)]
        bounds = np.cumsum([0, *(-(-len(rows) // WORD) for rows in order)]).tolist()
        present = _packed(np.ones((1, len(codes)), np.bool_), order)[0]
        words = np.empty((2 * len(self.schema.atoms), bounds[-1]), np.uint64)
        place = 0
        for name, group in groupby(self.schema.atoms, key=lambda atom: atom.column):
            atoms = list(group)
            positive, known = truths(batch.column(name), atoms, text)
            mine = words[2 * place : 2 * (place + len(atoms))]
            mine[::2] = _packed(positive, order)
            seen = present if known is None else _packed(known[None], order)
            mine[1::2] = seen & ~mine[::2]
            place += len(atoms)
        return Block(words, present, tuple(bounds))

    def _codes(self, column: Any, text: bool) -> NDArray[np.intp]:
        encoded = _encoded(column)
        values = trimmed(encoded.dictionary) if text else encoded.dictionary.to_pylist()
        codes = np.array([self.labels[value] for value in values], np.intp)
        return codes[encoded.indices.to_numpy()]


def truths(
    column: Any, atoms: Sequence[Atom], text: bool
) -> tuple[NDArray[np.bool_], NDArray[np.bool_] | None]:
    """Where each atom of a column is true (atoms, rows), and where the cell is known, if not all.

    A cell that is not known makes no atom true.
    """
    if isinstance(atoms[0], Above):
        cells = _text_numbers(column, atoms[0].column) if text else as_numbers(column)
        unknown = np.isnan(cells)
        positive = np.array([cells > atom.cut for atom in atoms if isinstance(atom, Above)])
        return positive, ~unknown if unknown.any() else None
    if isinstance(atoms[0], IsTrue) and not text:
        if not column.null_count:
            return _cells(column)[None], None
        return _cells(column.fill_null(False))[None], _cells(column.is_valid())
    return _by_value(column, atoms, text)


def _cells(column: Any) -> NDArray[np.bool_]:
    """The cells of a Boolean column with none missing, at a tenth of what `to_numpy` takes."""
    from pyarrow import types

    if types.is_dictionary(column.type):
        column = column.dictionary_decode()
    octets = np.frombuffer(column.buffers()[1], np.uint8)
    cells = np.unpackbits(octets, count=column.offset + len(column), bitorder="little")
    return cells[column.offset :].view(np.bool_)


def _by_value(
    column: Any, atoms: Sequence[Atom], text: bool
) -> tuple[NDArray[np.bool_], NDArray[np.bool_] | None]:
    """The same by way of the different values, which are few."""
    encoded = _encoded(column)
    cells = trimmed(encoded.dictionary) if text else encoded.dictionary.to_pylist()
    if text:
        kind = Kind.FLAG if isinstance(atoms[0], IsTrue) else Kind.TEXT
        cells = parsed(cells, kind, atoms[0].column).tolist()
    values = np.empty(len(cells) + 1, object)  # the last one stands for missing cells
    values[:-1], values[-1] = cells, None
    known = np.array([value is not None for value in values])
    places = encoded.indices.fill_null(len(cells)).to_numpy()
    positive = np.array([truth(atom, values, known) > 0 for atom in atoms])[:, places]
    return positive, None if known[places].all() else known[places]


def _text_numbers(column: Any, name: str) -> NDArray[np.float64]:
    encoded = _encoded(column)
    return parsed(trimmed(encoded.dictionary), Kind.NUMBER, name)[encoded.indices.to_numpy()]


def _encoded(column: Any) -> Any:
    from pyarrow import types

    return column if types.is_dictionary(column.type) else column.dictionary_encode()


def _packed(truth: NDArray[np.bool_], order: Sequence[NDArray[np.intp]]) -> NDArray[np.uint64]:
    """Truth (k, rows) as words (k, words), the rows of each class in words of their own."""
    # No place needs to be checked, as none is outside.
    parts = (np.take(truth, rows, axis=1, mode="clip") for rows in order)
    return np.concatenate([pack(part) for part in parts], axis=1)
