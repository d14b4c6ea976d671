"""Tables out of Parquet files, where pyarrow is installed."""

import io
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.errors import GnriError
from gnri.numerals import LARGEST
from gnri.tables.table import Table, check_names

MAGIC = b"PAR1"


def read_parquet(data: bytes, source: str, *, may_be_empty: bool = False) -> Table:
    """The table in `data`, its columns in the types they were written with."""
    try:
        import pyarrow.parquet
    except ImportError:
        raise GnriError(
            f"{source} is a Parquet file, which takes pyarrow to read; install it with "
            "pip install 'gnri[scale]'"
        ) from None
    try:
        found = pyarrow.parquet.ParquetFile(io.BytesIO(data)).read()
        # Names and text are bytes until they are asked for, and need not be UTF-8.
        names = found.column_names
        columns = [_cells(column) for column in found.columns]
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = str(error).partition("\n")[0]
        raise GnriError(f"{source} is not a whole Parquet file: {reason}") from None
    check_names(names, source)
    if not (found.num_rows or may_be_empty) or not found.num_columns:
        raise GnriError(f"{source} has no rows or no columns; it must have both")
    return Table(source, dict(zip(names, columns, strict=True)))


def _cells(column: Any) -> NDArray[Any]:
    """Numbers and Booleans as they are, decimals as floats, all else as Python objects."""
    from pyarrow import types

    if types.is_integer(column.type) and _is_beyond(column):
        column = column.cast("string")  # codes, as in a text file
    if types.is_integer(column.type) or types.is_floating(column.type):
        return np.asarray(column.to_numpy())
    if types.is_boolean(column.type) and not column.null_count:
        return np.asarray(column.to_numpy())
    if types.is_decimal(column.type):
        return np.array(
            [None if cell is None else float(cell) for cell in column.to_pylist()], float
        )
    cells = np.empty(len(column), dtype=object)
    cells[:] = column.to_pylist()
    return cells


def _is_beyond(column: Any) -> bool:
    """Whether whole numbers are too large for floats to tell them apart."""
    from pyarrow import compute

    bounds = compute.min_max(column).as_py().values()
    return any(bound is not None and abs(bound) > LARGEST for bound in bounds)
