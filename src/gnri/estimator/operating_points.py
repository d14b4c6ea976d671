"""`operating_points()` of a classifier: what each threshold or weight gives on rows held out."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gnri.errors import GnriError

if TYPE_CHECKING:
    from gnri.estimator.fitting import Fitted


class OperatingPointsMixin:
    """The operating points of a fitted classifier, as a table and as a plot."""

    fitted_: "Fitted"

    def operating_points(self) -> Any:
        """Return what each threshold of points, or weight of a class, gives on rows held out.

        `total` is how many points are enough, `weight` what a row of the class counts beside one of
        the other. `precision` and `recall` are of the class that has a floor, or of the rarer one;
        `rows` are answered so, `cost` is that of all errors. `chosen` is the point of the rules.
        It is a pandas DataFrame, or a list of dictionaries without pandas.
        """
        rows = [dict(one) for one in _find_points(self)]
        try:
            import pandas
        except ImportError:
            return rows
        return pandas.DataFrame(rows)

    def plot_operating_points(self, ax: Any = None) -> Any:
        """Draw precision over recall of these points, the chosen one marked; return the axes."""
        points = _find_points(self)
        if ax is None:
            try:
                from matplotlib import pyplot
            except ImportError:
                raise GnriError("a plot needs matplotlib; pip install 'gnri[plots]'") from None
            _, ax = pyplot.subplots()
        drawn = [one for one in points if one["precision"] is not None]
        drawn.sort(key=lambda one: (one["recall"], -one["precision"]))
        ax.plot(*_places(drawn), "o-" if "total" in points[0] else "o", color="0.5", markersize=4)
        chosen = [one for one in drawn if one["chosen"]]
        ax.plot(*_places(chosen), "o", color="#D55E00", markersize=9, label="chosen")
        name = "total" if "total" in points[0] else "weight"
        for one in chosen:
            place = one["recall"], one["precision"]
            text = f"{name} {one[name]:g}"
            ax.annotate(text, place, (6, 6), textcoords="offset points")
        ax.set(xlabel="recall on rows held out", ylabel="precision", xlim=(0, 1.02), ylim=(0, 1.05))
        return ax


def _places(points: list[dict[str, Any]]) -> tuple[list[float], list[float]]:
    return [one["recall"] for one in points], [one["precision"] for one in points]


def _find_points(classifier: OperatingPointsMixin) -> tuple[dict[str, Any], ...]:
    """Return the points of a fit at a target, or else measure them now."""
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(classifier)
    fitted = classifier.fitted_
    if len(fitted.classes) > 2:
        raise GnriError(
            f"operating points are of two classes, and there are {len(fitted.classes)}; make them "
            "two, one class against all others"
        )
    if fitted.points:
        return fitted.points
    return measure_points(fitted)


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
    points = learner.measure(list_setups(settings, aim, fitted.classes))
    best = next(one for one in points if one.setup.distance == one.shift == 0)
    return list_points(points, best, rules, aim)
