"""Typed columns by name, in the form that the classifier reads."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Frame:
    """Columns by name: numbers with NaN, Booleans, or Python objects with None where missing.

    `RuleClassifier` takes frames that narwhals knows. This is one, by the protocol that narwhals
    has for other libraries, so that tables out of files need neither pandas nor polars; only what
    reading columns takes is there. `RuleSet.predict` takes the plain mapping `cells`.

    >>> frame = Frame({"age": np.array([30.0, 41.0]), "odor": np.array(["foul", None], object)})
    >>> frame.shape, frame.take(np.array([1])).cells["age"].tolist()
    ((2, 2), [41.0])
    """

    def __init__(self, cells: Mapping[str, NDArray[Any]], version: Any = None) -> None:
        self.cells = dict(cells)
        self._version = version

    def __len__(self) -> int:
        return len(next(iter(self.cells.values()), ()))

    @property
    def columns(self) -> list[str]:
        return list(self.cells)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self), len(self.cells)

    def take(self, rows: NDArray[Any]) -> "Frame":
        """The rows of these numbers, or those marked True."""
        return Frame({name: cells[rows] for name, cells in self.cells.items()})

    def get_column(self, name: str) -> "_Series":
        return _Series(self.cells[name], self._version)

    def __narwhals_dataframe__(self) -> "Frame":
        return self

    def _with_version(self, version: Any) -> "Frame":
        return Frame(self.cells, version)


class _Series:
    """One column, as narwhals reads it."""

    def __init__(self, cells: NDArray[Any], version: Any) -> None:
        self._cells, self._version = cells, version

    @property
    def dtype(self) -> Any:
        import narwhals

        numeric = self._cells.dtype.kind in "iuf"
        return narwhals.Float64() if numeric else narwhals.Object()

    def cast(self, dtype: Any) -> "_Series":  # noqa: ARG002 - only Float64 is ever asked for
        return _Series(self._cells.astype(np.float64), self._version)

    def to_numpy(self, *_: Any, **__: Any) -> NDArray[Any]:
        return self._cells

    def to_list(self) -> list[Any]:
        cells: list[Any] = self._cells.tolist()
        return cells

    def __narwhals_series__(self) -> "_Series":
        return self

    def _with_version(self, version: Any) -> "_Series":
        return _Series(self._cells, version)
