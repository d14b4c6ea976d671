"""Operating points of fitted rules: what each threshold or weight gives on rows held out."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from gnri.errors import GnriError
from gnri.estimator.aims import Aim, Counts
from gnri.formats.expression import tabulate
from gnri.rules.rule_list import RuleList
from gnri.rules.scorecard import Scorecard

if TYPE_CHECKING:
    from gnri.estimator.fitting import Fitted
    from gnri.estimator.targets import Point


def find_points(fitted: "Fitted") -> tuple[dict[str, Any], ...]:
    """Return the points of a fit at a target, or else measure them now."""
    if len(fitted.classes) > 2:
        raise GnriError(
            f"operating points are of two classes, and there are {len(fitted.classes)}; make them "
            "two, one class against all others"
        )
    if fitted.points:
        return fitted.points
    from gnri.counts.counter import Counter
    from gnri.estimator.targets import TargetLearner, list_setups

    rules = fitted.learnt
    counter = Counter.from_values(*fitted.learnt_rows(), len(fitted.classes))
    form = "dnf" if rules.unit is None else "scorecard"
    if fitted.settings.form == "checklist":
        form = "checklist"
    settings = replace(fitted.settings.without_target(), form=form)
    aim = Aim.read(settings, fitted.classes, counter.rows.tolist())
    given = settings, rules.schema, fitted.classes, counter, settings.learner(), fitted.bounds
    learner = TargetLearner(*given)
    setups = list_setups(settings, aim, fitted.classes)
    points = learner.measure(setups if form == "dnf" else setups[:1])
    best = next(one for one in points if one.setup.distance == one.shift == 0)
    return list_points(points, best, rules, aim)


def list_points(
    points: Sequence["Point"], best: "Point", rules: RuleList, aim: Aim
) -> tuple[dict[str, Any], ...]:
    """Return the figures of the points of one form, by total or by weight; none for many classes.

    Of a point table all thresholds are listed, of clauses all weights.
    """
    if len(aim.sizes) > 2:
        return ()
    own, found = aim.subject, []
    table = best.setup.form != "dnf"
    enough = None
    if table and rules.steps:
        (card,) = rules.minimized().rules
        assert isinstance(card, Scorecard), "all rules of a point table are scorecards"
        enough = tabulate(card, rules.schema)[1]
    seen = set[Counts]()
    for point in points:
        if point.setup.form != best.setup.form or (table and point.setup != best.setup):
            continue
        if table and point.counts in seen and point != best:
            continue
        seen.add(point.counts)
        weights = point.setup.copies
        place: dict[str, Any] = {"weight": float(Fraction(weights[own], weights[1 - own]))}
        if table:
            place = {"total": (enough or 0) + (point.shift - best.shift) / 2}
        else:
            place["max_clauses"] = point.setup.lengths[0]
        found.append({**place, **aim.figures(point.counts), "chosen": point == best})
    return tuple(sorted(found, key=lambda one: next(iter(one.values()))))
