"""Columns of Arrow, as they come out of Parquet files and of text files in parts."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.data.column import Column, coded_column, number_column, text_column
from gnri.data.kinds import LARGEST_EXACT, ColumnKind, Unusable, dates
from gnri.errors import GnriError
from gnri.messages import shorten


def from_arrow(name: str, cells: Any, *, text: bool = False, codes: bool = False) -> Column:
    """Return an Arrow array as a column; if it is `text` of a file, what it means is open.

    Whole numbers that are `codes` are read as text.
    """
    import pyarrow as pa
    from pyarrow import types

    if isinstance(cells, pa.ChunkedArray):
        cells = cells.combine_chunks()
    if codes or types.is_string_view(cells.type):
        cells = cells.cast(pa.string())
    kind = cells.type.value_type if types.is_dictionary(cells.type) else cells.type
    if types.is_string(kind) or types.is_large_string(kind):
        return _text_column(name, cells) if text else _category_column(name, cells)
    if types.is_dictionary(cells.type):
        cells = cells.dictionary_decode()
    if types.is_null(kind):
        return coded_column(name, ColumnKind.FLAG, [None], np.zeros(len(cells), np.int32))
    if types.is_boolean(kind):
        known = _booleans(cells.is_valid()) if cells.null_count else None
        return Column(name, ColumnKind.FLAG, _booleans(cells.fill_null(False)), known)
    if types.is_decimal(kind):
        floats = (np.nan if cell is None else float(cell) for cell in cells.to_pylist())
        return number_column(name, np.fromiter(floats, np.float64, len(cells)))
    if whole_numbers_beyond(cells):
        raise GnriError(
            f"column {shorten(name)} holds whole numbers beyond 2^53, where neighbours cannot be "
            "told apart; write them as text if they are identifiers, or make them smaller"
        )
    if types.is_integer(kind) or types.is_floating(kind):
        numbers = cells.to_numpy(zero_copy_only=False)
        return number_column(name, numbers if numbers.dtype.kind in "iu" else numbers.astype(float))
    found = text_column(name, ["" if cell is None else str(cell) for cell in cells.to_pylist()])
    why = Unusable(
        name, f"holds values of the type {kind}", "replace it by numbers, Booleans or text"
    )
    return replace(found, unusable=dates(name) if types.is_temporal(kind) else why)


def whole_numbers_beyond(cells: Any) -> bool:
    """Return whether whole numbers are too large for floats to tell them apart."""
    from pyarrow import compute, types

    if not types.is_integer(cells.type) or not len(cells):
        return False
    bounds = compute.min_max(cells).as_py().values()
    return any(bound is not None and abs(bound) > LARGEST_EXACT for bound in bounds)


def _category_column(name: str, cells: Any) -> Column:
    codes, categories = _dictionary(cells)
    known = codes >= 0
    if known.all():
        return Column(name, ColumnKind.CATEGORY, codes, None, categories)
    return Column(name, ColumnKind.CATEGORY, np.maximum(codes, 0), known, categories or ("",))


def _text_column(name: str, cells: Any) -> Column:
    """Return cells without the spaces around them; equal ones may have been kept apart by those."""
    codes, texts = _dictionary(cells)
    stripped = tuple(map(str.strip, texts))
    if stripped == texts:
        return Column(name, None, codes, None, texts)
    distinct = text_column(name, stripped)
    return Column(name, None, distinct.values[codes], None, distinct.categories)


def _dictionary(cells: Any) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    """Return the code of each cell, -1 where there is none, and the distinct cells."""
    from pyarrow import types

    encoded = cells if types.is_dictionary(cells.type) else cells.dictionary_encode()
    codes = encoded.indices.fill_null(-1) if encoded.null_count else encoded.indices
    # Not by `to_numpy`, which loads pandas.
    return np.from_dlpack(codes).astype(np.int32), tuple(encoded.dictionary.to_pylist())


def _booleans(cells: Any) -> NDArray[np.bool_]:
    """Return Booleans of which none is missing, at a tenth of what `to_numpy` takes."""
    octets = np.frombuffer(cells.buffers()[1], np.uint8)
    bits = np.unpackbits(octets, count=cells.offset + len(cells), bitorder="little")
    return bits[cells.offset :].view(np.bool_)
