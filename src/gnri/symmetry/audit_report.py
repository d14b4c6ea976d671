"""The report of an audit: each comparison, figures for each transform, and the verdict."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from statistics import fmean

from gnri.rules.dnf import Literal, SignedDNF
from gnri.rules.equivalence import equivalent
from gnri.rules.rule_list import RuleList
from gnri.rules.scorecard import AnyRule

Answer = AnyRule | RuleList | None
"""What a learner finds; None for an abstention."""


@dataclass(frozen=True, slots=True)
class Gap:
    """The comparison of inducer(g(episode)) with g(inducer(episode))."""

    transform: str
    episode_index: int
    equal: bool  # logically equivalent; two abstentions are equal, one alone is not
    identical: bool  # the same clauses with the same sign, or the same points
    empty_before: bool  # inducer(episode) reads no atom: an abstention or a constant
    empty_after: bool  # inducer(g(episode)) reads no atom
    jaccard: float  # shared literals over all literals of the two, see `jaccard`
    prediction_drift: float | None = None  # the largest change of a row's prediction, if known

    @property
    def empty(self) -> bool:
        """Whether at least one of the two rules is empty."""
        return self.empty_before or self.empty_after

    @property
    def both_empty(self) -> bool:
        """Whether both rules are empty."""
        return self.empty_before and self.empty_after


def jaccard(left: Answer, right: Answer) -> float:
    """Return the share of literals that two rules have in common; 1 where both have none.

    The sign of a rule is pushed inwards first (De Morgan): `x0` and `~(~x0)` have the same literal.

    >>> jaccard(SignedDNF([[(0, True)], [(1, True)]]), ~SignedDNF([[(0, False)]]))
    0.5
    """
    read_left, read_right = _literals(left), _literals(right)
    either = read_left | read_right
    return len(read_left & read_right) / len(either) if either else 1.0


def same(left: Answer, right: Answer, *, atoms: int) -> bool:
    """Return whether two rules are equivalent; an abstention equals only another one.

    Rule lists must be identical: of several classes, the points decide and not their truth alone.
    """
    if isinstance(left, AnyRule) and isinstance(right, AnyRule):
        return left == right or equivalent(left, right, atoms=atoms)
    return identical(left, right)


def identical(left: Answer, right: Answer) -> bool:
    """Return whether two rules are equal, or two rule lists have equal rules.

    Which of several classes is first matters only where their points tie, and may depend on their
    names where nothing in the table tells them apart. So it is not compared.
    """
    if not (isinstance(left, RuleList) and isinstance(right, RuleList)):
        return left == right
    if left.most_points_win and right.most_points_win:
        return left.rule_of == right.rule_of and left.unit == right.unit
    pairs = [[(step.rule, step.answer) for step in one.steps] for one in (left, right)]
    return pairs[0] == pairs[1] and left.unit == right.unit


def _literals(rule: Answer) -> frozenset[Literal]:
    match rule:
        case None:
            return frozenset()
        case RuleList():
            return frozenset[Literal]().union(*map(_literals, rule.rules))
        case SignedDNF():
            read = frozenset[Literal]().union(*rule.clauses)
            return read if rule.positive else frozenset(~literal for literal in read)
    return frozenset[Literal]().union(*(line for line, _ in rule.points))


@dataclass(frozen=True, slots=True)
class Summary:
    """The figures of a set of gaps; None where there is nothing to average."""

    transform: str
    pairs: int
    rule_eq: float  # share of pairs whose rules are equivalent
    rule_eq_ne: float | None  # the same among pairs that are not both empty
    coverage: float  # share of pairs in which neither rule is empty
    jaccard: float  # mean overlap of the literals
    max_dev: float | None  # the largest prediction drift
    mean_dev: float | None  # the mean over pairs of the prediction drift

    @classmethod
    def of(cls, transform: str, gaps: Sequence[Gap]) -> "Summary":
        """Return the figures of these gaps."""
        telling = [gap for gap in gaps if not gap.both_empty]
        drifts = [gap.prediction_drift for gap in gaps if gap.prediction_drift is not None]
        return cls(
            transform=transform,
            pairs=len(gaps),
            rule_eq=fmean([gap.equal for gap in gaps]),
            rule_eq_ne=fmean([gap.equal for gap in telling]) if telling else None,
            coverage=fmean([not gap.empty for gap in gaps]),
            jaccard=fmean([gap.jaccard for gap in gaps]),
            max_dev=max(drifts, default=None),
            mean_dev=fmean(drifts) if drifts else None,
        )


@dataclass(frozen=True)
class AuditReport:
    """Every gap of an audit, with figures for each transform and for all."""

    gaps: tuple[Gap, ...]
    seed: int

    @cached_property
    def transforms(self) -> tuple[Summary, ...]:
        """The figures of each transform, in the order they were tried."""
        by_name: dict[str, list[Gap]] = {}
        for gap in self.gaps:
            by_name.setdefault(gap.transform, []).append(gap)
        return tuple(Summary.of(name, gaps) for name, gaps in by_name.items())

    @cached_property
    def total(self) -> Summary:
        """The figures over all pairs."""
        return Summary.of("all", self.gaps)

    @property
    def worst(self) -> float:
        """The lowest rule_eq of a transform."""
        return min(summary.rule_eq for summary in self.transforms)

    @property
    def mean(self) -> float:
        """rule_eq over all pairs."""
        return self.total.rule_eq

    @property
    def exact(self) -> bool:
        """Whether the rules were equivalent on every pair."""
        return all(gap.equal for gap in self.gaps)

    def to_json(self) -> str:
        """Return the whole report, each gap included, as JSON."""
        content = {
            "format": "gnri-audit",
            "version": 1,
            "seed": self.seed,
            "exact": self.exact,
            "worst": self.worst,
            "mean": self.mean,
            "total": asdict(self.total),
            "transforms": [asdict(summary) for summary in self.transforms],
            "gaps": [asdict(gap) for gap in self.gaps],
        }
        return json.dumps(content, indent=2, allow_nan=False)

    def __str__(self) -> str:
        headings = [field.name for field in fields(Summary)]
        lines = [headings, *map(_cells, (*self.transforms, self.total))]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        table = [
            "  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])])
            for line in lines
        ]
        ruler = "-" * len(table[0])
        return "\n".join([table[0], ruler, *table[1:-1], ruler, table[-1], self._verdict()])

    def _verdict(self) -> str:
        if self.exact:
            return f"exact on all {self.total.pairs} pairs"
        broken = sum(not gap.equal for gap in self.gaps)
        worst = ", ".join(s.transform for s in self.transforms if s.rule_eq == self.worst)
        return (
            f"not exact: {broken} of {self.total.pairs} pairs differ, "
            f"worst rule_eq {_share(self.worst)} ({worst})"
        )


def _cells(summary: Summary) -> list[str]:
    shares = (summary.rule_eq, summary.rule_eq_ne, summary.coverage, summary.jaccard)
    drifts = (summary.max_dev, summary.mean_dev)
    return [
        summary.transform,
        str(summary.pairs),
        *map(_share, shares),
        *("-" if drift is None else f"{drift:.1e}" for drift in drifts),
    ]


def _share(share: float | None) -> str:
    """Return three decimals; only exactly 1 shows as 1.000."""
    if share is None:
        return "-"
    return "0.999" if 0.9995 <= share < 1 else f"{share:.3f}"
