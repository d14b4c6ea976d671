"""The first pass over a table: what its columns hold."""

from collections.abc import Sequence
from functools import reduce

from gnri.errors import GnriError
from gnri.scale.parts import Part, guarded
from gnri.scale.summary import Summary, summarise


def summaries_of(part: Part, names: Sequence[str]) -> list[Summary]:
    """The summary of each column in one part."""
    # Text is bytes until it is asked for, and need not be UTF-8.
    by_batch = (
        [guarded(part.path, summarise, name, batch.column(name), part.text) for name in names]
        for batch in part.batches(names)
    )
    found = next(by_batch, None)
    if found is None:
        raise GnriError(f"{part.path} has no rows below its header; leave the file out")
    return reduce(merged, by_batch, found)


def merged(one: Sequence[Summary], other: Sequence[Summary]) -> list[Summary]:
    """The summaries of two parts together."""
    return [a + b for a, b in zip(one, other, strict=True)]
