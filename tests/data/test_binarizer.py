"""Tables of every make to atoms and back to their meaning."""

import pickle
from datetime import date

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnri.data.binarizer import Binarizer
from gnri.data.discretize import MANY_ATOMS
from gnri.data.schema import Above, Atom, Equals, IsTrue, OneOf
from gnri.errors import GnriError

FRAME = pd.DataFrame(
    {
        "age": [20, 30, 40, 50],
        "weight": [60.5, np.nan, 80.0, 70.0],
        "odor": ["foul", None, "none", "sweet"],
        "smoker": [True, False, True, False],
        "sick": pd.Series([True, None, False, True], dtype=object),
        "empty": [None] * 4,
        "same": ["a"] * 4,
    }
)
CELLS = st.one_of(st.none(), st.sampled_from([0, 1, 2, 2.5, -3]))
TABLES = st.lists(st.tuples(CELLS, CELLS, st.sampled_from(["a", "b", "c", None])), min_size=2)


def meaning(atom: Atom, cell: object) -> int:
    """The slow, obvious reading of one atom in one cell."""
    if cell is None or cell != cell:
        return 0
    match atom:
        case Above(_, cut):
            holds = float(cell) > cut
        case Equals(_, value):
            holds = cell == value
        case OneOf(_, values):
            holds = cell in values
        case IsTrue(_):
            holds = bool(cell)
    return 1 if holds else -1


def test_a_frame_of_all_kinds() -> None:
    binarizer = Binarizer("median").fit(FRAME)
    assert binarizer.schema_.names == [
        "age > 35",
        "weight > 70",
        "odor = foul",
        "odor = none",
        "odor = sweet",
        "smoker",
        "sick",
    ]
    assert binarizer.blocks_ == ((2, 3, 4),)
    assert binarizer.thresholds_ == {"age": [35.0], "weight": [70.0]}
    assert binarizer.transform(FRAME).tolist() == [
        [-1, -1, 1, -1, -1, 1, 1],
        [-1, 0, 0, 0, 0, -1, 0],
        [1, 1, -1, 1, -1, 1, -1],
        [1, -1, -1, -1, 1, -1, 1],
    ]


@given(TABLES)
def test_transform_means_what_the_schema_says(rows: list[tuple[object, ...]]) -> None:
    try:
        binarizer = Binarizer().fit(rows)
    except GnriError as error:
        assert "constant or all missing" in str(error)
        return
    atoms = binarizer.schema_.atoms
    expected = [[meaning(atom, row[int(atom.column[1:])]) for atom in atoms] for row in rows]
    values = binarizer.transform(rows)
    assert values.dtype == np.int8
    assert values.tolist() == expected
    assert all({1, -1} <= set(column) for column in values.T.tolist())


@given(TABLES, st.randoms())
def test_row_order_does_not_matter(rows: list[tuple[object, ...]], random) -> None:
    shuffled = list(rows)
    random.shuffle(shuffled)
    try:
        schema = Binarizer().fit(rows).schema_
    except GnriError:
        return
    assert Binarizer().fit(shuffled).schema_ == schema


@pytest.mark.parametrize("strategy", ["auto", "median"])
def test_the_make_of_the_table_does_not_matter(strategy: str) -> None:
    rows = [[1.5, "a", True], [2.5, "b", False], [None, "c", None], [9.0, None, True]]
    frame = pd.DataFrame(rows, columns=["x0", "x1", "x2"])
    kinds = frame.astype({"x0": "Float64", "x1": "category", "x2": "boolean"})
    fitted = [Binarizer(strategy).fit(X) for X in (rows, np.array(rows, object), frame, kinds)]
    assert len({one.schema_ for one in fitted}) == 1
    tables = (rows, np.array(rows, object))
    assert np.array_equal(*(one.transform(X) for one, X in zip(fitted[:2], tables, strict=True)))
    assert np.array_equal(fitted[2].transform(frame), fitted[0].transform(rows))
    assert np.array_equal(fitted[2].transform(kinds), fitted[0].transform(rows))


def test_text_arrays_are_categories() -> None:
    assert Binarizer().fit(np.array([["a"], ["b"], ["c"]])).blocks_ == ((0, 1, 2),)


def test_declared_categories_may_be_numbers() -> None:
    frame = pd.DataFrame({"code": pd.Categorical([1, 2, 3, None])})
    binarizer = Binarizer().fit(frame)
    assert binarizer.schema_.atoms == tuple(Equals("code", code) for code in (1, 2, 3))
    assert binarizer.transform(pd.DataFrame({"code": [2, 7]})).tolist() == [[-1, 1, -1], [-1] * 3]


def test_an_unseen_category_is_none_of_the_known() -> None:
    binarizer = Binarizer().fit([["a"], ["b"], ["c"]])
    assert binarizer.transform([["z"], [None]]).tolist() == [[-1, -1, -1], [0, 0, 0]]


def test_numbers_out_of_range_and_infinite_are_compared() -> None:
    binarizer = Binarizer().fit([[1.0], [2.0], [3.0]])
    assert binarizer.transform([[np.inf], [-np.inf]]).tolist() == [[1, 1], [-1, -1]]


def test_an_all_missing_column_is_unknown_whatever_its_type() -> None:
    binarizer = Binarizer().fit(FRAME)
    values = binarizer.transform(FRAME.assign(age=None, odor=np.nan, smoker=None))
    known = {name for i, name in enumerate(binarizer.schema_.names) if values[:, i].any()}
    assert {name.split()[0] for name in known} == {"weight", "sick"}


def test_booleans_may_come_as_zero_and_one() -> None:
    binarizer = Binarizer().fit(np.array([[True], [False]]))
    assert binarizer.transform(np.array([[0.0], [1.0], [np.nan]])).tolist() == [[-1], [1], [0]]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"age": ["old"] * 4}, "'age' must hold numbers, got 'old' in row 0"),
        ({"odor": [1, 2, 3, 4]}, "'odor' must hold text, got 1.0 in row 0"),
        ({"smoker": [0, 1, 2, 3]}, "'smoker' must hold Booleans .* got 2.0 in row 2"),
    ],
)
def test_a_column_that_changed_its_kind_is_refused(change: dict, message: str) -> None:
    with pytest.raises(GnriError, match=message):
        Binarizer().fit(FRAME).transform(FRAME.assign(**change))


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (pd.to_datetime(["2020-01-01", "2021-01-01"]), "'odd' holds dates or times"),
        ([date(2020, 1, 1), None], "'odd' holds dates or times"),
        ([1, "one"], "'odd' holds int, str, not one kind throughout; .* convert it to one kind"),
        ([{"a": 1}, None], "'odd' holds dict"),
        ([[1], [2, 3]], "'odd' holds list"),
        ([1.0, np.inf], "'odd' holds inf in row 1"),
        (["a", "a"], "each of its 1 columns is constant or all missing in the 2 rows"),
        ([None, None], "each of its 1 columns is constant or all missing in the 2 rows"),
    ],
)
def test_a_column_that_cannot_be_used_is_named(column: object, message: str) -> None:
    with pytest.raises(GnriError, match=message):
        Binarizer().fit(pd.DataFrame({"odd": column}))


def test_free_text_is_named() -> None:
    with pytest.raises(GnriError, match="'notes' holds 200 different values"):
        Binarizer().fit(pd.DataFrame({"notes": [f"note {i}" for i in range(200)]}))


def test_numpy_dates_are_refused() -> None:
    days = np.array([["2020-01-01"], ["2020-01-02"]], dtype="datetime64[D]")
    with pytest.raises(GnriError, match="'x0' holds dates or times"):
        Binarizer().fit(days)


def test_duplicate_names_are_refused() -> None:
    with pytest.raises(GnriError, match="must differ, got 'a' more than once"):
        Binarizer().fit(pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]))


def test_atoms_that_would_share_a_name_are_refused() -> None:
    frame = pd.DataFrame({"a": ["b = c", "x", "y"], "a = b": ["c", "x", "y"]})
    with pytest.raises(GnriError, match="two are called 'a = b = c'"):
        Binarizer().fit(frame)


def test_an_empty_frame_is_refused() -> None:
    with pytest.raises(GnriError, match="at least 2 rows and a column, got 0 rows and 7 columns"):
        Binarizer().fit(FRAME[:0])


def test_other_columns_are_refused() -> None:
    with pytest.raises(ValueError, match="feature names should match"):
        Binarizer().fit(FRAME).transform(FRAME.assign(more=1))


@pytest.mark.parametrize(
    "wrong",
    [
        {"strategy": "mean"},
        {"n_bins": 1},
        {"n_bins": 2.5},
        {"max_categories": True},
        {"min_frequency": 1},
        {"thresholds": {"height": [1]}},
        {"thresholds": {"odor": [1]}},
        {"thresholds": {"age": [np.nan]}},
        {"thresholds": {"age": []}},
    ],
)
def test_a_wrong_setting_is_refused(wrong: dict) -> None:
    with pytest.raises(GnriError, match=r"must be|thresholds were given|only numbers"):
        Binarizer(**wrong).fit(FRAME)


def test_output_can_be_a_frame() -> None:
    out = Binarizer().set_output(transform="pandas").fit_transform(FRAME)
    assert list(out.columns) == Binarizer().fit(FRAME).schema_.names
    assert set(out.dtypes) == {np.dtype(np.int8)}


def test_names_of_an_array_can_be_given_later() -> None:
    binarizer = Binarizer().fit([[1, "a"], [2, "b"]])
    assert binarizer.get_feature_names_out(["age", "kind"]).tolist() == ["age > 1", "kind = b"]


def test_it_can_be_pickled() -> None:
    binarizer = Binarizer().fit(FRAME)
    again = pickle.loads(pickle.dumps(binarizer))
    assert again.schema_ == binarizer.schema_
    assert np.array_equal(again.transform(FRAME), binarizer.transform(FRAME))


def test_a_wide_table_gets_fewer_cuts() -> None:
    table = np.arange(30.0)[:, None] * np.ones(MANY_ATOMS)
    assert len(Binarizer().fit(table).schema_.atoms) == MANY_ATOMS
    assert len(Binarizer().fit(table[:, :10]).schema_.atoms) == 90


def test_all_columns_that_cannot_be_used_are_named_at_once() -> None:
    rows = range(200)
    frame = pd.DataFrame(
        {
            "note": [f"note {i}" for i in rows],
            "age": rows,
            "town": [f"town {i % 100}" for i in rows],
            "day": pd.to_datetime(["2020-01-01"] * 200),
            "name": [f"name {i}" for i in rows],
        }
    )
    with pytest.raises(GnriError) as caught:
        Binarizer().fit(frame)
    said = str(caught.value)
    assert "'note' holds 200 different values" in said
    assert "'town' has 100 categories" in said
    assert "'day' holds dates or times and so on: 'name'; drop them" in said
    assert said.endswith("allow more with max_categories (now 50) and min_frequency (now 0.01)")
    assert "age" not in said
    assert str(pickle.loads(pickle.dumps(caught.value))) == said
