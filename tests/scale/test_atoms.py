"""Atoms from counts are those that Binarizer makes of all rows at once."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnri.binarizer.transformer import Binarizer
from gnri.cli.column_notes import missing_cells
from gnri.errors import GnriError
from gnri.scale import sketch as sketches
from gnri.scale.atoms import fitted
from gnri.scale.sketch import Sketch, sketch_of
from gnri.scale.summary import Summary, summarise
from gnri.tables.table import Table

NUMBERS = st.one_of(
    st.integers(-5, 5).map(float), st.floats(allow_infinity=False, allow_nan=False), st.just(np.nan)
)
CELLS = st.sampled_from(["a", "b", "c", "dd", "e", None])


def summary(cells: list, pieces: int, text: bool = False, type_: object = None) -> Summary:
    parts = [cells[i::pieces] for i in range(pieces)]
    found = [summarise("x", pa.array(part, type_), text) for part in parts if part]
    total = found[-1]
    for one in found[:-1]:
        total = total + one
    return total.decided()


def atoms(maker: Binarizer, found: Summary) -> object:
    return _or_error(lambda: fitted(maker, [found], 0).schema_)


def _or_error(work) -> object:
    try:
        return work()
    except GnriError as error:
        return str(error).partition(" in ")[0]


@given(st.lists(NUMBERS, min_size=2, max_size=60), st.integers(1, 5), st.integers(1, 9))
def test_numbers_are_cut_as_in_memory(numbers: list[float], pieces: int, cuts: int) -> None:
    frame = pd.DataFrame({"x": np.array(numbers)})
    for maker in (Binarizer(cuts=cuts), Binarizer("median")):
        expected = _or_error(lambda maker=maker: maker.fit(frame).schema_)
        assert atoms(maker, summary(numbers, pieces)) == expected


@given(st.lists(CELLS, min_size=2, max_size=60), st.integers(1, 5), st.integers(2, 5))
def test_categories_are_kept_and_grouped_as_in_memory(
    cells: list[str | None], pieces: int, most: int
) -> None:
    frame = pd.DataFrame({"x": pd.Series(cells, dtype=object)})
    for maker in (Binarizer(max_categories=most, min_share=0.1), Binarizer("median")):
        expected = _or_error(lambda maker=maker: maker.fit(frame).schema_)
        assert atoms(maker, summary(cells, pieces, type_=pa.string())) == expected


TEXTS = st.sampled_from(["0", "1", "2.5", " 7 ", "007", "true", "False", "", "NA", "-", "x", "1e3"])


@given(st.lists(TEXTS, min_size=2, max_size=20), st.integers(1, 4))
def test_text_is_read_as_what_all_of_it_is(cells: list[str], pieces: int) -> None:
    stripped = [cell.strip() for cell in cells]
    expected = _or_error(
        lambda: Binarizer().fit(Table("t", {"x": stripped}).features(["x"])).schema_
    )
    assert atoms(Binarizer(), summary(cells, pieces, text=True)) == expected


@given(st.lists(TEXTS, min_size=2, max_size=20), st.integers(1, 4))
def test_as_many_cells_are_missing_as_in_memory(cells: list[str], pieces: int) -> None:
    frame = Table("t", {"x": [cell.strip() for cell in cells]}).features(["x"])
    assert summary(cells, pieces, text=True).missing == missing_cells(frame)["x"]


def test_a_code_among_many_numbers_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gnri.scale.summary.MOST_TEXTS", 4)
    found = summary([*map(str, range(9)), "-", "None"], 3, text=True)
    assert (found.missing, found.numbers.lowest.tolist()) == (2, list(range(9)))


@given(st.lists(st.booleans() | st.none(), min_size=2, max_size=9), st.integers(1, 3))
def test_flags(cells: list[bool | None], pieces: int) -> None:
    frame = pd.DataFrame({"x": pd.Series(cells, dtype=object)})
    expected = _or_error(lambda: Binarizer().fit(frame).schema_)
    assert atoms(Binarizer(), summary(cells, pieces, type_=pa.bool_())) == expected


def equal(one: Sketch, other: Sketch) -> bool:
    pairs = zip(
        (one.counts, one.lowest, one.highest),
        (other.counts, other.lowest, other.highest),
        strict=True,
    )
    return one.shift == other.shift and all(np.array_equal(a, b) for a, b in pairs)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=80), st.integers(0, 99))
def test_a_sketch_knows_no_order(numbers: list[float], seed: int) -> None:
    most, sketches.MOST = sketches.MOST, 8
    try:
        rng = np.random.default_rng(seed)
        whole = sketch_of(np.array(numbers))
        shuffled = rng.permutation(np.array(numbers))
        parts = np.array_split(shuffled, int(rng.integers(1, 6)))
        merged = sum((sketch_of(part) for part in parts), sketch_of(np.zeros(0)))
        assert equal(whole, merged)
        within = [
            sum(low <= number <= high for number in numbers)
            for low, high in zip(whole.lowest, whole.highest, strict=True)
        ]
        assert within == whole.counts.tolist()
        assert len(whole.counts) <= 8 and whole.counts.sum() == len(numbers)
        assert whole.exact == (len(set(numbers)) <= 8)
    finally:
        sketches.MOST = most


def test_a_sketch_cuts_near_the_quantiles() -> None:
    numbers = np.random.default_rng(0).lognormal(size=300_000)
    found = fitted(Binarizer(), [Summary("x", "number", sketch_of(numbers))], len(numbers)).cuts_
    ranks = [np.mean(numbers <= cut) for cut in found["x"]]
    outer = [0.01, 0.025, 0.05]
    wanted = [*outer, *np.arange(1, 10) / 10, *(1 - share for share in reversed(outer))]
    np.testing.assert_allclose(ranks, wanted, atol=1e-3)


def test_infinite_numbers_are_refused() -> None:
    with pytest.raises(GnriError, match="numbers must be finite, but column 'x' holds inf"):
        summary([1.0, np.inf], 1)


def test_too_many_texts_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gnri.scale.summary.MOST_TEXTS", 4)
    with pytest.raises(GnriError, match="holds more than 4 different values"):
        summary(list("abcdef"), 2, type_=pa.string())
    with pytest.raises(GnriError, match="got '4O' among many numbers; correct it"):
        summary([*map(str, range(60)), "4O"], 3, text=True)
    with pytest.raises(GnriError, match="holds more than 4 different values"):
        summary(list("abcdef"), 2, text=True)
    numbers = summary([str(i) for i in range(9)], 3, text=True)
    assert numbers.numbers.lowest.tolist() == list(range(9))
