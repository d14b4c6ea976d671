"""The first sheet of an Excel workbook as columns of text, as if it had been saved as CSV."""

from datetime import datetime, time
from io import BytesIO
from typing import Any

from gnri.data.table import Table, check_names, text_column
from gnri.errors import GnriError


def read_workbook(data: bytes, origin: str, *, may_be_empty: bool = False) -> Table:
    """Return the table in the first sheet: a row of names, then the rows.

    Empty rows are left out, and so are columns without a name that are empty.
    """
    rows = [list(map(_text, row)) for row in _cells(data, origin)]
    header, *body = [row for row in rows if any(row)] or [[]]
    columns = list(
        zip(header, zip(*body, strict=True) if body else ((),) * len(header), strict=True)
    )
    while columns and not columns[-1][0] and not any(columns[-1][1]):
        columns.pop()
    names = check_names((name for name, _ in columns), origin)
    if not columns or not (body or may_be_empty):
        raise GnriError(f"{origin} has no rows or no columns; its first sheet must have both")
    found = {
        name: text_column(name, cells) for name, (_, cells) in zip(names, columns, strict=True)
    }
    return Table(found, origin, len(body))


def _cells(data: bytes, origin: str) -> list[list[Any]]:
    try:
        from python_calamine import CalamineWorkbook
    except ImportError:
        raise GnriError(
            f"{origin} is an Excel workbook, which needs the package python-calamine; install it "
            "with pip install 'gnri[excel]', or save the sheet as CSV"
        ) from None
    try:
        return CalamineWorkbook.from_filelike(BytesIO(data)).get_sheet_by_index(0).to_python()
    except BaseException as error:
        # A panic in the reader, which is written in Rust, is no Exception.
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        reason = str(error).partition("\n")[0]
        raise GnriError(f"{origin} is not a whole Excel workbook: {reason}") from None


def _text(cell: Any) -> str:
    """Return a cell as CSV has it: whole numbers without a point, true and false, ISO dates."""
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:
        return str(int(cell))
    if isinstance(cell, datetime):
        return str(cell.date() if cell.time() == time() else cell)
    return str(cell).strip()
