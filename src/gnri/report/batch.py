"""Counts of rows under a rule list: of training rows, from a file of rules, and of new rows."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from gnri.counts.counter import Counter
from gnri.data.encode import encode
from gnri.data.kinds import ColumnKind, is_missing
from gnri.data.schema import column_kinds
from gnri.data.table import Column, Table, check_has
from gnri.data.target import find_part_cuts
from gnri.data.value_counts import count_values
from gnri.errors import GnriError, plural, shorten
from gnri.estimator.statistics import Figures, measure_rules
from gnri.estimator.training_rows import profile_column
from gnri.report.change_tests import Share
from gnri.rules.rule_list import RuleList

Profiles = Mapping[str, Mapping[str, Any]]
"""Of each column, as `profile_column` gives it."""

MOST_SLICES = 60
UNLABELLED = -1
"""The code of a row without a label; a label that is no class has the number of classes."""

_NEW_SUMMARY = (
    "save the rules again with `gnri induce --out`, or give the training table with --training"
)
_DATE = re.compile(r"(\d{4})-(\d\d)(?:-\d\d)?(?:[T ].*)?")
_Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 53)]


class _Struct(msgspec.Struct, forbid_unknown_fields=True):
    pass


class PartCounts(_Struct):
    """The rows that a rule, clause, line or band covers; `text` names a part of a rule."""

    covered: _Count
    hits: _Count
    members: _Count
    rows: _Count
    log_candidates: Annotated[float, msgspec.Meta(ge=0)] = 0.0
    text: str = ""

    def __post_init__(self) -> None:
        if not (self.hits <= self.covered <= self.rows and self.hits <= self.members <= self.rows):
            raise ValueError("hits are among the covered rows, and these among all rows")

    @property
    def coverage(self) -> Share:
        """The covered ones among all rows."""
        return self.covered, self.rows

    @property
    def precision(self) -> Share:
        """The rows of its class among the covered ones."""
        return self.hits, self.covered

    @property
    def expected_precision(self) -> float:
        """The precision to expect on rows that had no part in the choice of the rule."""
        own = Figures(self.covered, self.hits, self.members, self.rows, self.log_candidates)
        return own.expected or 0.0


class RuleCounts(_Struct):
    """The counts of a rule and of its parts."""

    undecided: _Count
    figures: PartCounts
    clauses: list[PartCounts]
    bands: list[PartCounts]

    @property
    def parts(self) -> list[PartCounts]:
        """The rule itself, then its clauses or lines, then its bands."""
        return [self.figures, *self.clauses, *self.bands]


class ColumnCounts(_Struct):
    """The counts and the range of a column, as `profile_column` gives them."""

    kind: ColumnKind
    cells: _Count
    missing: _Count
    lowest: float | None = None
    highest: float | None = None
    values: dict[str, _Count] | None = None


class Answers(_Struct):
    """For each class the rows answered so, and how many were right, in training and held out."""

    training: list[tuple[_Count, _Count]]
    held_out: list[tuple[_Count, _Count]]

    def loss(self, kinds: Sequence[int]) -> float:
        """Return how much less often answers of these classes were right on rows held out."""
        shares = []
        for pairs in (self.training, self.held_out):
            answered = sum(pairs[kind][0] for kind in kinds)
            shares.append(sum(pairs[kind][1] for kind in kinds) / answered if answered else 0.0)
        return max(0.0, shares[0] - shares[1])


class RowCounts(_Struct):
    """The counts of a batch of rows; without labels, `classes` is empty and hits mean nothing."""

    version: Literal[1]
    rows: _Count
    classes: list[_Count]
    rules: list[RuleCounts]
    columns: dict[str, ColumnCounts]
    answers: Answers | None = None


@dataclass(frozen=True, eq=False)
class Batch:
    """New rows, with the counts of all of them and of those with a label.

    `slices` has these two for each slice; `table` has the columns that the rules read.
    """

    counts: RowCounts
    labelled: RowCounts | None
    slices: list[tuple[RowCounts, RowCounts | None]]
    table: Table


class Slice(NamedTuple):
    """A part of the rows, in order of time, and its name."""

    name: str
    rows: NDArray[np.intp]


def read_training(document: Mapping[str, Any], rule_list: RuleList) -> tuple[RowCounts, RuleList]:
    """Return the summary in a file of rules, and the rules in the words that it counts."""
    try:
        found = msgspec.convert(document, RowCounts)
    except (msgspec.ValidationError, ValueError) as error:
        raise GnriError(
            f"the summary of the training rows cannot be read: {error}; {_NEW_SUMMARY}"
        ) from None
    wanted = [[one.text for one in rule.parts[1:]] for rule in found.rules]
    lists: list[Sequence[Any]] = [found.classes or rule_list.classes]
    lists += [] if found.answers is None else [found.answers.training, found.answers.held_out]
    fitting = all(len(one) == len(rule_list.classes) for one in lists)
    for negations in (True, False):
        words = rule_list.minimized(negations)
        if fitting and _texts(words) == wanted:
            return found, words
    raise GnriError(f"the summary of the training rows is of other rules; {_NEW_SUMMARY}")


def _texts(rule_list: RuleList) -> list[list[str]]:
    nothing = np.zeros((0, len(rule_list.schema.atoms)), np.int8)
    counter = Counter.from_values(nothing, np.zeros(0, np.intp), len(rule_list.classes))
    return [
        [*(one.text for one in rule.clauses), *(text for text, _ in rule.bands)]
        for rule in measure_rules(counter, rule_list)
    ]


def measure_batch(
    rule_list: RuleList,
    table: Table,
    codes: NDArray[np.intp] | None = None,
    slices: Sequence[Slice] = (),
) -> Batch:
    """Return the counts of the rows of a table; `codes` are their classes, where known."""
    small = rule_list.compact()
    for name in small.columns:
        check_has(name, list(table), table.origin)
    read = table.select(small.columns).cast(column_kinds(small.schema.atoms)).decide()
    values = encode(small.schema, read)
    profiles = {name: profile_column(count_values(one)) for name, one in read.items()}
    kinds = np.full(table.rows, UNLABELLED) if codes is None else codes

    def count(rows: NDArray[np.intp], columns: Profiles) -> tuple[RowCounts, RowCounts | None]:
        known, none = rows[kinds[rows] != UNLABELLED], np.full(len(rows), len(small.classes))
        labelled = _count(small, values[known], kinds[known], columns) if len(known) else None
        return _count(small, values[rows], none, columns), labelled

    pieces = [count(rows, {}) for _, rows in slices]
    return Batch(*count(np.arange(table.rows), profiles), pieces, read)


def _count(
    rule_list: RuleList,
    values: NDArray[np.int8],
    codes: NDArray[np.intp],
    columns: Profiles,
) -> RowCounts:
    classes = len(rule_list.classes)
    counter = Counter.from_values(values, codes, classes + 1)
    sizes = counter.rows.tolist()[:classes]
    document = {
        "version": 1,
        "rows": len(values),
        "classes": sizes if any(sizes) else [],
        "rules": [one.counts() for one in measure_rules(counter, rule_list)],
        "columns": columns,
    }
    return msgspec.convert(document, RowCounts)


def code_labels(labels: Sequence[Any], classes: Sequence[Any]) -> NDArray[np.intp]:
    """Return the place of each label among the classes; a missing cell or "" is no label.

    Numbers belong to the parts of a cut target.

    >>> code_labels(["yes", None, "maybe"], ["no", "yes"]).tolist()
    [1, -1, 2]
    >>> code_labels([30, 31.5], ["up to 30", "above 30"]).tolist()
    [0, 1]
    """
    places = {str(label).lower(): i for i, label in enumerate(classes)}
    places |= {label: i for i, label in enumerate(classes)}
    cuts = find_part_cuts(classes)

    def find(label: Any) -> int:
        if is_missing(label) or label == "":
            return UNLABELLED
        if cuts and isinstance(label, Real):
            return int(np.searchsorted(cuts, float(label)))
        return places.get(label, places.get(str(label).lower(), len(classes)))

    known = {label: find(label) for label in set(labels)}
    return np.fromiter((known[label] for label in labels), np.intp, len(labels))


def column_cells(column: Column) -> list[Any]:
    """Return the cells of a column; None where one is missing."""
    read = column if column.unusable is not None else column.decide()
    if read.kind in (None, ColumnKind.CATEGORY):
        cells: list[Any] = [read.categories[code] for code in read.values.tolist()]
    else:
        cells = read.values.tolist()
    missing = read.missing_rows(read.kind or ColumnKind.CATEGORY)
    return [None if empty else cell for cell, empty in zip(cells, missing.tolist(), strict=True)]


def cut_rows(rows: int, count: int) -> list[Slice]:
    """Return slices of about as many rows each, in the order of the rows."""
    parts = np.array_split(np.arange(rows), min(count, rows))
    return [Slice(f"rows {part[0] + 1:,} to {part[-1] + 1:,}", part) for part in parts]


def group_rows(cells: Sequence[Any], name: str) -> list[Slice]:
    """Return a slice for each month of dates or, for other cells, for each value, in order."""
    texts = ["" if cell is None or cell != cell else str(cell) for cell in cells]
    dates = [_DATE.fullmatch(text) for text in texts]
    if all(match or not text for match, text in zip(dates, texts, strict=True)):
        months = ["" if match is None else f"{match[1]}-{match[2]}" for match in dates]
        texts = months if len(set(months)) <= MOST_SLICES else [month[:4] for month in months]
    numbers = dict(zip(texts, cells, strict=True))
    distinct = sorted(set(texts) - {""}, key=lambda text: _order(text, numbers[text]))
    if not 0 < len(distinct) <= MOST_SLICES:
        raise GnriError(
            f"rows are cut by dates such as 2026-01-31, or by at most {MOST_SLICES} values, but "
            f"column {shorten(name)} has {plural(len(distinct), 'value')}; name another column, or "
            "use --slices"
        )
    found = np.array(texts, object)
    slices = [Slice(text, np.flatnonzero(found == text)) for text in distinct]
    return slices + ([Slice("(empty)", np.flatnonzero(found == ""))] if "" in texts else [])


def _order(text: str, cell: Any) -> tuple[bool, float, str]:
    number = isinstance(cell, int | float) and text == str(cell)
    return not number, float(cell) if number else 0.0, text
