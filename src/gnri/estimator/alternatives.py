"""Rules on other columns that are nearly as good, and the best rule of each size.

Folds, choices and the order of rules depend on what the rows hold alone, so the answers are as
symmetric as the rule.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from hashlib import blake2b
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.counts.counter import Counter
from gnri.counts.problem import column_keys
from gnri.data.kinds import ColumnKind
from gnri.data.sources import TableSource
from gnri.data.table import Column, Table
from gnri.errors import GnriError, shorten
from gnri.estimator.cross_validation import FOLDS, Fold, Validation, cross_validate
from gnri.estimator.fitting import Fitted, fit
from gnri.estimator.point_tables import sample_codes
from gnri.formats.text import is_positive, to_text
from gnri.rules.dnf import Literal
from gnri.rules.row_expression import mix
from gnri.search.limits import check_size

MAX_CONDITIONS = 12
"""Conditions, at most, of the rules of a path."""

MAX_PAIRS = 15
"""Pairs of columns, at most, without which rules are learnt."""

Columns = frozenset[str]
Report = Callable[[int, int], None]
"""Called with the number of rules that were cross-validated, and how many there will be."""


@dataclass(frozen=True, eq=False)
class Alternative:
    """A rule that reads other columns, with its figures on rows held out.

    `without` names the columns of the rule that it does not read. Of `rows` rows, `right` are
    predicted right by rules that were learnt in the same way without their fold; the rule gets
    `lost` more right. `classifier` is a fitted classifier, if the rule is that of a classifier.
    """

    columns: tuple[str, ...]
    without: tuple[str, ...]
    right: int
    lost: int
    rows: int
    balanced_accuracy: float
    clauses: int  # or lines of a point table
    conditions: int
    fitted: Fitted = field(repr=False)
    classifier: Any = field(default=None, repr=False)

    @property
    def accuracy(self) -> float:
        """The share of rows held out that were predicted right."""
        return self.right / self.rows

    def as_dict(self) -> dict[str, Any]:
        """Return the rule in words and its figures, for JSON."""
        names = [one.name for one in fields(self) if one.name not in ("fitted", "classifier")]
        figures = {name: getattr(self, name) for name in names}
        return {"text": to_text(self.fitted.minimized), "accuracy": self.accuracy, **figures}

    @property
    def key(self) -> tuple[int, ...]:
        """What they are ordered by; rules with the same key are tied."""
        return self.lost, self.conditions, self.clauses, len(self.columns)


def find_alternatives(
    fitted: Fitted, k: object = 5, within: object = 0.01, report: Report = lambda *_: None
) -> list[Alternative]:
    """Return the k best rules that read other columns than the rule and are nearly as good.

    They are learnt without one of the columns that the rule reads, without two of those that it can
    do without, and without all of them. On rows held out they get at most a share of `within` less
    right than the rule. Rules that tie with the last one are returned too.
    """
    most, share = check_size("k", k, 5), _check_share(within)
    folds = split_by_content(fitted)
    if not fitted.rule_list.steps or len(folds) < 2:
        return []
    rule = cross_validate(_plain(fitted), parts=folds)
    groups, known = _group_columns(fitted), _contents(fitted)

    def learn(drops: Collection[Columns], done: int) -> list[tuple[Columns, Alternative]]:
        found = []
        for place, drop in enumerate(drops, start=done + 1):
            one = _learn(fitted, drop, folds, rule)
            if one is not None and one.lost <= share * one.rows:
                found.append((drop, one))
            report(place, done + len(drops))
        return found

    single = learn(groups, 0)
    pairs = {one | other for one, other in combinations(_take_best(single), 2)}
    every = {frozenset[str]().union(*groups)} - {*groups, *pairs}
    good = [one for _, one in [*single, *learn(pairs | every, len(groups))]]
    found: list[Alternative] = []
    for one in sorted(good, key=lambda one: (one.key, one.columns, -one.balanced_accuracy)):
        if len(found) >= most and one.key > found[most - 1].key:
            break
        if _contents(one.fitted) != known and not any(_repeats(one, other) for other in found):
            found.append(one)
    return found


def _check_share(given: object) -> Fraction:
    if not isinstance(given, int | float) or isinstance(given, bool) or not 0 <= given < 1:
        raise GnriError(
            "within must be a share of the rows from 0 up and below 1, such as 0.01, got "
            f"{shorten(given)}"
        )
    return Fraction(str(given))


def _group_columns(fitted: Fitted) -> set[Columns]:
    """Return the columns of the rule, each with all that say the same on every row."""
    _, codes = fitted.rows()
    counter = Counter.from_values(fitted.learnt_atoms(), codes, len(fitted.classes))
    keys = column_keys(fitted.learnt.schema, counter)
    return {
        frozenset(name for name, key in keys.items() if key == keys[column])
        for column in fitted.rule_list.columns
    }


def _take_best(found: Sequence[tuple[Columns, Alternative]]) -> list[Columns]:
    """Return the columns without which the fewest rows are lost.

    Where there are too many, columns that tie are left out together.
    """
    ranked = sorted(found, key=lambda pair: pair[1].key)
    while len(ranked) * (len(ranked) - 1) // 2 > MAX_PAIRS:
        worst = ranked[-1][1].key
        ranked = [pair for pair in ranked if pair[1].key < worst]
    return [drop for drop, _ in ranked]


def _repeats(one: Alternative, other: Alternative) -> bool:
    """Return whether a rule repeats another, which is not worse.

    It is the same rule, or it is worse and reads the same columns or says the same on every row.
    """
    same, alike = one.columns == other.columns, _contents(one.fitted) == _contents(other.fitted)
    return (same and alike) or ((same or alike) and other.key < one.key)


def _contents(fitted: Fitted) -> list[Any]:
    """Return the rule by what its literals say on the training rows, whatever columns they read."""
    values, _ = fitted.rows()
    rules = fitted.rule_list
    names = {
        Literal(atom, sign): blake2b((values[:, atom] * (1 if sign else -1)).tobytes()).digest()
        for atom in rules.atoms
        for sign in (True, False)
    }
    return [
        (
            step._replace(rule=None),  # type: ignore[arg-type]
            is_positive(step.rule),
            getattr(step.rule, "threshold", None),
            {(frozenset(names[one] for one in line), points) for line, points in step.rule.lines},
        )
        for step in rules.steps
    ]


def _learn(
    fitted: Fitted, drop: Columns, folds: Sequence[Fold], rule: Validation
) -> Alternative | None:
    """Return the rule without some columns, and its figures; None where there is none."""
    try:
        found = _refit(fitted, drop)
        if not found.rule_list.steps:
            return None
        held_out = cross_validate(found, parts=folds)
    except GnriError:  # no column is left, or none that varies
        return None
    rules, read = found.rule_list, set(found.rule_list.columns)
    return Alternative(
        columns=tuple(sorted(read)),
        without=tuple(sorted(set(fitted.rule_list.columns) - read)),
        right=_count_right(held_out),
        lost=_count_right(rule) - _count_right(held_out),
        rows=len(held_out.codes),
        balanced_accuracy=held_out.shares.balanced_accuracy,
        clauses=sum(len(one.lines) for one in rules.rules),
        conditions=_count_conditions(found),
        fitted=found,
    )


def learn_path(
    fitted: Fitted, most: object = None, report: Report = lambda *_: None
) -> list[dict[str, Any]]:
    """Return the best rule of each number of conditions, up to the rule itself.

    Rules are learnt with a limit of 1, 2, ... conditions, for each class if there are several. Of
    rules with the same number, the one that gets most training rows right is kept, and the rule
    itself in place of any other. `held_out` is the share of rows predicted right by rules that were
    learnt with the same limit without their fold, `training` that of the training rows.
    """
    most, folds = check_size("most", most, MAX_CONDITIONS), split_by_content(fitted)
    if not fitted.rule_list.steps or len(folds) < 2:
        return []
    limits = range(1, min(most, max(one.size for one in fitted.rule_list.rules)) + 1)
    best: dict[int, Fitted] = {}
    for limit in limits:
        try:
            one = _refit(fitted, max_conditions=limit)
        except GnriError:  # a floor or a constraint asks for more
            continue
        known = best.get(_count_conditions(one))
        if one.rule_list.steps and (known is None or _training(one) > _training(known)):
            best[_count_conditions(one)] = one
    best[_count_conditions(fitted)] = _plain(fitted)
    found = []
    for done, conditions in enumerate(sorted(best), start=1):
        one = best[conditions]
        held_out = cross_validate(one, parts=folds)
        row = {
            "conditions": conditions,
            "clauses": sum(len(rule.lines) for rule in one.rule_list.rules),
            "held_out": held_out.accuracy,
            "training": _training(one),
            "majority": held_out.majority,
            "rule": to_text(one.minimized),
        }
        found.append(row)
        report(done, len(best))
    return found


def _count_conditions(fitted: Fitted) -> int:
    return sum(one.size for one in fitted.rule_list.rules)


def _training(fitted: Fitted) -> float:
    assert fitted.answers is not None, "rows are in memory"
    return float((fitted.answers == fitted.codes).mean())


def _refit(fitted: Fitted, drop: Columns = frozenset(), **changes: Any) -> Fitted:
    """Return the rules of the same rows without some columns, or with other settings."""
    plain, target = _plain(fitted), fitted.target
    assert plain.table is not None and fitted.codes is not None, "rows are in memory"
    table = plain.table.select(name for name in plain.table if name not in drop)
    values = tuple(fitted.classes.tolist())
    label = Column(target.name, ColumnKind.CATEGORY, fitted.codes, None, values)
    for option in ("thresholds", "monotone", "special", "prices"):
        by_column = getattr(fitted.settings, option) or {}
        changes[option] = {name: by_column[name] for name in by_column if name in table} or None
    changes["use"] = tuple(name for name in fitted.settings.use if name in table)
    if not fitted.settings.has_target:
        changes["class_weight"] = None  # the copies have it
    settings = replace(plain.settings, **changes)
    weights = None if fitted.copies is None else fitted.copies.astype(np.float64)
    labelled = Table({**table, target.name: label}, table.origin, table.rows)
    places = {value: i for i, value in enumerate(values)}
    source = TableSource.of(labelled, weights, fitted.class_copies)
    return fit(source, replace(target, codes=places, cuts=()), settings)


def _plain(fitted: Fitted) -> Fitted:
    """Return the rules with a table that has no twins, and settings that look for none.

    Twins of a fold alone are chosen by their names, which must not decide here.
    """
    fitted.rows()  # raises without the training rows
    assert fitted.table is not None, "a table is kept where its atoms are"
    table = fitted.table.select(name for name in fitted.table if name not in fitted.twins)
    return replace(fitted, table=table, settings=replace(fitted.settings, keep_twins=True))


def _count_right(held_out: Validation) -> int:
    return int((held_out.answers == held_out.codes).sum())


def split_by_content(fitted: Fitted) -> list[Fold]:
    """Return stratified folds that depend on what the rows hold, and on no order or name.

    The rows of a class are dealt out in the order of a code of their cells. Equal rows are dealt
    out, too, as it does not matter which is which. Different rows may have one code, where a
    symmetry of the table exchanges them; they are dealt out alike.
    """
    _, kinds = fitted.rows()
    codes, cells = _hash_rows(fitted)
    order, rows = np.lexsort((cells, codes, kinds)), np.arange(len(kinds))

    def first(*keys: NDArray[Any]) -> NDArray[np.intp]:
        changed = np.any([np.diff(key[order], prepend=key[order][:1]) != 0 for key in keys], axis=0)
        return np.maximum.accumulate(np.where(changed, rows, 0))

    alike = first(kinds, codes)
    places = alike - first(kinds) + rows - first(kinds, codes, cells)
    fold = np.empty(len(kinds), np.intp)
    fold[order] = places % FOLDS
    pairs = [(np.flatnonzero(fold != i), np.flatnonzero(fold == i)) for i in range(FOLDS)]
    return [pair for pair in pairs if len(pair[0]) and len(pair[1])]


def _hash_rows(fitted: Fitted) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return a code of each row that no symmetry changes, and one that only equal rows share."""
    _, kinds = fitted.rows()
    values, table = fitted.learnt_atoms(), fitted.table
    assert table is not None, "a table is kept where its atoms are"
    counter = Counter.from_values(values, kinds, len(fitted.classes))
    literals = np.array(sample_codes(counter, values.shape[1]), np.uint64).reshape(-1, 2)
    codes = np.zeros(len(kinds), np.uint64) if fitted.copies is None else _mix(fitted.copies)
    cells = codes.copy()
    for column, pair in zip(values.T, literals, strict=True):
        codes += np.where(column == 1, pair[0], np.where(column == -1, pair[1], np.uint64(0)))
    for place, one in enumerate(table.values()):
        known = np.ones(table.rows, np.bool_) if one.known is None else one.known
        number = one.kind == ColumnKind.NUMBER
        bits = (one.values.astype(np.float64) + 0.0).view(np.uint64) if number else one.values
        mixed = np.where(known, _mix(bits), np.uint64(0))
        cells += mix(mixed + np.uint64(place))
        if number and len(np.unique(bits[known])) > 2:  # with two, its atom may be negated
            codes += mix(mixed + mix(mixed).sum())
    return mix(codes), cells


def _mix(numbers: NDArray[Any]) -> NDArray[np.uint64]:
    return mix(numbers.astype(np.uint64))
