"""Tables out of files: CSV, TSV and Parquet, columns by name."""

from gnri.tables.reading import read_table

__all__ = ["read_table"]
