"""Operating points of fitted rules: what each threshold or weight gives on rows held out."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gnri.errors import GnriError

if TYPE_CHECKING:
    from gnri.estimator.fitting import Fitted


def find_points(fitted: "Fitted") -> tuple[dict[str, Any], ...]:
    """Return the points of a fit at a target, or else measure them now."""
    if len(fitted.classes) > 2:
        raise GnriError(
            f"operating points are of two classes, and there are {len(fitted.classes)}; make them "
            "two, one class against all others"
        )
    return fitted.points or measure_points(fitted)


def measure_points(fitted: "Fitted") -> tuple[dict[str, Any], ...]:
    """Return the operating points of the form of fitted rules, by rows held out."""
    from gnri.counts.counter import Counter
    from gnri.estimator.aims import Aim
    from gnri.estimator.targets import TargetLearner, list_points, list_setups

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
