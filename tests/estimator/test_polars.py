"""A polars frame is read as it is: text, numbers, Booleans, categories and nulls."""

import numpy as np
import polars as pl
import pytest

from gnri.classifier import RuleClassifier
from gnri.data.binarizer import Binarizer
from gnri.errors import GnriError
from tests.estimator.tables import mushrooms

COLUMNS = ["odor", "spore", "height", "rings", "bruises"]


def frame(rows: int, seed: int) -> tuple[pl.DataFrame, pl.Series]:
    """The mushrooms, with a null in some cells of every column."""
    table, labels = mushrooms(rows, seed)
    lost = np.random.default_rng(seed).random((rows, 5)) < 0.05
    kinds = (pl.String, pl.Categorical, pl.Float64, pl.Int64, pl.Boolean)
    cells = {
        name: pl.Series(
            [None if gone or value != value else value for value, gone in zip(*pair, strict=True)],
            dtype=kind,
        )
        for name, kind, *pair in zip(
            COLUMNS, kinds, (table[name].tolist() for name in COLUMNS), lost.T, strict=True
        )
    }
    return pl.DataFrame(cells), pl.Series(labels.tolist())


@pytest.fixture(scope="module")
def learnt() -> RuleClassifier:
    return RuleClassifier(form="dnf").fit(*frame(300, seed=1))


def test_it_learns_and_answers(learnt: RuleClassifier) -> None:
    table, labels = frame(200, seed=2)
    assert learnt.feature_names_in_.tolist() == COLUMNS
    assert learnt.score(table, labels) > 0.85
    assert learnt.to_text().splitlines()[1:3] == ["    odor = foul", "    or spore = green"]


def test_the_rules_are_those_of_the_same_pandas_table(learnt: RuleClassifier) -> None:
    table, labels = frame(300, seed=1)
    again = RuleClassifier(form="dnf").fit(table.to_pandas(), labels.to_pandas())
    assert again.rule_list_ == learnt.rule_list_
    fresh, _ = frame(100, seed=3)
    assert np.array_equal(again.predict(fresh.to_pandas()), learnt.predict(fresh))


def test_columns_in_another_order_are_refused(learnt: RuleClassifier) -> None:
    table, _ = frame(20, seed=2)
    with pytest.raises(ValueError, match="must be in the same order"):
        learnt.predict(table.select(COLUMNS[::-1]))


def test_nulls_leave_atoms_open(learnt: RuleClassifier) -> None:
    nothing = pl.DataFrame({name: [None] for name in COLUMNS})
    assert not learnt.binarizer_.transform(nothing).any()
    _, labels = frame(300, seed=1)
    assert learnt.predict(nothing).tolist() == [labels.mode()[0]]


def test_it_explains_its_answers(learnt: RuleClassifier) -> None:
    table, _ = frame(60, seed=4)
    found = learnt.explain(table)
    assert [why.prediction for why in found] == learnt.predict(table).tolist()
    foul = table["odor"].to_list().index("foul")
    assert "odor = foul" in found[foul].fired["poisonous"]


def test_an_unseen_category_is_answered(learnt: RuleClassifier) -> None:
    table, _ = frame(20, seed=5)
    strange = table.with_columns(pl.lit("purple").alias("odor"))
    assert set(learnt.predict(strange)) <= {"edible", "poisonous"}


@pytest.mark.parametrize(
    ("cells", "atoms"),
    [
        (pl.Series([True, None, False]), ["a"]),
        (pl.Series([1, 2, None], dtype=pl.UInt8), ["a > 1"]),
        (pl.Series(["x", "y", "z"], dtype=pl.Enum(["x", "y", "z"])), ["a = x", "a = y", "a = z"]),
        (pl.Series([1.5, float("nan"), 2.5], dtype=pl.Float32), ["a > 2"]),
        (pl.Series(["1.5", None, "2.5"]).cast(pl.Decimal(4, 2)), ["a > 2"]),
    ],
)
def test_each_type_is_read(cells: pl.Series, atoms: list[str]) -> None:
    table = pl.DataFrame({"a": cells})
    binarizer = Binarizer().fit(table)
    assert binarizer.get_feature_names_out().tolist() == atoms
    known = [cell is not None and cell == cell for cell in cells.to_list()]
    assert (binarizer.transform(table)[:, 0] != 0).tolist() == known


def test_dates_and_lists_are_refused() -> None:
    days = pl.DataFrame({"day": pl.Series(["2026-01-01", "2026-01-02"]).str.to_date()})
    with pytest.raises(GnriError, match="'day' holds dates or times"):
        Binarizer().fit(days)
    with pytest.raises(GnriError, match="'a' holds"):
        Binarizer().fit(pl.DataFrame({"a": [[1], [2]]}))
