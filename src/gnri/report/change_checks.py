"""The changes that are looked for: in each part of a rule, in answers, labels and columns."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from math import ceil, comb, floor
from typing import NamedTuple

import numpy as np

from gnri.data.kinds import ColumnKind
from gnri.errors import GnriError
from gnri.formats.conditions import format_value
from gnri.formats.text import is_positive
from gnri.report.batch import Batch, ColumnCounts, PartCounts, RowCounts
from gnri.report.change_tests import (
    Share,
    beyond_range_p_value,
    find_change,
    fisher,
    psi,
    ratio,
)
from gnri.rules.rule_list import RuleList


@dataclass(frozen=True, slots=True)
class Limits:
    """What is an alarm: a corrected p-value below `alpha`, and a change beyond the other limits.

    They are the population stability index of a coverage, the fall of a precision, the rise of the
    share of missing cells or of answers left open, the share of unseen categories or labels, and
    the share of numbers outside their range.
    """

    alpha: float = 0.01
    psi: float = 0.1
    drop: float = 0.05
    missing: float = 0.05
    unseen: float = 0.01
    outside: float = 0.01

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            if not isinstance(value, int | float) or not value >= 0:
                raise GnriError(f"the limit {one.name} must be a number from 0 up, got {value!r}")
        if self.alpha > 1:
            raise GnriError(f"alpha, a p-value, must be a number from 0 to 1, got {self.alpha!r}")


class Check(NamedTuple):
    """A test of one change: the shares then and now, the p-value, and how large the change is.

    `kind` is precision, coverage, class, open, missing, unseen, outside or label. For an alarm
    about a part of a rule, `since` is the slice from which on the part most likely changed.
    """

    kind: str
    what: str
    then: Share
    now: Share
    p: float
    size: float
    limit: float
    part: int | None = None  # the place in `parts`
    alarm: bool = False
    since: int | None = None


class Part(NamedTuple):
    """A rule, or a clause, line or band of one: its counts then, now, and in each slice.

    `labelled` has the same of the rows with a label, for the precision; None where there are none.
    """

    kind: str
    text: str
    then: PartCounts
    now: PartCounts
    slices: list[PartCounts]
    labelled: PartCounts | None
    labelled_slices: list[PartCounts | None]
    loss: float  # of precision on rows that were not learnt from

    @property
    def coverages(self) -> list[Share]:
        """The coverage in each slice."""
        return [one.coverage for one in self.slices]

    @property
    def precisions(self) -> list[Share]:
        """The precision in each slice; (0, 0) where no row has a label."""
        return [(0, 0) if one is None else one.precision for one in self.labelled_slices]

    @property
    def expected(self) -> Share:
        """The precision to expect on new rows: the rows right, of as many as it covered then.

        On the training rows a clause is right more often, since it was chosen by them.
        """
        covered = self.then.covered
        held_out = self.then.hits - ceil(self.loss * covered - 1e-9)
        right = min(held_out, floor(self.then.expected_precision * covered + 1e-9))
        return max(0, right), covered


def find_parts(rule_list: RuleList, then: RowCounts, now: Batch) -> list[Part]:
    """Return the parts of all rules, each with its counts."""
    found = []
    line = "clause" if rule_list.unit is None else "line"
    labelled = now.labelled if then.classes else None
    for i, rule in enumerate(then.rules):
        if not rule.clauses:
            continue
        loss_of_rule, loss_of_parts = _losses(rule_list, then, i)
        kinds = ["rule", *[line] * len(rule.clauses), *["band"] * len(rule.bands)]
        for j, (kind, old) in enumerate(zip(kinds, rule.parts, strict=True)):
            new = now.counts.rules[i].parts[j]
            if kind == "band" and not old.covered + new.covered:
                continue
            found.append(
                Part(
                    kind,
                    old.text if j else _name_rule(rule_list, i),
                    old,
                    new,
                    [every.rules[i].parts[j] for every, _ in now.slices],
                    _look_up(labelled, i, j),
                    [_look_up(known, i, j) for _, known in now.slices],
                    loss_of_parts if j else loss_of_rule,
                )
            )
    return found


def _look_up(counts: RowCounts | None, rule: int, part: int) -> PartCounts | None:
    return None if counts is None else counts.rules[rule].parts[part]


def _losses(rule_list: RuleList, then: RowCounts, place: int) -> tuple[float, float]:
    """Return the loss of precision of a rule, and that of its parts."""
    if then.answers is None:
        return 0.0, 0.0
    step, kinds = rule_list.steps[place], range(len(rule_list.classes))
    own = [rule_list.subject(step)]
    others = own if is_positive(step.rule) else [kind for kind in kinds if kind not in own]
    return then.answers.loss(own), then.answers.loss(others)


def _name_rule(rule_list: RuleList, place: int) -> str:
    step = rule_list.steps[place]
    return f"the rule of {format_value(rule_list.classes[rule_list.subject(step)])}"


def check_parts(parts: Sequence[Part], limits: Limits) -> Iterator[Check]:
    """Yield the checks of the coverage and the precision of each part."""
    for i, part in enumerate(parts):
        old, new = part.then.coverage, part.now.coverage
        yield _shift("coverage", part.text, old, new, limits.psi, i)
        if part.labelled is None:
            continue
        old, new = part.expected, part.labelled.precision
        drop = ratio(old) - ratio(new) if new[1] and old[1] else 0.0
        p = fisher(old, new, "fewer")
        yield Check("precision", part.text, old, new, p, drop, limits.drop, i)


def _shift(
    kind: str, what: str, old: Share, new: Share, limit: float, part: int | None = None
) -> Check:
    """Return the check of a change in either direction."""
    return Check(kind, what, old, new, fisher(old, new), psi(old, new), limit, part)


def _rise(kind: str, what: str, old: Share, new: Share, limit: float) -> Check:
    return Check(kind, what, old, new, fisher(old, new, "more"), ratio(new) - ratio(old), limit)


def check_answers(
    then: RowCounts, now: Batch, limits: Limits, rule_list: RuleList
) -> Iterator[Check]:
    """Yield the checks of answers left open by missing cells, and of labels."""
    for i, (old_rule, new_rule) in enumerate(zip(then.rules, now.counts.rules, strict=True)):
        if old_rule.clauses:
            old = old_rule.undecided, old_rule.figures.rows
            new = new_rule.undecided, new_rule.figures.rows
            yield _rise("open", _name_rule(rule_list, i), old, new, limits.missing)
    if now.labelled is None or not then.classes:
        return
    sizes = now.labelled.classes or [0] * len(then.classes)
    known, rows = sum(sizes), now.labelled.rows  # the labels of the others are no class
    for label, before, after in zip(rule_list.classes, then.classes, sizes, strict=True):
        old, new = (before, sum(then.classes)), (after, known)
        yield _shift("class", format_value(label), old, new, limits.psi)
    old, new = (0, sum(then.classes)), (rows - known, rows)
    yield _rise("label", "labels that are no class", old, new, limits.unseen)


def check_column(name: str, old: ColumnCounts, now: Batch, limits: Limits) -> Iterator[Check]:
    """Yield the checks of a column: missing cells, unseen categories, numbers out of range."""
    new, column = now.counts.columns.get(name), now.table.columns.get(name)
    if new is None or column is None:
        return
    gone = (old.missing, old.cells), (new.missing, new.cells)
    yield _rise("missing", name, *gone, limits.missing)
    known = new.cells - new.missing
    if old.values is not None and new.values is not None and known:
        unseen = [n for value, n in new.values.items() if value not in old.values]
        p, size = _unseen_p_value(old.values, new.values, unseen), sum(unseen) / known
        shares = (0, old.cells - old.missing), (sum(unseen), known)
        yield Check("unseen", name, *shares, p, size, limits.unseen)
    if old.lowest is not None and old.highest is not None and old.kind == ColumnKind.NUMBER:
        numbers = column.values if column.kind == ColumnKind.NUMBER else np.zeros(0)
        below, above = int((numbers < old.lowest).sum()), int((numbers > old.highest).sum())
        before = old.cells - old.missing
        chances = [beyond_range_p_value(before, known, n) for n in (below, above) if n]
        p = min(1.0, sum(chances)) if chances else 1.0
        outside = (below + above) / known if known else 0.0
        shares = (0, before), (below + above, known)
        yield Check("outside", name, *shares, p, outside, limits.outside)


def _unseen_p_value(old: Mapping[str, int], new: Mapping[str, int], unseen: Sequence[int]) -> float:
    """Return how likely so many unseen categories are by chance, or one with so many rows.

    By chance a new row has an unseen category as often as a training row had one of its own.
    """
    if not unseen:
        return 1.0
    n, m = sum(old.values()), sum(new.values())
    alone = sum(count == 1 for count in old.values())
    many = fisher((alone, n), (len(unseen), m), "more")
    # All rows of one category fall among the new ones, for any of the categories.
    rows = min(max(unseen), 400)  # the larger, the less likely
    large = len(old.keys() | new.keys()) * (comb(m, rows) / comb(n + m, rows))
    return min(1.0, 2 * min(many, large))


def find_since(check: Check, parts: Sequence[Part]) -> int | None:
    """Return the slice from which on a part most likely changed; None for no part."""
    if check.part is None:
        return None
    part = parts[check.part]
    return find_change(check.then, part.coverages if check.kind == "coverage" else part.precisions)
