"""The first pass over a table: what its columns hold."""

from collections.abc import Sequence
from functools import reduce
from typing import Any

from gnri.data.arrow import from_arrow
from gnri.data.value_counts import ValueCounts, count_values
from gnri.errors import GnriError
from gnri.scale.parts import Part, guarded


def count_part(part: Part, names: Sequence[str]) -> list[ValueCounts]:
    """Return the value counts of each column in one part."""
    # Text is bytes until it is asked for, and need not be UTF-8.
    by_batch = (
        [guarded(part.path, _count, name, batch.column(name), part.text) for name in names]
        for batch in part.batches(names)
    )
    found = next(by_batch, None)
    if found is None:
        raise GnriError(f"{part.path} has no rows below its header; leave the file out")
    return reduce(merge_counts, by_batch, found)


def merge_counts(one: Sequence[ValueCounts], other: Sequence[ValueCounts]) -> list[ValueCounts]:
    """Return the value counts of two parts together."""
    return [a + b for a, b in zip(one, other, strict=True)]


def _count(name: str, cells: Any, text: bool) -> ValueCounts:
    return count_values(from_arrow(name, cells, text=text), bounded=True)
