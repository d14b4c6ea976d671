"""Tables from OpenML, with a stand-in for its answers."""

import warnings
from collections.abc import Callable
from types import SimpleNamespace
from urllib.error import URLError

import numpy as np
import pandas as pd
import pytest
import sklearn.datasets

from gnri.errors import GnriError
from studies.datasets import Dataset, load
from studies.datasets.openml import CATALOGUE, Entry, content_checksum

OURS = Dataset(
    "vote",
    ("age", "colour", "flag"),
    (("1.5", "red", "1"), ("", "blue", "0"), ("2", "red", "1"), ("7", "", "1")),
    ("no", "yes", "no", "yes"),
    ("numeric", "categorical", "binary"),
    "here",
)
ENTRY = Entry(56, OURS.kinds, {"no": 2, "yes": 2}, 4, 2, content_checksum(OURS))


def frame() -> pd.DataFrame:
    colours = pd.Categorical(["'r'", "'b'", "'r'", None])
    return pd.DataFrame(
        {"Age": [1.5, np.nan, 2.0, 7.0], "Colour": colours, "Flag": [1.0, 0.0, 1.0, 1.0]}
    )


@pytest.fixture
def answer(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Set what OpenML answers to the number of `vote`."""
    monkeypatch.delenv("GNRI_DATA", raising=False)
    monkeypatch.setitem(CATALOGUE, "vote", ENTRY)

    def set_answer(data: pd.DataFrame, target: list[str]) -> None:
        def fetch(*, data_id: int, **_: object) -> SimpleNamespace:
            assert data_id == 56
            return SimpleNamespace(data=data, target=pd.Series(pd.Categorical(target)))

        monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch)

    return set_answer


def test_the_same_content_under_other_names(answer) -> None:
    answer(frame(), ["b", "g", "b", "g"])
    found = load("vote")
    assert found.origin == "OpenML 56"
    assert found.labels == OURS.labels
    assert found.columns == ("Age", "Colour", "Flag")
    assert found.rows == (("1.5", "r", "1"), ("", "b", "0"), ("2", "r", "1"), ("7", "", "1"))


def test_other_content_of_the_same_shape_is_told(answer) -> None:
    answer(frame().iloc[::-1], ["g", "b", "g", "b"])
    assert load("vote").origin == "OpenML 56, not in content the same as the benchmark's"


@pytest.mark.parametrize(
    ("data", "target", "message"),
    [
        (frame(), ["b", "b", "b", "g"], r"classes must be {'no': 2, 'yes': 2}, got {'no': 3"),
        (frame(), ["a", "b", "c", "c"], "classes must be"),
        (frame().iloc[:2], ["b", "g"], "classes must be"),
        (frame().drop(columns="Flag"), ["b", "g", "b", "g"], "columns must be 3, got 2"),
        (frame().fillna({"Age": 3.0}), ["b", "g", "b", "g"], "missing cells must be 2, got 1"),
        (frame().assign(Colour=["a", "b", "c", None]), ["b", "g", "b", "g"], "atoms must be 4"),
    ],
)
def test_another_table_is_refused(answer, data, target, message) -> None:
    answer(data, target)
    with pytest.raises(GnriError, match=message):
        load("vote")


def test_no_network_is_one_line(answer, monkeypatch: pytest.MonkeyPatch) -> None:
    def fetch(**_: object) -> None:
        # Every warning fails a test here; scikit-learn gives this one.
        warnings.warn("A network error occurred while downloading it. Retrying...", stacklevel=2)
        raise URLError("no route to host")

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch)
    with pytest.raises(GnriError, match=r"vote comes from OpenML \(number 56\).*--data-dir"):
        load("vote")


def test_every_entry_counts_its_columns() -> None:
    numbers = [entry.openml for entry in CATALOGUE.values()]
    assert len(set(numbers)) == len(numbers) == 13
    assert CATALOGUE["spambase"].kinds == ("numeric",) * 57
    assert CATALOGUE["ionosphere"].kinds == ("binary",) + ("numeric",) * 33
