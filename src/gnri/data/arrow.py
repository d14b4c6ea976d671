"""Arrow columns as columns: numbers, flags and texts keep the type they were written with."""

from typing import Any

import numpy as np

from gnri.data.column import Column
from gnri.data.kinds import LARGEST, ColumnKind
from gnri.data.unusable import Unusable, dates
from gnri.errors import GnriError
from gnri.messages import shorten


def column_from_arrow(name: str, cells: Any, codes: bool = False) -> Column:
    """Return an Arrow array as a column; integers that are codes become texts."""
    import pyarrow as pa
    from pyarrow import types

    if types.is_dictionary(cells.type):
        cells = cells.cast(cells.type.value_type)
    if codes:
        cells = cells.cast(pa.string())
    known = None if not cells.null_count else np.asarray(cells.is_valid())
    if types.is_boolean(cells.type) or types.is_null(cells.type):
        flags = cells.cast(pa.bool_()).fill_null(False)
        return Column(name, ColumnKind.FLAG, np.asarray(flags, np.bool_), known)
    if _is_number(cells.type):
        return _number_column(name, cells)
    if _is_text(cells.type):
        return _category_column(name, cells.cast(pa.string()), known)
    wrong = dates(name) if types.is_temporal(cells.type) else _other_type(name, cells.type)
    return Column(name, None, np.zeros(len(cells), np.int32), unusable=wrong)


def check_type(arrow_type: Any) -> str:
    """Return what a type is called where files are compared: any text is text."""
    return "text" if _is_text(arrow_type) else str(arrow_type)


def whole_numbers_beyond(cells: Any) -> bool:
    """Return whether whole numbers are too large for floats to tell them apart."""
    from pyarrow import compute, types

    if not types.is_integer(cells.type):
        return False
    bounds = compute.min_max(cells).as_py().values()
    return any(bound is not None and abs(bound) > LARGEST for bound in bounds)


def _number_column(name: str, cells: Any) -> Column:
    import pyarrow as pa

    if whole_numbers_beyond(cells):
        raise GnriError(
            f"column {shorten(name)} holds whole numbers beyond 2^53, where neighbours cannot be "
            "told apart; write them as text if they are identifiers, or make them smaller"
        )
    numbers = cells.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    numbers = np.asarray(numbers, np.float64)
    known = ~np.isnan(numbers)
    return Column(name, ColumnKind.NUMBER, numbers, None if known.all() else known)


def _category_column(name: str, cells: Any, known: Any) -> Column:
    import pyarrow as pa

    encoded = cells.dictionary_encode()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.unify_dictionaries().combine_chunks()
    if isinstance(encoded, pa.ChunkedArray):  # of no chunk
        return Column(name, ColumnKind.CATEGORY, np.zeros(0, np.int32), None)
    codes = encoded.indices.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int32)
    categories = tuple(encoded.dictionary.to_pylist())
    return Column(name, ColumnKind.CATEGORY, codes, known, categories)


def _is_number(arrow_type: Any) -> bool:
    from pyarrow import types

    checks = (types.is_integer, types.is_floating, types.is_decimal)
    return any(check(arrow_type) for check in checks)


def _is_text(arrow_type: Any) -> bool:
    from pyarrow import types

    checks = (types.is_string, types.is_large_string, types.is_string_view)
    return any(check(arrow_type) for check in checks)


def _other_type(name: str, arrow_type: Any) -> Unusable:
    return Unusable(name, f"is {arrow_type}", "write it as numbers, Booleans or text")
