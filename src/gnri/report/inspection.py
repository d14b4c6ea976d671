"""What a fitted classifier shows of its rules: exports, reports, other rules, plots, notebooks."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from gnri.errors import GnriError
from gnri.estimator.fitting import Fitted
from gnri.estimator.summary import summarize
from gnri.formats import render

if TYPE_CHECKING:
    from gnri.data.binarizer import Binarizer
    from gnri.data.table import Table
    from gnri.estimator.alternatives import Alternative
    from gnri.report.monitoring import WatchReport


class Inspection:
    """Methods of a fitted classifier that show its rules, or learn others to compare."""

    fitted_: Fitted
    binarizer_: "Binarizer"
    predict: Callable[[Any], NDArray[Any]]
    _columns: "Callable[[Any], Table]"

    def report(
        self,
        path: str | Path,
        *,
        test: tuple[Any, Any] | None = None,
        folds: int | None = None,
        points_scale: Sequence[float] | None = None,
    ) -> Path:
        """Write a self-contained HTML page about the rules and the evidence for them.

        It begins with the accuracy in cross-validation: 5 `folds` by default, or fewer for very few
        rows; 0 leaves it out. The page has the confusion matrix on `test`, a pair (X, y). It also
        has a symmetry check; all in all it takes as long as about ten fits. A classifier that was
        pickled no longer has its training table, so its report has neither cross-validation nor the
        symmetry check. `points_scale` is as in `to_text`.
        """
        from gnri.estimator.cross_validation import estimate
        from gnri.report.facts import gather_facts
        from gnri.report.page import write_page

        fitted, answers = self._fitted(), None
        if test is not None:
            answers = np.asarray(test[1]).tolist(), self.predict(test[0]).tolist()
        facts = gather_facts(fitted, estimate(fitted, folds=folds), test=answers)
        return write_page(facts, Path(path), points_scale)

    def watch(
        self, X: Any, y: Any = None, *, by: Any = 12, folds: int = 5, **limits: float
    ) -> "WatchReport":
        """Return what changed between the training rows and the rows of X.

        The report has `alarms`, the limits that were crossed, and `broke_first`, the clause that
        broke first; `to_text()`, `to_json()` and `save("page.html")` show it. `y` has the labels,
        None where there is none yet. `by` is a number of slices in the order of the rows, or a date
        or value for each row. `limits` are `alpha`, `psi`, `drop`, `missing`, `unseen`, `outside`.

        With labels, the rules are cross-validated with so many `folds`, since rules are right less
        often on rows that they were not learnt from; 0 leaves that out.
        """
        from gnri.report.change_checks import Limits
        from gnri.report.monitoring import watch_fitted

        fitted = self._fitted()
        return watch_fitted(fitted, self._columns(X), y, by, folds, Limits(**limits))

    def summary(self, width: int = 100) -> str:
        """Return the statistics of each rule and clause on the training rows, as plain text."""
        fitted = self._fitted()
        return summarize(fitted.statistics, width, weighted=fitted.total_copies is not None)

    def to_text(self, *, points_scale: Sequence[float] | None = None) -> str:
        """Return the rules in words.

        `points_scale` writes a point table in other units: a score, the odds at that score, and
        the points that double the odds, such as (600, 50, 20).
        """
        return self._render("text", points_scale=points_scale)

    def to_json(self) -> str:
        """Return the rules as induced, for `gnri.rules.documents.from_json` to read back."""
        return render(self._fitted().rule_list, "json")

    def to_sql(self, table: str) -> str:
        """Return a statement that adds the column `prediction` to the rows of `table`."""
        return self._render("sql", table=table)

    def to_python(self) -> str:
        """Return the source of a function that takes a row and needs no package."""
        return self._render("python")

    def to_pandas(self) -> str:
        """Return the source of a function that takes a pandas frame."""
        return self._render("pandas")

    def to_javascript(self) -> str:
        """Return an ES module that exports `predict(row)` and imports nothing."""
        return self._render("javascript")

    def to_prolog(self) -> str:
        """Return a Prolog program."""
        return self._render("prolog")

    def to_dmn(self) -> str:
        """Return decision tables in DMN 1.3, for engines of business rules."""
        return self._render("dmn")

    def to_pmml(self) -> str:
        """Return a PMML 4.4 document, for engines that score models."""
        return self._render("pmml", training=self._fitted().training_summary())

    def to_latex(self, *, points_scale: Sequence[float] | None = None) -> str:
        """Return the rules as LaTeX lists; `points_scale` is as in `to_text`."""
        return self._render("latex", points_scale=points_scale)

    def to_frame(self) -> Any:
        """Return a row for each literal, as a pandas DataFrame, or as a list without pandas."""
        from gnri.formats.literal_frame import to_frame

        return to_frame(self._fitted().minimized)

    def alternatives(self, k: int = 5, within: float = 0.01) -> "list[Alternative]":
        """Return the k best rules that read other columns and are nearly as good on unseen rows.

        They are learnt without one of the columns that the rule reads, without two of those that it
        can do without, and without all of them. Each is cross-validated on the same folds as the
        rule, and gets at most a share of `within` of the rows less right. The best comes first, of
        equally good ones the one with the fewest conditions. Rules that tie with the last in rows,
        conditions, clauses and columns are returned too. `classifier` of each is a fitted
        classifier; `accuracy`, `balanced_accuracy`, `columns` and `lost` are figures of it.

        This takes as long as six fits for each column of the rule, and for each pair, of which
        there are at most 15.
        """
        from gnri.estimator.alternatives import find_alternatives

        fitted = self._fitted()
        with show_progress("looking for alternatives") as report:
            found = find_alternatives(fitted, k, within, report)
        return [replace(one, classifier=self._with(one.fitted)) for one in found]

    def path(self, most: int = 12) -> Any:
        """Return the best rule of each number of conditions up to `most`, and last the rule itself.

        It is a pandas DataFrame, or a list of dictionaries without pandas: `conditions`, `clauses`
        (or lines), `held_out` accuracy by cross-validation, `training` accuracy, the share of the
        largest class (`majority`), and the `rule` in words. A row is what some `max_conditions`
        learns: of equally long rules the one with most training rows right. A length that none of
        them has is left out. This takes about six fits for each row.
        """
        from gnri.formats.literal_frame import make_frame

        columns = ("conditions", "clauses", "held_out", "training", "majority", "rule")
        return make_frame(self._learn_path(most), columns)

    def plot_rule(self, ax: Any = None) -> Any:
        """Draw each clause with its rows and precision, or the points of each range or value.

        Return the Axes of matplotlib, which can be given as `ax`. So do the other plots.
        """
        return _plots().plot_rule(self._fitted(), ax)

    def plot_coverage(self, ax: Any = None) -> Any:
        """Draw which training rows each clause covers, by class, and which are predicted wrong."""
        return _plots().plot_coverage(self._fitted(), ax)

    def plot_path(self, most: int = 12, ax: Any = None) -> Any:
        """Draw held-out and training accuracy against the number of conditions; see `path`."""
        plots = _plots()  # first, as the path takes time
        return plots.plot_path(self._learn_path(most), ax)

    def operating_points(self) -> Any:
        """Return what each threshold of points, or weight of a class, gives on rows held out.

        `total` is how many points are enough, `weight` what a row of the class counts beside one of
        the other. `precision` and `recall` are of the class that has a floor, or of the rarer one;
        `rows` are answered so, `cost` is that of all errors. `chosen` is the point of the rules.
        Each row counts once; with an objective, floors or costs, as often as `sample_weight` says.
        It is a pandas DataFrame, or a list of dictionaries without pandas.
        """
        from gnri.estimator.aims import find_points
        from gnri.formats.literal_frame import make_frame

        points = find_points(self._fitted())
        return make_frame([dict(one) for one in points], list(points[0]))

    def plot_operating_points(self, ax: Any = None) -> Any:
        """Draw precision over recall of `operating_points`, the chosen one marked."""
        from gnri.estimator.aims import find_points

        return _plots().plot_operating_points(find_points(self._fitted()), ax)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """How many more training rows are wrong, as a share, if a column's cells are exchanged.

        Each row gets the cell of a training row drawn at random; this is the mean over all draws,
        computed exactly. A column that the rules do not read has 0.
        """
        from gnri.estimator.leaf_counts import measure_importances

        fitted = self._fitted()
        try:
            return measure_importances(fitted.rule_list, *fitted.rows(), self.binarizer_.columns_)
        except GnriError as error:
            raise AttributeError(str(error)) from None

    @property
    def _repr_html_(self) -> Callable[[], str]:
        # scikit-learn raises AttributeError here if it is set to show text alone.
        usual: Callable[[], str] = super()._repr_html_  # type: ignore[misc]
        return self._to_html if hasattr(self, "fitted_") else usual

    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:
        found: dict[str, str] = super()._repr_mimebundle_(**options)  # type: ignore[misc]
        if "text/html" in found and hasattr(self, "fitted_"):
            found["text/html"] = self._to_html()
        return found

    def _to_html(self) -> str:
        from gnri.report.page import to_html

        return to_html(self.fitted_)

    def _render(self, format_name: str, **options: Any) -> str:
        return render(self._fitted().minimized, format_name, **options)

    def _fitted(self) -> Fitted:
        check_is_fitted(self)
        return self.fitted_

    def _learn_path(self, most: int) -> list[dict[str, Any]]:
        from gnri.estimator.alternatives import learn_path

        fitted = self._fitted()
        with show_progress("learning rules of each size") as report:
            return learn_path(fitted, most, report)

    def _with(self, fitted: Fitted) -> Any:
        """Return a classifier with other rules for the same columns."""
        found = copy(self)
        found.fitted_, found.binarizer_ = fitted, copy(self.binarizer_)
        found.binarizer_.schema_ = fitted.schema
        return found


def _plots() -> Any:
    """Return the module of the plots; raise if there is no matplotlib."""
    if find_spec("matplotlib") is None:
        raise GnriError("plots need matplotlib; install it with: pip install 'gnri[plots]'")
    return import_module("gnri.report.plots")


LONG = 2.0
"""Seconds after which a fit shows a progress bar."""


@contextmanager
def show_progress(stage: str, after: float = 0.0) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar on a terminal, and in a notebook that can draw one; else nothing.

    It is shown `after` so many seconds, if the work is not done by then.
    """
    if not sys.stderr.isatty() and "IPython" not in sys.modules:
        yield lambda *_: None  # scripts do without the packages that draw
        return
    from threading import Timer

    from rich.console import Console
    from rich.progress import Progress

    console = Console(file=sys.stderr)
    drawn = console.is_terminal or (console.is_jupyter and find_spec("ipywidgets") is not None)
    shown = Progress(console=console, transient=True, disable=not drawn)
    bar, timer = shown.add_task(stage, total=None), Timer(after, shown.start)
    timer.start()
    try:
        yield lambda done, steps: shown.update(bar, completed=done, total=steps)
    finally:
        timer.cancel()
        timer.join()
        shown.stop()
