"""Tables of numbers, Booleans and categories as atoms in {-1, 0, +1}, for scikit-learn."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags, assert_all_finite, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from gnri.data.discretize import MAX_CATEGORIES, MIN_FREQUENCY, learn_schema, make_settings
from gnri.data.encode import encode
from gnri.data.frames import as_frame, from_frame
from gnri.data.kinds import is_missing
from gnri.data.schema import Above, Schema, atom_name
from gnri.data.table import FEWEST, Table, check_size
from gnri.data.value_counts import count_values
from gnri.errors import GnriError


class Binarizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turn each column into yes-or-no questions, without looking at labels or row order.

    A Boolean column is one atom. A number is compared with thresholds. A category gives one atom
    for each value, or a single atom if there are two values. A missing cell makes its atoms
    unknown (0); a category never seen before makes them false (-1). Columns that are constant or
    all missing give no atom.

    `strategy="auto"` puts thresholds at quantiles, for at most `n_bins` ranges. With None there
    are 10 ranges, and further thresholds 5, 2.5 and 1 % from either end, each only if 20 numbers
    lie beyond it. A table that would get more than 10,000 atoms gets fewer thresholds. If more than
    half of the cells hold one number, such as 0, it gets a range of its own, and the quantiles are
    those of the other numbers. Categories in less than `min_frequency` of the rows, or not among
    the `max_categories` most frequent, are grouped.
    `strategy="median"` is the paper's encoding: one threshold, the median, and every category; it
    ignores `n_bins` and `min_frequency`. Both strategies refuse, as free text, a column with more
    than `max_categories` values of which most are different. `thresholds` gives your own
    thresholds for the named columns.

    After `fit`: `schema_`, the meaning of each atom; `thresholds_`; `blocks_`.

    >>> Binarizer().fit([[1, "a"], [2, "b"], [4, "c"]]).get_feature_names_out().tolist()
    ['x0 > 1', 'x0 > 3', 'x1 = a', 'x1 = b', 'x1 = c']
    """

    def __init__(
        self,
        strategy: str = "auto",
        *,
        n_bins: int | None = None,
        max_categories: int = MAX_CATEGORIES,
        min_frequency: float = MIN_FREQUENCY,
        thresholds: Mapping[str, Sequence[float]] | None = None,
    ) -> None:
        self.strategy = strategy
        self.n_bins = n_bins
        self.max_categories = max_categories
        self.min_frequency = min_frequency
        self.thresholds = thresholds

    def fit(self, X: Any, y: Any = None) -> "Binarizer":  # noqa: ARG002
        """Learn the atoms of the table; `y` is not read."""
        table = from_frame(check_features(self, X, reset=True)).decide()
        counts = [count_values(column) for column in table.values()]
        given = self.get_params()
        strategy, thresholds = given.pop("strategy"), given.pop("thresholds")
        self.columns_ = [one.name for one in counts]
        settings = make_settings(strategy, len(counts), **given)
        self.schema_ = learn_schema(counts, table.rows, settings, thresholds)
        return self

    def transform(self, X: Any) -> NDArray[np.int8]:
        """Return the truth of every atom in every row (rows, atoms): +1, -1, or 0 if unknown."""
        return encode(self.schema_, self.read_columns(X))

    def read_columns(self, X: Any) -> Table:
        """Return the columns that atoms read, under the names they had in `fit`."""
        check_is_fitted(self)
        X = check_features(self, X, reset=False)
        return from_frame(X, self.columns_, only=set(self.schema_.columns))

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> NDArray[Any]:
        """Return the name of each atom, in the names of the columns or in `input_features`."""
        check_is_fitted(self)
        names = self.columns_ if input_features is None else [str(name) for name in input_features]
        if len(names) != len(self.columns_):
            raise GnriError(
                f"input_features should have length equal to the {len(self.columns_)} columns of "
                f"the table, got {len(names)}"
            )
        if hasattr(self, "feature_names_in_") and names != self.columns_:
            raise GnriError("input_features is not equal to feature_names_in_; leave it out")
        called = dict(zip(self.columns_, names, strict=True))
        renamed = (replace(atom, column=called[atom.column]) for atom in self.schema_.atoms)
        return np.array([atom_name(atom) for atom in renamed], dtype=object)

    @property
    def thresholds_(self) -> dict[str, list[float]]:
        """Return the cuts of each numeric column."""
        found: dict[str, list[float]] = {}
        for atom in self.schema_.atoms:
            if isinstance(atom, Above):
                found.setdefault(atom.column, []).append(atom.cut)
        return found

    @property
    def blocks_(self) -> tuple[tuple[int, ...], ...]:
        """Return the atoms of each categorical column with three values or more."""
        schema: Schema = self.schema_
        return schema.blocks

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.transformer_tags.preserves_dtype = []
        return tags


def check_features(estimator: BaseEstimator, X: Any, *, reset: bool) -> Any:
    """Return X as a frame, a Table or an array, checked against what `estimator` was fitted on.

    With `reset`, the estimator learns the number and the names of the columns instead.
    """
    fewest = FEWEST if reset else 1
    frame = None if isinstance(X, Table) else as_frame(X)
    if frame is not None or isinstance(X, Table):
        names = list(X if frame is None else frame.columns)
        check_size(X.rows if frame is None else len(frame), len(names), fewest)
        validate_data(estimator, _Names(names), reset=reset, skip_check_array=True)
        return X
    if isinstance(X, Sequence) and not isinstance(X, str):
        # numpy would turn the numbers of a mixed list into text.
        X = np.asarray(X, dtype=object)
    return validate_data(
        estimator, X, reset=reset, dtype=None, ensure_all_finite=False, ensure_min_samples=fewest
    )


class _Names:
    """The column names of a frame, in the two ways in which scikit-learn reads them.

    From version 1.9 it reads them by narwhals. Older versions use `__dataframe__`, which polars 2
    no longer has, so they would not notice columns in another order.
    """

    def __init__(self, names: list[str], version: Any = None) -> None:
        self.columns = names
        self.shape = (FEWEST, len(names))
        self._version = version

    def __narwhals_dataframe__(self) -> "_Names":
        return self

    def _with_version(self, version: Any) -> "_Names":
        return _Names(self.columns, version)

    def __dataframe__(self) -> "_Names":
        return self

    def column_names(self) -> list[str]:
        return self.columns


def check_target(y: Any) -> NDArray[Any]:
    """Return the labels as an array; raise if a row has none."""
    labels: NDArray[Any] = column_or_1d(y, warn=True)
    if labels.dtype.kind == "f":
        assert_all_finite(labels, input_name="y")
    if labels.dtype.kind == "O":
        missing = [row for row, label in enumerate(labels) if is_missing(label)]
        if missing:
            raise GnriError(f"every row needs a label, but row {missing[0]} has none; drop the row")
    check_classification_targets(labels)
    return labels
