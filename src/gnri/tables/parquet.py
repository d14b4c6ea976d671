"""Tables out of Parquet files, where pyarrow is installed."""

import io

from gnri.data.arrow import from_arrow
from gnri.data.table import Table, check_names
from gnri.errors import GnriError

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
        columns = [from_arrow(*one) for one in zip(names, found.columns, strict=True)]
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = str(error).partition("\n")[0]
        raise GnriError(f"{source} is not a whole Parquet file: {reason}") from None
    check_names(names, source)
    if not (found.num_rows or may_be_empty) or not found.num_columns:
        raise GnriError(f"{source} has no rows or no columns; it must have both")
    return Table(dict(zip(names, columns, strict=True)), source, found.num_rows)
