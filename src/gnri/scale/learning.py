"""A classifier from parts: two passes over the files, and the rest on packed bits."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import reduce
from threading import Lock
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from gnri.binarizer.transformer import Binarizer
from gnri.counts.backends import WORKERS, Blocks, SpoolBlocks
from gnri.counts.counted import Counter, counted_tables
from gnri.errors import GnriError
from gnri.estimator.labels import MOST_CLASSES
from gnri.estimator.learning import ruleset_of
from gnri.estimator.votes import Vote
from gnri.logic.names import closest, shorten
from gnri.model.guided.inducer import Guided
from gnri.render.classifier import RuleSet
from gnri.scale.atoms import fitted
from gnri.scale.induction import induce_table
from gnri.scale.packing import Packing
from gnri.scale.parts import Part
from gnri.scale.summary import Summary, summarise
from gnri.scale.votes import votes_of
from gnri.search.limits import Limits
from gnri.tables.cells import MANY_CLASSES, classes

Report = Callable[[str, int, int], None]
"""Called with what is being done, how many parts of it are done, and how many there are."""


@dataclass(frozen=True, eq=False)
class Learnt:
    """The rules, what each says of its class, and the binarizer of the columns."""

    ruleset: RuleSet
    votes: list[Vote]
    binarizer: Binarizer
    rows: int


class Place(Protocol):
    """Where parts are read: here, or on a cluster."""

    def summaries(self, parts: Sequence[Part], names: Sequence[str]) -> list[Summary]:
        """The summary of each column over all parts."""

    def blocks(self, parts: Sequence[Part], packing: Packing) -> Blocks:
        """All rows, packed."""


class Here:
    """Parts read on this machine, with packed rows in at most `memory` bytes and beyond on disk."""

    def __init__(self, memory: int, report: Report = lambda *_: None) -> None:
        self.memory, self.report = memory, report

    def summaries(self, parts: Sequence[Part], names: Sequence[str]) -> list[Summary]:
        found = self._each("reading columns", parts, lambda part: summaries_of(part, names))
        return reduce(merged, found)

    def blocks(self, parts: Sequence[Part], packing: Packing) -> Blocks:
        spool, lock = SpoolBlocks(self.memory), Lock()

        def pack(part: Part) -> None:
            for block in packing.blocks(part):
                with lock:
                    spool.add(block)

        for _ in self._each("packing rows", parts, pack):
            pass
        return spool.done()

    def _each(
        self, doing: str, parts: Sequence[Part], work: Callable[[Part], Any]
    ) -> Iterator[Any]:
        """What the work gives on each part, a few parts at a time."""
        with ThreadPoolExecutor(WORKERS) as threads:
            for done, answer in enumerate(threads.map(work, parts)):
                self.report(doing, done + 1, len(parts))
                yield answer


def learn(
    parts: Sequence[Part],
    target: str,
    model: Guided,
    place: Place,
    *,
    binarizer: Binarizer | None = None,
    limits: Limits | None = None,
) -> Learnt:
    """The classifier that `RuleClassifier(model)` would be, fitted on all rows of the parts."""
    limits = limits or Limits()
    names = _columns(parts[0], target)
    *columns, label = place.summaries(parts, [*names, target])
    labels = _labels(label, target, parts[0].text)
    found = fitted(binarizer or Binarizer(), [one.decided() for one in columns], labels.rows)
    packing = Packing(found.schema_, target, labels.places, len(labels.classes))
    with place.blocks(parts, packing) as blocks:
        counter = Counter(blocks)
        kinds = [1] if len(labels.classes) == 2 else list(range(len(labels.classes)))
        tables = counted_tables(counter, len(found.schema_.atoms), kinds, limits.negations)
        rules = [induce_table(model, table, limits) for table in tables]
        votes = votes_of(counter, rules, kinds)
    return Learnt(
        ruleset_of(found.schema_, labels.classes, rules, votes), votes, found, labels.rows
    )


def summaries_of(part: Part, names: Sequence[str]) -> list[Summary]:
    """The summary of each column in one part."""
    by_batch = (
        [summarise(name, batch.column(name), part.text) for name in names]
        for batch in part.batches(names)
    )
    found = next(by_batch, None)
    if found is None:
        raise GnriError(f"{part.path} has no rows below its header; leave the file out")
    return reduce(merged, by_batch, found)


def merged(one: Sequence[Summary], other: Sequence[Summary]) -> list[Summary]:
    """The summaries of two parts together."""
    return [a + b for a, b in zip(one, other, strict=True)]


@dataclass(frozen=True, eq=False)
class _Labels:
    classes: NDArray[Any]
    places: dict[Any, int]  # a label as it stands in the file -> the place of its class
    rows: int


def _labels(summary: Summary, target: str, text: bool) -> _Labels:
    """The classes in order."""
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
            f"labels must have at least 2 classes, got {list(counts)} in {shorten(target)}; there "
            "is nothing to tell it from"
        )
    raw = list(counts) if text else _array(list(counts))
    # Twice: the check that values repeat is ours here, which know how often they do.
    typed = classes([*raw, *raw] if isinstance(raw, list) else np.concatenate([raw, raw]), target)
    found, codes = np.unique(typed[: len(raw)], return_inverse=True)
    return _Labels(found, dict(zip(counts, codes.tolist(), strict=True)), rows)


def _array(values: list[Any]) -> NDArray[Any]:
    if isinstance(values[0], str):
        array = np.empty(len(values), object)
        array[:] = values
        return array
    return np.array(values)


def _columns(part: Part, target: str) -> list[str]:
    names = part.names()
    if target not in names:
        near = closest(target, names)
        hint = f"its columns are {shorten(names)}" if near is None else f"did you mean {near!r}?"
        raise GnriError(f"{part.path} has no column {shorten(target)}; {hint}")
    if len(names) < 2:
        raise GnriError(f"{part.path} has no column besides {shorten(target)}; add columns")
    return [name for name in names if name != target]
