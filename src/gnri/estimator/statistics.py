"""Statistics of rules and clauses on rows: coverage, precision with interval, recall, lift.

A clause is the best of many on the training rows, so it is more often right there than on others.
Precisions and intervals are corrected for this choice, by whole numbers alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from math import comb, log, prod, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.counts.counter import Counter
from gnri.data.schema import Scalar
from gnri.estimator.leaf_counts import where_taken
from gnri.formats.conditions import format_value
from gnri.formats.expression import tabulate
from gnri.formats.text import is_positive, no_rule_lines, parts_in_words, rule_lines
from gnri.rules.dnf import Clause, cover_of
from gnri.rules.row_expression import Rows, any_of
from gnri.rules.rule_list import RuleList, Step
from gnri.rules.scorecard import AnyRule, Scorecard

Parts = Sequence[tuple[Clause, str]]
"""Clauses, or lines of a scorecard, each with its words."""

Z95 = 1.959963984540054  # the standard normal deviate with 2.5 % above it
BAND_EDGES = (0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.95)
"""Probabilities that cut the totals of a scorecard into bands, rounded to whole points."""


@dataclass(frozen=True, slots=True)
class Figures:
    """Counts for a rule or clause: all `rows`, and the `covered` ones.

    `members` of all rows, and `hits` of the covered rows, are of its class. It was chosen among
    candidates by these rows; the logarithm of their number is 0 if the rows had no part in it.

    >>> few = Figures(covered=8, hits=8, members=20, rows=50)
    >>> few.precision, few.expected, few.lift
    (1.0, 1.0, 2.5)
    >>> [round(bound, 3) for bound in few.interval]
    [0.448, 1.0]
    >>> chosen = Figures(covered=8, hits=8, members=20, rows=50, log_candidates=5.25)
    >>> round(chosen.expected, 3), [round(bound, 3) for bound in chosen.interval]
    (0.852, [0.314, 1.0])
    """

    covered: int
    hits: int
    members: int
    rows: int
    log_candidates: float = 0.0

    @property
    def share(self) -> float:
        """The share of covered rows; 0 without rows."""
        return self.covered / self.rows if self.rows else 0.0

    @property
    def base(self) -> float:
        """The share of the class among all rows; 0 without rows."""
        return self.members / self.rows if self.rows else 0.0

    @property
    def precision(self) -> float | None:
        """The share of the class among these covered rows; None if none is covered."""
        return self.hits / self.covered if self.covered else None

    @property
    def expected(self) -> float | None:
        """The precision to expect on other rows; None if none is covered.

        Let g be how far the precision is above the share of the class, and v the squared gain of
        the best of so many candidates that are no better than chance: twice the logarithm of their
        number times the variance of a share. Of g, the share g^2 / (g^2 + v) is kept.
        """
        if self.precision is None or self.precision <= self.base:
            return self.precision
        gain, smooth = self.precision - self.base, (self.hits + 1) / (self.covered + 2)
        chance = 2 * self.log_candidates * smooth * (1 - smooth) / self.covered
        return self.precision - gain * chance / (gain * gain + chance)

    @property
    def recall(self) -> float | None:
        """The share of covered rows among those of the class; None if it has none."""
        return self.hits / self.members if self.members else None

    @property
    def lift(self) -> float | None:
        """How many times likelier the class is to be expected on covered rows than on all rows."""
        if self.expected is None or not self.members:
            return None
        return self.expected * self.rows / self.members

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the precision on as many other rows; from 0 to 1 without rows.

        It goes from the lower Wilson bound of the expected precision to the upper one of that on
        these rows, as the choice may have been all luck or none. It is the square root of 2 times
        as wide, as both shares vary, and half a row wider at each end, as rows are whole.
        """
        if self.expected is None:
            return 0.0, 1.0
        shares = (self.expected * self.covered, self.hits)
        (low, _), (_, high) = (wilson(hits, self.covered, sqrt(2) * Z95) for hits in shares)
        return max(0.0, low - 0.5 / self.covered), min(1.0, high + 0.5 / self.covered)

    def as_dict(self) -> dict[str, Any]:
        """Return the counts and the shares, for JSON."""
        names = ("share", "precision", "expected", "interval", "recall", "lift")
        return {
            **asdict(self),
            **{name: getattr(self, name) for name in names},
            "interval": list(self.interval),
        }


def wilson(hits: float, trials: int, deviate: float = Z95) -> tuple[float, float]:
    """Return the Wilson interval of a share, of 95 % by default; from 0 to 1 without trials.

    Its bounds solve (hits/n - p)^2 = deviate^2 p (1 - p) / n.
    """
    if not trials:
        return 0.0, 1.0
    z2 = deviate * deviate
    middle = hits + z2 / 2
    spread = deviate * sqrt(hits * (trials - hits) / trials + z2 / 4)
    low, high = ((middle + sign * spread) / (trials + z2) for sign in (-1, 1))
    # Without this, rounding would move these two from their exact values.
    return (0.0 if hits == 0 else low), (1.0 if hits == trials else high)


@dataclass(frozen=True, slots=True)
class ClauseStatistics:
    """A clause, in words, and the rows it covers: those where every literal is true.

    `figures` count the class of the rule or, if the rule is a complement, `good unless ...`, the
    other classes. `unique` counts the covered rows that no other clause of the rule covers.
    """

    clause: Clause
    text: str
    figures: Figures
    unique: int
    rows: NDArray[np.intp] = field(repr=False, compare=False)  # empty if not in memory

    def as_dict(self) -> dict[str, Any]:
        """Return the statistics for JSON."""
        return {
            "text": self.text,
            "unique": self.unique,
            **self.figures.as_dict(),
            "provenance": self.rows.tolist(),
        }


@dataclass(frozen=True, slots=True)
class RuleStatistics:
    """The rule of the class `label` in words, and its figures on the rows.

    It covers the rows where it is true; on `undecided` rows it is unknown because of missing
    cells. If it `follows` other rules, only rows that these do not answer are counted. `target`
    names the class that the clauses describe; for a complement (not `positive`) that is another
    class. A class without a rule has no clauses, and covers nothing. `twins` are, for each column
    of the rule, those left out because they say the same on every row.
    """

    label: Scalar
    positive: bool
    text: str
    target: str
    figures: Figures
    undecided: int
    clauses: tuple[ClauseStatistics, ...]
    follows: bool = False
    form: str = "dnf"  # of a scorecard, the clauses are its lines
    twins: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    bands: tuple[tuple[str, Figures], ...] = ()  # of the totals of a scorecard, in words

    def counts(self) -> dict[str, Any]:
        """Return the counts without any row numbers, as a file of rules keeps them."""
        return {
            "undecided": self.undecided,
            "figures": asdict(self.figures),
            "clauses": [{"text": one.text, **asdict(one.figures)} for one in self.clauses],
            "bands": [{"text": text, **asdict(figures)} for text, figures in self.bands],
        }

    def as_dict(self) -> dict[str, Any]:
        """Return the statistics for JSON."""
        names = ("label", "positive", "text", "target", "undecided", "follows")
        return {
            **{name: getattr(self, name) for name in names},
            **self.figures.as_dict(),
            "clauses": [clause.as_dict() for clause in self.clauses],
            **({"twins": dict(self.twins)} if self.twins else {}),
        }


def measure_rules(
    counter: Counter,
    rule_list: RuleList,
    twins: Mapping[str, str] | None = None,
    atoms: int | None = None,
) -> tuple[RuleStatistics, ...]:
    """Return the statistics of each step's rule, then of each class without a rule.

    `twins` are columns that were left out, each with the one that says the same. The rules were
    chosen among those of so many `atoms`, by default all of the schema.
    """
    literals = 2 * (len(rule_list.schema.atoms) if atoms is None else atoms)
    same: dict[str, tuple[str, ...]] = {}
    for one, other in (twins or {}).items():
        same[other] = (*same.get(other, ()), one)
    taken, found = where_taken(rule_list), []
    if rule_list.most_points_win:
        answered = [own & left for own, left in zip(*taken, strict=True)]
        counter.sizes([rows for one in answered for rows in (one, ~one)])  # faster at once
    for step, own, reached in zip(rule_list.steps, *taken, strict=True):
        if rule_list.most_points_win:  # all classes at once, on all rows
            rows, holds = counter, reached & own
        else:
            rows, holds = counter.without(~reached), step.rule.where(1)
        found.append(_measure_rule(rows, rule_list, step, holds, same, literals))
    nothing = np.zeros_like(counter.rows)
    for kind, text in zip(rule_list.without_rule, no_rule_lines(rule_list), strict=True):
        label, figures = rule_list.classes[kind], _figures(counter, nothing, kind)
        found.append(RuleStatistics(label, True, text, format_value(label), figures, 0, ()))
    return tuple(found)


def _measure_rule(
    counter: Counter,
    rule_list: RuleList,
    step: Step,
    holds: Rows,
    twins: Mapping[str, tuple[str, ...]],
    literals: int,
) -> RuleStatistics:
    """Return the statistics of a rule on the rows of the counter, and where it `holds`.

    In a point table of several classes, it holds where its class has the most points.
    """
    rule, kind = step.rule, rule_list.subject(step)
    together = rule_list.most_points_win
    true, false = counter.sizes([holds, ~holds if together else rule.where(-1)])
    read = rule_list.schema.columns_of(sorted(rule.atoms))
    parts = parts_in_words(rule_list.schema, rule)
    return RuleStatistics(
        rule_list.classes[kind],
        is_positive(rule),
        "\n".join(rule_lines(rule_list, step)),
        _target(rule_list, step),
        _figures(counter, true, kind, chosen=count_candidates(literals, parts)),
        int(counter.rows.sum() - true.sum() - false.sum()),
        _measure_clauses(counter, literals, parts, kind, opposite=not is_positive(rule)),
        follows=not together and step is not rule_list.steps[0],
        form=rule.form,
        twins={column: twins[column] for column in read if column in twins},
        bands=_measure_bands(counter, rule_list, rule, kind),
    )


def _measure_bands(
    counter: Counter, rule_list: RuleList, rule: AnyRule, kind: int
) -> tuple[tuple[str, Figures], ...]:
    """Return the totals of a scorecard in bands of like probability, with their figures."""
    if not isinstance(rule, Scorecard) or rule_list.unit is None:
        return ()
    _, enough = tabulate(rule, rule_list.schema)
    steps = sorted({round(log(p / (1 - p)) / (2 * rule_list.unit)) for p in BAND_EDGES})
    above = [Scorecard(rule.points, rule.threshold + step).where(1) for step in steps]
    sizes = [counter.rows, *counter.sizes(above), np.zeros_like(counter.rows)]
    edges = [f"{enough + step:g}" for step in steps]
    words = [f"points < {edges[0]}", *(f"{a} <= points < {b}" for a, b in pairwise(edges))]
    words.append(f"points >= {edges[-1]}")
    taken = [_figures(counter, more - fewer, kind) for more, fewer in pairwise(sizes)]
    return tuple(zip(words, taken, strict=True))


def _measure_clauses(
    counter: Counter, literals: int, parts: Parts, kind: int, *, opposite: bool
) -> tuple[ClauseStatistics, ...]:
    if not parts:
        return ()
    covers = [cover_of(items) for items, _ in parts]
    alone = [rows & ~any_of(covers[:i] + covers[i + 1 :]) for i, rows in enumerate(covers)]
    sizes = counter.sizes(covers + alone)
    found = []
    for i, (items, text) in enumerate(parts):
        chosen = count_candidates(literals, [parts[i]])
        figures = _figures(counter, sizes[i], kind, opposite, chosen=chosen)
        rows = counter.row_numbers(covers[i])
        rows = np.zeros(0, np.intp) if rows is None else rows
        rows.setflags(write=False)
        only = int(sizes[len(parts) + i].sum())
        found.append(ClauseStatistics(items, text, figures, only, rows))
    return tuple(found)


def count_candidates(literals: int, parts: Parts) -> float:
    """Return the logarithm of how many rules have clauses of as many literals as these."""
    return log(prod(max(1, comb(literals, len(items))) for items, _ in parts))


def _figures(
    counter: Counter,
    covered: NDArray[np.int64],
    kind: int,
    opposite: bool = False,
    chosen: float = 0.0,
) -> Figures:
    """Return the figures of a class or, if `opposite`, of all others, from counts by class."""
    total, rows = int(covered.sum()), int(counter.rows.sum())
    hits, members = int(covered[kind]), int(counter.rows[kind])
    if opposite:
        hits, members = total - hits, rows - members
    return Figures(total, hits, members, rows, chosen)


def _target(rule_list: RuleList, step: Step) -> str:
    """Return the name of the class that the clauses of a rule are for."""
    kind = rule_list.subject(step)
    if is_positive(step.rule):
        return format_value(rule_list.classes[kind])
    others = [format_value(label) for i, label in enumerate(rule_list.classes) if i != kind]
    return others[0] if len(others) == 1 else f"not {format_value(rule_list.classes[kind])}"
