"""Tables out of files: CSV, TSV and Parquet, columns by name."""

from gnri.tables.frame import Frame
from gnri.tables.reading import read_table
from gnri.tables.table import Table

__all__ = ["Frame", "Table", "read_table"]
