"""Tables of numbers, Booleans and categories as atoms in {-1, 0, +1}."""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from gnri.binarizer.column import plain_cells
from gnri.binarizer.learn import (
    MAX_CATEGORIES,
    MIN_SHARE,
    Settings,
    check_known,
    learn_schema,
    schema_of,
    settings_of,
    thresholds,
    truths,
)
from gnri.binarizer.reading import as_read_by
from gnri.binarizer.table import checked, read
from gnri.data.schema import Above, Schema, atom_name
from gnri.errors import GnriError


class Binarizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turn each column into yes-or-no questions, without looking at labels or row order.

    A Boolean column is an atom as it is, a number is compared with cuts, a category gives one
    atom for each value (one for both, where there are two). A missing cell leaves its atoms
    unknown, 0; a category never seen before makes them false, -1. Columns that are constant or
    all missing give no atom.

    `strategy="auto"` cuts numbers at up to `cuts` quantiles: 9 if it is None, and then, where 20
    numbers or more lie beyond, also 5, 2.5 and 1 % from either end. (Fewer in a table so wide that
    they would come to more than 10,000, but one at least.) A number that most cells hold, such as
    0, is told from all others, and the quantiles are those of the others. It groups the categories
    that are in less than `min_share` of the rows or beyond the `max_categories` most frequent.
    `strategy="median"` is the paper's encoding, one cut at the median and every category kept:
    there `cuts` and `min_share` say nothing. In both, text with more than `max_categories` values,
    most of them different, is refused as free text. `given_cuts` replaces the cuts of the named
    columns by your own.

    After `fit`: `schema_`, what each atom means; `cuts_`, the cuts of each numeric column;
    `blocks_`, which atoms are the values of one categorical column.

    >>> Binarizer().fit([[1, "a"], [2, "b"], [4, "c"]]).get_feature_names_out().tolist()
    ['x0 > 1', 'x0 > 3', 'x1 = a', 'x1 = b', 'x1 = c']
    """

    def __init__(
        self,
        strategy: str = "auto",
        *,
        cuts: int | None = None,
        max_categories: int = MAX_CATEGORIES,
        min_share: float = MIN_SHARE,
        given_cuts: Mapping[str, Sequence[float]] | None = None,
    ) -> None:
        self.strategy = strategy
        self.cuts = cuts
        self.max_categories = max_categories
        self.min_share = min_share
        self.given_cuts = given_cuts

    def fit(self, X: Any, y: Any = None) -> "Binarizer":  # noqa: ARG002
        """Learn the atoms of the table; `y` is not read."""
        table = read(checked(self, X, reset=True))
        settings = self._settings(len(table.names))
        self.schema_ = learn_schema(table, settings, self.given_cuts)
        self.columns_ = table.names
        return self

    def transform(self, X: Any) -> NDArray[np.int8]:
        """The truth of every atom in every row (rows, atoms): +1, -1, or 0 where unknown."""
        check_is_fitted(self)
        return truths(self.schema_, read(checked(self, X, reset=False)), self.columns_)

    def read_columns(self, X: Any) -> dict[str, NDArray[Any]]:
        """The columns that atoms read, by name: numbers with NaN, others with None, if missing."""
        check_is_fitted(self)
        table = read(checked(self, X, reset=False))
        place = {name: i for i, name in enumerate(self.columns_)}
        readers = {atom.column: atom for atom in self.schema_.atoms}
        return {
            name: plain_cells(as_read_by(atom, table.column(place[name], name)))
            for name, atom in readers.items()
        }

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> NDArray[Any]:
        """The name of each atom, in the names of the columns or in `input_features`."""
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

    def with_cuts(self, column: str, cuts: Sequence[float]) -> "Binarizer":
        """A copy, fitted too, that cuts the numeric `column` at `cuts` and nowhere else.

        The copy keeps the cuts when it is cloned or fitted again.
        """
        check_is_fitted(self)
        check_known([column], list(self.cuts_))
        own, edited = thresholds(column, cuts), copy(self)
        edited.given_cuts = {**(self.given_cuts or {}), column: [atom.cut for atom in own]}
        atoms = list(self.schema_.atoms)
        first = next(i for i, atom in enumerate(atoms) if atom.column == column)
        kept = [atom for atom in atoms if atom.column != column]
        edited.schema_ = schema_of([*kept[:first], *own, *kept[first:]])
        return edited

    @property
    def cuts_(self) -> dict[str, list[float]]:
        """The cuts of each numeric column; see `with_cuts` to change them."""
        found: dict[str, list[float]] = {}
        for atom in self.schema_.atoms:
            if isinstance(atom, Above):
                found.setdefault(atom.column, []).append(atom.cut)
        return found

    @property
    def blocks_(self) -> tuple[tuple[int, ...], ...]:
        """The atoms of each categorical column with three values or more."""
        schema: Schema = self.schema_
        return schema.blocks

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.transformer_tags.preserves_dtype = []
        return tags

    def _settings(self, columns: int) -> Settings:
        return settings_of(
            self.strategy,
            columns,
            cuts=self.cuts,
            max_categories=self.max_categories,
            min_share=self.min_share,
        )
