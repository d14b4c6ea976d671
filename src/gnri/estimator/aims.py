"""What a fit is asked for, and the operating points that could be had.

It is an objective, floors for precision and recall, or costs of errors. Operating points say what
each threshold or weight gives on rows held out.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gnri.counts.counter import Counter
from gnri.errors import GnriError, shorten
from gnri.estimator.settings import FitSettings, find_class
from gnri.formats.expression import tabulate
from gnri.rules.rule_list import RuleList
from gnri.rules.scorecard import Scorecard

if TYPE_CHECKING:
    from gnri.estimator.fitting import Fitted
    from gnri.estimator.targets import Point

OBJECTIVES = ("accuracy", "balanced_accuracy", "f1")

DOUBT = 1
"""False alarms added to those on rows held out before a precision is compared with its floor."""

Counts = tuple[tuple[int | Fraction, ...], ...]
"""Rows by class, and by the class answered; or means of such counts."""

Costs = tuple[tuple[Fraction, ...], ...]


@dataclass(frozen=True, slots=True)
class Aim:
    """What makes an operating point good; classes go by their index, all shares are fractions."""

    classes: tuple[Any, ...]
    sizes: tuple[int, ...]
    objective: str
    precision: Mapping[int, Fraction]
    recall: Mapping[int, Fraction]
    costs: Costs | None

    @classmethod
    def read(
        cls,
        settings: FitSettings,
        classes: NDArray[Any],
        sizes: Sequence[int],
        *,
        strict: bool = False,
    ) -> "Aim":
        """Return what the settings ask for; a class that is not there is an error if `strict`."""
        if settings.objective not in OBJECTIVES:
            raise GnriError(
                f"objective must be one of {', '.join(OBJECTIVES)}, got "
                f"{shorten(settings.objective)}"
            )
        if settings.costs is not None and settings.objective != "accuracy":
            raise GnriError(
                f"costs and objective={settings.objective!r} both say what is best; leave one out"
            )
        labels = tuple(classes.tolist())
        precision, recall = (
            _read_floors(name, getattr(settings, name), labels, sizes, strict)
            for name in ("min_precision", "min_recall")
        )
        costs = _read_costs(settings.costs, labels, strict)
        return cls(labels, tuple(sizes), settings.objective, precision, recall, costs)

    @property
    def subject(self) -> int:
        """The class that figures are about: that of the first floor, or the rarer one."""
        floors = {**self.precision, **self.recall}
        last = len(self.sizes) - 1
        return min(floors, default=min(range(last, -1, -1), key=self.sizes.__getitem__))

    def full_weights(self) -> NDArray[np.float64]:
        """Return what a row of each class costs if it is missed, or else equal weights of classes.

        The least of them is 1.
        """
        if self.costs is None:
            return max(self.sizes) / np.array(self.sizes)
        worst = [max(row) for row in self.costs]
        least = min((cost for cost in worst if cost), default=Fraction(1))
        return np.array([float((cost or least) / least) for cost in worst])

    def rank(self, counts: Counts, near: Counts) -> tuple[Fraction, ...]:
        """Return how good a point is: how far its floors are met, then the objective.

        `near` is the mean of the counts of thresholds near by: the best of many thresholds is best
        by chance. A floor for precision must be met there too, and an objective is judged there.
        """
        sure = self._nearness(counts, near, DOUBT)
        if sure < 1:
            return (sure, self._nearness(counts, counts, 0), *self._score(counts))
        return (sure, *self._score(counts if self.precision or self.recall else near))

    def _floors(
        self, counts: Counts, near: Counts, doubt: int
    ) -> Iterator[tuple[str, int, Fraction, Fraction]]:
        """Yield each floor: what it is for, its class, the floor, and what is reached."""
        for kind, floor in self.precision.items():
            yield "precision", kind, floor, _sure_precision(counts, near, kind, doubt)
        for kind, floor in self.recall.items():
            yield "recall", kind, floor, _recall(counts, kind)

    def _nearness(self, counts: Counts, near: Counts, doubt: int) -> Fraction:
        """Return the smallest share of a floor that is reached, at most 1."""
        found = (reached / floor for *_, floor, reached in self._floors(counts, near, doubt))
        return min([Fraction(1), *found])

    def _score(self, counts: Counts) -> tuple[Fraction, ...]:
        """Return shares from 0 to 1 that should be large, the more important first."""
        if self.costs is not None:
            worst = sum(n * max(row) for n, row in zip(self.sizes, self.costs, strict=True))
            return (1 - self.cost(counts) / worst,)
        if self.objective == "balanced_accuracy":
            return (_mean([_recall(counts, k) for k, n in enumerate(self.sizes) if n]),)
        if self.objective == "f1":
            return (_mean([_f1(counts, k) for k in _rarer(self.sizes)]),)
        recall = _mean([_recall(counts, k) for k in self.precision or self.recall])
        precision = _mean([_precision(counts, k) for k in self.precision or self.recall])
        if self.precision and not self.recall:
            return (recall, precision)
        if self.recall and not self.precision:
            return (precision, recall)
        right = sum(counts[k][k] for k in range(len(counts)))
        return (Fraction(right, sum(map(sum, counts)) or 1),)

    def cost(self, counts: Counts) -> Fraction:
        """Return the cost of the answers; without costs every error costs 1."""
        pairs = permutations(range(len(counts)), 2)
        costs = (counts[i][j] * (self.costs[i][j] if self.costs else 1) for i, j in pairs)
        return Fraction(sum(costs))

    def figures(self, counts: Counts) -> dict[str, Any]:
        """Return the figures of the class that this is about, as plain numbers."""
        own, answered = self.subject, sum(row[self.subject] for row in counts)
        return {
            "precision": float(_precision(counts, own)) if answered else None,
            "recall": float(_recall(counts, own)),
            "cost": float(self.cost(counts)),
            "rows": answered,
        }

    def explain(self, counts: Counts, near: Counts) -> str | None:
        """Return the floor that the best point misses, and what it reaches; None if all are met."""
        for name, kind, floor, reached in self._floors(counts, near, DOUBT):
            if reached >= floor:
                continue
            sure, recall = _sure_precision(counts, near, kind, DOUBT), _recall(counts, kind)
            hits, answered = counts[kind][kind], sum(row[kind] for row in counts)
            best = f"precision {float(sure):.2f} at recall {float(recall):.2f}"
            why = "counting one more false one and thresholds near it, as few rows prove little"
            if name == "recall":
                best, why = f"recall {float(recall):.2f}", "at other settings it may be more"
            return (
                f"{name} {float(floor):g} of {self.classes[kind]!r} cannot be reached on rows "
                f"held out; the best is {best} ({hits:,} of {answered:,} such answers right; "
                f"{why}); ask for less"
            )
        return None


def resolve(settings: FitSettings, classes: NDArray[Any], sizes: Sequence[int]) -> FitSettings:
    """Return the settings with floors by the name of a class; raise for impossible ones."""
    aim = Aim.read(settings, classes, sizes, strict=True)
    names = classes.tolist()
    floors = [
        {names[kind]: float(share) for kind, share in one.items()} or None
        for one in (aim.precision, aim.recall)
    ]
    return replace(settings, min_precision=floors[0], min_recall=floors[1])


def find_points(fitted: "Fitted") -> tuple[dict[str, Any], ...]:
    """Return the points of a fit at a target, or else measure them now."""
    if len(fitted.classes) > 2:
        raise GnriError(
            f"operating points are of two classes, and there are {len(fitted.classes)}; make them "
            "two, one class against all others"
        )
    if fitted.points:
        return fitted.points
    from gnri.estimator.targets import TargetLearner, list_setups

    rules, copies = fitted.learnt, fitted.class_copies or (1, 1)
    counter = Counter.from_values(*fitted.learnt_rows(), 2).with_class_copies(copies)
    once = Counter.from_values(fitted.learnt_atoms(), fitted.rows()[1], 2)
    form = "dnf" if rules.unit is None else "scorecard"
    if fitted.settings.form == "checklist":
        form = "checklist"
    settings = replace(fitted.settings.without_target(), form=form)
    aim, weighed = (
        Aim.read(settings, fitted.classes, one.rows.tolist()) for one in (once, counter)
    )
    given = settings, rules.schema, fitted.classes, counter, settings.learner(), fitted.bounds
    learner = TargetLearner(*given, once)
    setups = list_setups(settings, weighed, fitted.classes)
    points = learner.measure(setups if form == "dnf" else setups[:1])
    best = next(one for one in points if one.setup.distance == one.shift == 0)
    return list_points(points, best, rules, aim, copies)


def list_points(
    points: Sequence["Point"],
    best: "Point",
    rules: RuleList,
    aim: Aim,
    copies: Sequence[float] = (1, 1),
) -> tuple[dict[str, Any], ...]:
    """Return the figures of the points of one form, by total or by weight; none for many classes.

    Of a point table all thresholds are listed, of clauses all weights. `copies` are those that a
    row of each class has without the weights of a point.
    """
    if len(aim.sizes) > 2:
        return ()
    own, table = aim.subject, best.setup.form != "dnf"
    cards = [rule for rule in rules.rules if isinstance(rule, Scorecard)]
    enough = tabulate(cards[0], rules.schema)[1] if cards else 0
    found, seen = [], set[Counts]()
    for point in points:
        weights = point.setup.copies
        weight = weights[own] / weights[1 - own] * (copies[own] / copies[1 - own])
        place = {"weight": weight, "max_clauses": point.setup.max_clauses}
        if table:
            place = {"total": enough + (point.shift - best.shift) / 2}
            if point.setup != best.setup or (point.counts in seen and point != best):
                continue
        elif point.setup.form != "dnf":
            continue
        seen.add(point.counts)
        found.append({**place, **aim.figures(point.counts), "chosen": point == best})
    return tuple(sorted(found, key=lambda one: next(iter(one.values()))))


def _rarer(sizes: Sequence[int]) -> list[int]:
    """Return the rarer class of two, both if they are equally large; all of several classes."""
    return [kind for kind, size in enumerate(sizes) if len(sizes) > 2 or size == min(sizes)]


def _precision(counts: Counts, kind: int, doubt: int = 0) -> Fraction:
    answered = sum(row[kind] for row in counts) + doubt
    return Fraction(counts[kind][kind], answered) if answered else Fraction(0)


def _sure_precision(counts: Counts, near: Counts, kind: int, doubt: int) -> Fraction:
    return min(_precision(counts, kind, doubt), _precision(near, kind, doubt))


def _recall(counts: Counts, kind: int) -> Fraction:
    size = sum(counts[kind])
    return Fraction(counts[kind][kind], size) if size else Fraction(0)


def _f1(counts: Counts, kind: int) -> Fraction:
    both = sum(counts[kind]) + sum(row[kind] for row in counts)
    return Fraction(2 * counts[kind][kind], both) if both else Fraction(0)


def _mean(shares: Sequence[Fraction]) -> Fraction:
    return sum(shares, Fraction(0)) / len(shares) if shares else Fraction(0)


def _read_floors(
    name: str, given: Any, labels: Sequence[Any], sizes: Sequence[int], strict: bool
) -> dict[int, Fraction]:
    """Return the floor of each class; a plain number is that of the rarer class of two."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        rarer = _rarer(sizes)
        if len(rarer) > 1:
            why = "both are equally large" if len(sizes) == 2 else "there are more than two"
            raise GnriError(
                f"{name}={given!r} is for the rarer of two classes, but {why}; name the class: "
                f"{name}={{{labels[-1]!r}: {given!r}}}"
            )
        given = {labels[rarer[0]]: given}
    found = {}
    for label, share in given.items():
        kind = find_class(label, labels, name if strict else None)
        floor = _read_number(share, name)
        if not 0 < floor <= 1:
            raise GnriError(f"{name} must be above 0 and at most 1, got {share!r}")
        if kind is not None:
            found[kind] = floor
    return found


def _read_number(given: Any, name: str) -> Fraction:
    """Return a number as it is written: 0.9 is nine tenths."""
    if isinstance(given, int | float | np.number) and not isinstance(given, bool):
        number = float(given)
        if np.isfinite(number):
            return Fraction(repr(number))
    raise GnriError(f"{name} must be a number, got {shorten(given)}")


def _read_costs(given: Any, labels: Sequence[Any], strict: bool) -> Costs | None:
    """Return the cost of each class answered for each actual one; 1 for an error not named."""
    if given is None:
        return None
    kinds = range(len(labels))
    costs = [[Fraction(int(i != j)) for j in kinds] for i in kinds]
    hint = "costs must be such as {('yes', 'no'): 10}, the cost of answering no where yes is right"
    if not isinstance(given, Mapping):
        raise GnriError(f"{hint}; got {shorten(given)}")
    for pair, cost in given.items():
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise GnriError(f"{hint}; got {shorten(pair)}")
        actual, answered = (find_class(one, labels, "costs" if strict else None) for one in pair)
        number = _read_number(cost, "a cost")
        if number < 0:
            raise GnriError(f"a cost must be 0 or more, got {cost!r}")
        if pair[0] == pair[1]:
            raise GnriError(f"a right answer has no cost, got {cost!r} for {pair!r}; leave it out")
        if actual is not None and answered is not None:
            costs[actual][answered] = number
    uneven = [i for i in kinds if len({costs[i][j] for j in kinds if j != i}) > 1]
    if uneven:
        label = labels[uneven[0]]
        raise GnriError(
            "with three or more classes a cost may depend on the actual class only, as class "
            f"weights do; give the same cost for each answer where {label!r} is right"
        )
    if not any(any(row) for row in costs):
        raise GnriError("all costs are 0, so every answer is as good; give one above 0")
    return tuple(map(tuple, costs))
