"""What every executor must do: count the same however a table is cut, and fail in one line."""

import logging
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import pandas as pd

from gnri.counts.counter import Counter
from gnri.counts.executors import Executor, Report
from gnri.counts.packing import Packing
from gnri.counts.problem import Problem
from gnri.data.sources import Source, TableSource, open_source, read_table
from gnri.data.target import read_target
from gnri.errors import GnriError
from gnri.estimator.settings import FitSettings
from gnri.estimator.training_rows import TrainingRows, pack_rows, read_rows
from gnri.rules.row_expression import EVERYTHING, any_of, cover
from tests.contracts.rail_contract import assert_same
from tests.contracts.source_contract import plain
from tests.estimator.parts import TARGET, write_parts

Make = Callable[[Report], Executor]
WHERE = [EVERYTHING, cover([0, 3]), ~cover([2]), any_of([cover([1]), cover([4])])]


def features(source: Source) -> list[str]:
    return [name for name in source.names if name != TARGET]


def in_memory(frame: pd.DataFrame, folder: Path) -> TrainingRows:
    """The rows of the one file that holds them all."""
    table = read_table(open_source(write_parts(frame, folder, 1)).partitions[0].origin)
    names = [name for name in table if name != TARGET]
    labelled = read_rows(TableSource.of(table), TARGET, names, FitSettings())
    with pack_rows(labelled, FitSettings(), None) as rows:
        return rows


def check_counts(make: Make, source: Source, expected: TrainingRows) -> None:
    """Schema, target and every count are those of the rows in memory."""
    told: list[tuple[str, int, int | None]] = []
    with closing(make(lambda *one: told.append(one))) as executor:
        names = [*features(source), TARGET]
        *counts, labels = executor.count_columns(source.partitions, names)
        target = read_target(labels)
        schema = FitSettings().learn_atoms([one.decide() for one in counts])
        assert schema == expected.schema
        assert target.classes.tolist() == expected.target.classes.tolist()
        assert target.rows == expected.target.rows
        with executor.pack(source.partitions, Packing(schema, target)) as blocks:
            check_counter(Counter(blocks), expected)
    parts = len(source.partitions)
    assert {doing for doing, *_ in told} == {"reading columns", "packing rows", "counting"}
    assert {most for doing, _, most in told if doing != "counting"} == {parts}


def check_counter(counter: Counter, expected: TrainingRows) -> None:
    """Sizes and counts of rows, and the problem of each class."""
    atoms = len(expected.schema.atoms)
    literals = np.arange(2 * atoms)
    assert counter.sizes(WHERE).tolist() == expected.counter.sizes(WHERE).tolist()
    found, known = (one.counts(WHERE, literals) for one in (counter, expected.counter))
    assert found.tolist() == known.tolist()
    targets = {kind: (1, 1) for kind in range(len(expected.target.classes))}
    for one, other in zip(
        Problem.from_counter(counter, atoms, targets),
        Problem.from_counter(expected.counter, atoms, targets),
        strict=True,
    ):
        assert_same(one, other)


def check_partitions(make: Make, frame: pd.DataFrame, folder: Path) -> None:
    """The value counts are the same in any number and order of partitions."""
    found = []
    for pieces, order in ((1, 1), (3, 1), (3, -1), (7, 1)):
        source = open_source(write_parts(frame, folder, pieces))
        with closing(make(lambda *_: None)) as executor:
            names = sorted(source.names)
            counts = executor.count_columns(source.partitions[::order], names)
        found.append([plain(one.decide()) for one in counts])
    assert all(one == found[0] for one in found)


def check_failures(make: Make, frame: pd.DataFrame, folder: Path) -> None:
    """A partition that is gone, or has no rows, is told in one line, whenever it is met."""
    source = open_source(write_parts(frame, folder, 4))
    names = [*features(source), TARGET]
    with closing(make(lambda *_: None)) as executor:
        *counts, labels = executor.count_columns(source.partitions, names)
        target = read_target(labels)
        schema = FitSettings().learn_atoms([one.decide() for one in counts])
        Path(source.partitions[1].origin).unlink()

        def pack() -> None:
            with executor.pack(source.partitions, Packing(schema, target)) as blocks:
                Counter(blocks).sizes([EVERYTHING])

        for work in (pack, lambda: executor.count_columns(source.partitions, names)):
            assert "is not a whole Parquet file" in refusal(work)
    empty = folder / "empty.csv"
    empty.write_text("a,label\n")
    with closing(make(lambda *_: None)) as executor:
        said = refusal(
            lambda: executor.count_columns(open_source(str(empty)).partitions, ["a", "label"])
        )
    assert said.startswith(f"{empty} has a header and no rows")


def refusal(work: Callable[[], object]) -> str:
    """The one line that it fails with."""
    try:
        work()
    except GnriError as error:
        assert "\n" not in str(error)
        return str(error)
    raise AssertionError("it did not fail")


def check_close(make: Make) -> None:
    """What was opened is let go, and logs are as they were."""
    logs = [logging.getLogger(name) for name in ("distributed", "distributed.client")]
    levels = [log.level for log in logs]
    make(lambda *_: None).close()
    assert [log.level for log in logs] == levels
