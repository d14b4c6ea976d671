"""The labels of a classification task, checked."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.cells import is_missing
from gnri.errors import GnriError
from gnri.tables.cells import MOST_CLASSES


def classes_of(y: Any) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """The classes in order, and the place in it of each row's class, of whatever a user has."""
    from sklearn.utils import column_or_1d
    from sklearn.utils.multiclass import check_classification_targets

    labels = column_or_1d(y, warn=True)
    _check_known(labels)
    check_classification_targets(labels)
    return coded(labels)


def coded(labels: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """The same of labels of which every row has one."""
    classes, codes = np.unique(labels, return_inverse=True)
    if len(classes) < 2:
        raise GnriError(
            f"labels must have at least 2 classes, got 1 class, {classes.tolist()[0]!r}; there is "
            "nothing to tell it from"
        )
    if len(classes) > MOST_CLASSES:
        raise GnriError(
            f"labels must have at most {MOST_CLASSES} classes, got {len(classes)}; if they are "
            "numbers or identifiers, group them into classes first"
        )
    return classes, codes


def _check_known(labels: NDArray[Any]) -> None:
    from sklearn.utils import assert_all_finite

    if labels.dtype.kind == "f":
        assert_all_finite(labels, input_name="y")
    if labels.dtype.kind == "O":
        missing = [row for row, label in enumerate(labels) if is_missing(label)]
        if missing:
            raise GnriError(f"every row needs a label, got none in row {missing[0]}; drop the row")
