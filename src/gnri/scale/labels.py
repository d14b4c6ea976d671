"""The classes of a table in parts, from how often each label occurs."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.errors import GnriError
from gnri.messages import shorten
from gnri.scale.summary import Summary
from gnri.tables.cells import MANY_CLASSES, MOST_CLASSES, classes


@dataclass(frozen=True, eq=False)
class Labels:
    """The classes in order, and which of them a label as it stands in the file is."""

    classes: NDArray[Any]
    places: dict[Any, int]
    rows: int


def labels_of(summary: Summary, target: str, text: bool) -> Labels:
    """The labels that the target column holds."""
    if summary.missing:
        raise GnriError(
            f"every row needs a label, but column {shorten(target)} has none in {summary.missing} "
            "rows; fill them in, or drop the rows"
        )
    numbers = zip(summary.numbers.lowest.tolist(), summary.numbers.counts.tolist(), strict=True)
    counts = {**dict(numbers), **summary.texts, **summary.flags}
    rows = sum(counts.values())
    if len(counts) > min(MOST_CLASSES, max(MANY_CLASSES, rows // 2)):
        raise GnriError(
            f"the target must hold classes, but column {shorten(target)} holds {len(counts)} "
            f"different values in {rows} rows, like a number or an identifier; group them"
        )
    if len(counts) < 2:
        raise GnriError(
            f"labels must have at least 2 classes, got 1 class, {next(iter(counts))!r}; there "
            "is nothing to tell it from"
        )
    raw = list(counts) if text else _array(list(counts))
    # Twice: the check that values repeat is ours here, which know how often they do.
    typed = classes([*raw, *raw] if isinstance(raw, list) else np.concatenate([raw, raw]), target)
    found, codes = np.unique(typed[: len(raw)], return_inverse=True)
    return Labels(found, dict(zip(counts, codes.tolist(), strict=True)), rows)


def _array(values: list[Any]) -> NDArray[Any]:
    if isinstance(values[0], str):
        array = np.empty(len(values), object)
        array[:] = values
        return array
    return np.array(values)
