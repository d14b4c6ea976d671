"""What a fitted classifier shows of its rules: other rules, sizes, plots, and HTML in notebooks."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from gnri.errors import GnriError
from gnri.estimator.fitting import Fitted

if TYPE_CHECKING:
    from gnri.data.binarizer import Binarizer
    from gnri.estimator.alternatives import Alternative


class Inspection:
    """Methods of a fitted classifier that show its rules, or learn others to compare."""

    fitted_: Fitted
    binarizer_: "Binarizer"

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

        check_is_fitted(self)
        with _progress("looking for alternatives") as report:
            found = find_alternatives(self.fitted_, k, within, report)
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

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """How many more training rows are wrong, as a share, if a column's cells are exchanged.

        Each row gets the cell of a training row drawn at random; this is the mean over all draws,
        computed exactly. A column that the rules do not read has 0.
        """
        from gnri.estimator.importances import measure_importances

        try:
            return measure_importances(self._fitted(), self.binarizer_.columns_)
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
        from gnri.report.notebook import to_html

        return to_html(self.fitted_)

    def _fitted(self) -> Fitted:
        check_is_fitted(self)
        return self.fitted_

    def _learn_path(self, most: int) -> list[dict[str, Any]]:
        from gnri.estimator.alternatives import learn_path

        fitted = self._fitted()
        with _progress("learning rules of each size") as report:
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


@contextmanager
def _progress(stage: str) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar on a terminal, and in a notebook that can draw one; else nothing."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(file=sys.stderr)
    drawn = console.is_terminal or (console.is_jupyter and find_spec("ipywidgets") is not None)
    with Progress(console=console, transient=True, disable=not drawn) as shown:
        bar = shown.add_task(stage, total=None)
        yield lambda done, steps: shown.update(bar, completed=done, total=steps)
