"""The user's table, whatever it came as: names, and columns read when asked for."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
from narwhals.exceptions import DuplicateError
from numpy.typing import NDArray

from gnri.binarizer.column import (
    Column,
    boolean_column,
    category_column,
    number_column,
    object_column,
    refuse_dates,
)
from gnri.errors import GnriError

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

Frame = nw.DataFrame[Any]

FEWEST = 2
"""Rows that a rule can be made of."""


class Table:
    """A frame or an array with its columns in order; `names` stand for them in rules."""

    def __init__(self, data: Frame | NDArray[Any]) -> None:
        self._data = data
        self.rows = len(data)
        if isinstance(data, nw.DataFrame):
            self.names = [str(name) for name in data.columns]
        else:
            self.names = [f"x{i}" for i in range(data.shape[1])]

    def column(self, place: int, name: str) -> Column:
        """The column at `place`, called `name` in messages."""
        if isinstance(self._data, nw.DataFrame):
            return _series_column(name, self._data[:, place])
        return _array_column(name, self._data[:, place])


def checked(estimator: "BaseEstimator", X: Any, *, reset: bool) -> Any:
    """X as a frame or an array, checked against what `estimator` was fitted on.

    With `reset`, the estimator learns the number and the names of the columns instead.
    """
    from sklearn.utils.validation import validate_data

    frame, fewest = _frame(X), FEWEST if reset else 1
    if frame is not None:
        check_size(*frame.shape, fewest)
        validate_data(estimator, _Names(frame.columns), reset=reset, skip_check_array=True)
        return X
    if isinstance(X, Sequence) and not isinstance(X, str):
        # numpy would turn the numbers of a mixed list into text.
        X = np.asarray(X, dtype=object)
    return validate_data(
        estimator, X, reset=reset, dtype=None, ensure_all_finite=False, ensure_min_samples=fewest
    )


def read(X: Any) -> Table:
    """The table in X, as `checked` gave it."""
    frame = _frame(X)
    return Table(X if frame is None else frame)


class _Names:
    """The names of a frame's columns, in the two ways in which scikit-learn asks for them.

    Since 1.9 it asks narwhals. Before, it asked by a protocol that polars 2 has no more, and so
    would not see that a table to predict has its columns in another order.
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


def _frame(X: Any) -> Frame | None:
    try:
        found = nw.from_native(X, eager_only=True, pass_through=True)
    except DuplicateError:
        raise GnriError(
            f"column names must differ, got {_repeated(X)} more than once; rename the columns"
        ) from None
    return found if isinstance(found, nw.DataFrame) else None


def check_size(rows: int, columns: int, fewest: int = FEWEST) -> None:
    """Raise unless there are so many rows, and a column."""
    if rows < fewest or not columns:
        raise GnriError(
            f"the table must have at least {fewest} rows and a column, got {rows} rows and "
            f"{columns} columns"
        )


def _repeated(X: Any) -> str:
    names = list(X.columns)
    return ", ".join(repr(name) for name in dict.fromkeys(names) if names.count(name) > 1)


def _series_column(name: str, series: nw.Series[Any]) -> Column:
    dtype = series.dtype
    if dtype.is_temporal():
        raise refuse_dates(name)
    if dtype.is_numeric():
        return number_column(name, series.cast(nw.Float64).to_numpy())
    cells = _objects(series.to_list())
    if dtype in (nw.Categorical, nw.Enum):
        return category_column(name, cells)
    return object_column(name, cells)


def _array_column(name: str, cells: NDArray[Any]) -> Column:
    if cells.dtype.kind in "mM":
        raise refuse_dates(name)
    if cells.dtype.kind in "iuf":
        return number_column(name, cells)
    if cells.dtype.kind == "b":
        return boolean_column(name, cells)
    return object_column(name, _objects(cells.tolist()))


def _objects(cells: list[Any]) -> NDArray[np.object_]:
    # Filled by hand: numpy would spread cells that are themselves lists over a second axis.
    array = np.empty(len(cells), dtype=object)
    array[:] = cells
    return array
