"""What Arrow decodes as columns: text in checked blocks, Parquet files, Arrow datasets.

Each is read as one table, or in batches.
"""

import csv
from collections.abc import Iterator, Sequence, Set
from contextlib import contextmanager
from dataclasses import replace
from io import BytesIO, TextIOWrapper
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.data.kinds import LARGEST_EXACT, ColumnKind, Unusable, dates
from gnri.data.structure import Structure
from gnri.data.table import Column, Table, check_names, coded_column, number_column, text_column
from gnri.errors import GnriError, shorten

BATCH = 1 << 16  # rows read at a time, at most
CELLS = 1 << 23  # cells read at a time, about: of a wide table fewer rows are read at a time
ROWS_OF_A_PARTITION = 1 << 22  # rows from which a Parquet file is cut into several partitions
BLOCK = 1 << 23  # bytes of text that are read and decoded at a time
_MARK = b"\xef\xbb\xbf"
_WIDE = 1 << 11  # columns of text from which Arrow is slow
_TEXTS = 1 << 20  # cells held as Python texts at a time


def from_arrow(
    name: str, cells: Any, *, text: bool = False, codes: bool = False, decimal: str = "."
) -> Column:
    """Return an Arrow array as a column. The kind of `text` from a file is decided later.

    With `codes`, whole numbers are read as text; `decimal` is the mark in numbers of `text`.
    """
    import pyarrow as pa
    from pyarrow import types

    if isinstance(cells, pa.ChunkedArray):
        cells = cells.combine_chunks()
    if codes or types.is_string_view(cells.type):
        cells = cells.cast(pa.string())
    kind = cells.type.value_type if types.is_dictionary(cells.type) else cells.type
    if types.is_string(kind) or types.is_large_string(kind):
        found = _string_column(name, cells, text=text)
        return found if decimal == "." else found.with_decimal_points()
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
    said, advice = f"holds values of the type {kind}", "replace it by numbers, Booleans or text"
    why = dates(name) if types.is_temporal(kind) else Unusable(name, said, advice)
    return replace(found, unusable=why)


def make_table(
    origin: str, rows: Any, names: Sequence[str], codes: Set[str] = frozenset(), **text: Any
) -> Table:
    """Return these columns of an Arrow table or batch, each by `from_arrow`."""
    found = [from_arrow(n, rows.column(n), codes=n in codes, **text) for n in names]
    return Table(dict(zip(names, found, strict=True)), origin)


def whole_numbers_beyond(cells: Any) -> bool:
    """Return whether whole numbers are too large for floats to tell them apart."""
    from pyarrow import compute, types

    if not types.is_integer(cells.type) or not len(cells):
        return False
    bounds = compute.min_max(cells).as_py().values()
    return any(bound is not None and abs(bound) > LARGEST_EXACT for bound in bounds)


def _string_column(name: str, cells: Any, *, text: bool) -> Column:
    """Return strings as categories, or as `text` of a file, without spaces around the cells."""
    from pyarrow import types

    encoded = cells if types.is_dictionary(cells.type) else cells.dictionary_encode()
    indices = encoded.indices.fill_null(-1) if encoded.null_count else encoded.indices
    codes = np.from_dlpack(indices).astype(np.int32)  # not by `to_numpy`, which loads pandas
    found = tuple(encoded.dictionary.to_pylist())
    if not text:
        known = None if (codes >= 0).all() else codes >= 0
        return Column(name, ColumnKind.CATEGORY, np.maximum(codes, 0), known, found or ("",))
    stripped = tuple(map(str.strip, found))
    if stripped == found:
        return Column(name, None, codes, None, found)
    distinct = text_column(name, stripped)  # cells that are equal now share one code
    return Column(name, None, distinct.values[codes], None, distinct.categories)


def _booleans(cells: Any) -> NDArray[np.bool_]:
    """Return Booleans of which none is missing, at a tenth of what `to_numpy` takes."""
    octets = np.frombuffer(cells.buffers()[1], np.uint8)
    bits = np.unpackbits(octets, count=cells.offset + len(cells), bitorder="little")
    return bits[cells.offset :].view(np.bool_)


def read_delimited(data: bytes, origin: str, separator: str | None = None) -> Table:
    r"""Return the table in `data`: a header of distinct names, then rows of as many cells.

    Spaces around a cell are dropped, and so are empty lines. A first line such as `sep=;`, as
    Excel writes it, says the separator. What the texts of a column mean is left undecided.

    >>> read_delimited(b"a, b\n1, x\n", "small.csv")["b"].categories
    ('x',)
    """
    return decode_all(Structure(cut(data), origin, separator))


def count_columns(data: bytes) -> int:
    """Return how many columns the header of a text has; 0 if it has none that can be read."""
    try:
        return Structure(cut(data), "").width
    except GnriError:
        return 0


def cut(data: bytes) -> Iterator[bytes]:
    """Yield the data in blocks."""
    return (data[start : start + BLOCK] for start in range(0, len(data), BLOCK))


def decode_all(structure: Structure, *, may_be_empty: bool = False) -> Table:
    """Return all rows as one table; no cell is decoded before all rows were found to be good."""
    import pyarrow as pa

    blocks, names = list(structure.rows(may_be_empty)), structure.header
    batches = [batch for block in blocks for batch in _decode(block, structure, names)]
    whole = pa.Table.from_batches(batches, pa.schema(_text_types(names)))
    rows = whole.unify_dictionaries().combine_chunks()
    return make_table(structure.origin, rows, names, text=True, decimal=structure.decimal)


def decode_batches(structure: Structure, names: Sequence[str]) -> Iterator[Table]:
    """Yield the rows of these columns, a few at a time."""
    for block in structure.rows():
        for batch in _decode(block, structure, list(names)):
            yield make_table(structure.origin, batch, names, text=True, decimal=structure.decimal)


def _decode(block: bytes, structure: Structure, names: list[str]) -> Iterator[Any]:
    """Return the rows of a checked block, each column as distinct texts and codes."""
    if len(names) > _WIDE:
        return _decode_wide(block, structure, names)
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    block = _MARK + block if block.startswith(_MARK) else block  # Arrow leaves one out
    size, header = len(block) + 1, structure.header
    found = arrow_csv.read_csv(
        pa.BufferReader(block),
        arrow_csv.ReadOptions(column_names=header, block_size=size, use_threads=False),
        arrow_csv.ParseOptions(delimiter=structure.separator, newlines_in_values=True),
        arrow_csv.ConvertOptions(
            column_types=_text_types(names),
            include_columns=names,
            strings_can_be_null=False,
            check_utf8=False,  # the structure check did
        ),
    )
    return iter(found.to_batches())


def _text_types(names: Sequence[str]) -> dict[str, Any]:
    """Return the types of decoded columns: distinct texts and the code of each row's."""
    import pyarrow as pa

    return dict.fromkeys(names, pa.dictionary(pa.int32(), pa.string()))


def _decode_wide(block: bytes, structure: Structure, names: list[str]) -> Iterator[Any]:
    """Decode by the csv module: Arrow takes 17 KB and 0.1 ms for each column of a block."""
    import pyarrow as pa

    text, header = TextIOWrapper(BytesIO(block), encoding="utf-8", newline=""), structure.header
    rows = filter(None, csv.reader(text, delimiter=structure.separator, strict=True))
    while some := list(islice(rows, max(1, _TEXTS // len(header)))):
        cells = dict(zip(header, zip(*some, strict=True), strict=True))
        texts = (pa.array(cells[name], pa.string()) for name in names)
        yield pa.record_batch([one.dictionary_encode() for one in texts], names)


def read_parquet(data: bytes, origin: str, *, may_be_empty: bool = False) -> Table:
    """Return the table in the bytes of a Parquet file."""
    with _whole(origin):
        found = _open(BytesIO(data)).read(use_threads=False)
        check_names(found.column_names, origin)
        if not (found.num_rows or may_be_empty) or not found.num_columns:
            raise GnriError(f"{origin} has no rows or no columns; it must have both")
        codes = {name for name in found.column_names if whole_numbers_beyond(found[name])}
        return make_table(origin, found, found.column_names, codes=codes)


def open_parquet(path: str) -> tuple[dict[str, str], list[list[int]]]:
    """Return the type of each column of a file, and the row groups of each of its partitions."""
    with _whole(path):
        file = _open(path)
        types = column_types(file.schema_arrow, path)
    partitions: list[list[int]] = []
    rows = ROWS_OF_A_PARTITION
    for group in range(file.metadata.num_row_groups):
        if size := file.metadata.row_group(group).num_rows:
            if rows >= ROWS_OF_A_PARTITION:
                partitions.append([])
                rows = 0
            partitions[-1].append(group)
            rows += size
    return types, partitions


def column_types(schema: Any, origin: str) -> dict[str, str]:
    """Return the type of each column of an Arrow schema; any text is text."""
    from pyarrow import types

    check_names(schema.names, origin)
    texts = (types.is_string, types.is_large_string, types.is_string_view)
    return {
        field.name: "text" if any(test(field.type) for test in texts) else str(field.type)
        for field in schema
    }


def parquet_batches(
    path: str, row_groups: list[int], codes: Set[str], names: Sequence[str]
) -> Iterator[Table]:
    """Yield some row groups of a file, a few rows at a time; integers in `codes` become text."""
    with _whole(path):
        rows = _open(path).iter_batches(
            _rows_at_a_time(names), row_groups, list(names), use_threads=False
        )
        yield from (make_table(path, some, names, codes=codes) for some in rows if len(some))


def large_integers(path: str) -> set[str]:
    """Return the columns of a file with whole numbers beyond 2^53.

    They are read. The statistics of a file would tell, but pyarrow ends the process where the
    metadata of a column are broken.
    """
    import pyarrow as pa

    with _whole(path):
        file, found = _open(path), set[str]()
        long = [one.name for one in file.schema_arrow if one.type in (pa.int64(), pa.uint64())]
        for rows in file.iter_batches(BATCH, columns=long, use_threads=False) if long else ():
            found |= {name for name in long if whole_numbers_beyond(rows.column(name))}
        return found


def is_dataset(given: Any) -> bool:
    """Return whether this is an Arrow dataset, without loading pyarrow to find out."""
    kinds = {f"{kind.__module__}.{kind.__name__}" for kind in type(given).__mro__}
    return "pyarrow._dataset.Dataset" in kinds


def dataset_fragments(dataset: Any) -> list[Any]:
    """Return the fragments of a dataset, large Parquet files cut between their row groups."""
    try:
        fragments = list(dataset.get_fragments())
    except ValueError as error:  # pyarrow keeps the parts of a filtered dataset to itself
        raise GnriError(
            f"the dataset cannot be read in parts: {error} Write the rows you want to files"
        ) from None
    if not fragments:
        raise GnriError("the dataset has no files; name some with rows")
    return [piece for fragment in fragments for piece in _pieces(fragment)]


def fragment_batches(
    origin: str, fragment: Any, schema: Any, names: Sequence[str]
) -> Iterator[Table]:
    """Yield a fragment of a dataset with this schema, a few rows at a time."""
    with _whole(origin):
        rows = fragment.to_batches(
            schema=schema,
            columns=list(names),
            batch_size=_rows_at_a_time(names),
            batch_readahead=2,  # more would not be bounded by what is asked for
            fragment_readahead=1,
            use_threads=False,
        )
        yield from (make_table(origin, some, names) for some in rows if len(some))


def _pieces(fragment: Any) -> list[Any]:
    if not hasattr(fragment, "split_by_row_group"):
        return [fragment]
    with _whole(fragment.path):
        few = fragment.metadata.num_rows <= ROWS_OF_A_PARTITION
    return [fragment] if few else list(fragment.split_by_row_group())


def _rows_at_a_time(names: Sequence[str]) -> int:
    return max(1 << 8, min(BATCH, CELLS // max(len(names), 1)))


def _open(file: Any) -> Any:
    import pyarrow.parquet

    return pyarrow.parquet.ParquetFile(file)


@contextmanager
def _whole(origin: str) -> Iterator[None]:
    """Say in one line which file cannot be read and why."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = str(error).partition("\n")[0]
        raise GnriError(f"{origin} is not a whole Parquet file: {reason}") from None
