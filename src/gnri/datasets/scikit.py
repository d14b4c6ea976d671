"""Tables that come with scikit-learn, all of numbers."""

from typing import Any

from gnri.datasets.dataset import Dataset

LOADERS = {
    "iris": "load_iris",
    "wine": "load_wine",
    "breast-cancer": "load_breast_cancer",
    "digits": "load_digits",
}


def scikit(name: str) -> Dataset:
    """The table as text; a float is written so that it is read back exactly.

    >>> scikit("iris").class_counts
    {'setosa': 50, 'versicolor': 50, 'virginica': 50}
    """
    from sklearn import datasets

    bunch: Any = getattr(datasets, LOADERS[name])()
    columns = tuple(str(column) for column in bunch.feature_names)
    rows = tuple(tuple(repr(float(cell)) for cell in row) for row in bunch.data)
    labels = tuple(str(bunch.target_names[code]) for code in bunch.target)
    return Dataset(name, columns, rows, labels, ("numeric",) * len(columns), "scikit-learn")
