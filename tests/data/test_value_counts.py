"""Atoms from counts are those that Binarizer makes of all rows at once."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnri.data import value_counts
from gnri.data.arrow import from_arrow
from gnri.data.binarizer import Binarizer
from gnri.data.discretize import learn_schema, make_settings
from gnri.data.kinds import ColumnKind
from gnri.data.table import Table, text_column
from gnri.data.value_counts import NumberCounts, ValueCounts, count_numbers, count_values
from gnri.errors import GnriError

NUMBERS = st.one_of(
    st.integers(-5, 5).map(float), st.floats(allow_infinity=False, allow_nan=False), st.just(np.nan)
)
CELLS = st.sampled_from(["a", "b", "c", "dd", "e", None])


def counts_of(cells: list, pieces: int, text: bool = False, type_: object = None) -> ValueCounts:
    parts = [cells[i::pieces] for i in range(pieces)]
    found = [
        count_values(from_arrow("x", pa.array(part, type_), text=text), bounded=True)
        for part in parts
        if part
    ]
    total = found[-1]
    for one in found[:-1]:
        total = total + one
    return total.decide()


def atoms(maker: Binarizer, found: ValueCounts) -> object:
    given = maker.get_params()
    own = given.pop("thresholds")
    return _or_error(lambda: learn_schema([found], 0, make_settings(columns=1, **given), own))


def _or_error(work) -> object:
    try:
        return work()
    except GnriError as error:
        return str(error).partition(" in ")[0]


@given(st.lists(NUMBERS, min_size=2, max_size=60), st.integers(1, 5), st.integers(1, 9))
def test_numbers_are_cut_as_in_memory(numbers: list[float], pieces: int, cuts: int) -> None:
    frame = pd.DataFrame({"x": np.array(numbers)})
    for maker in (Binarizer(n_bins=cuts + 1), Binarizer("median")):
        expected = _or_error(lambda maker=maker: maker.fit(frame).schema_)
        assert atoms(maker, counts_of(numbers, pieces)) == expected


@given(st.lists(CELLS, min_size=2, max_size=60), st.integers(1, 5), st.integers(2, 5))
def test_categories_are_kept_and_grouped_as_in_memory(
    cells: list[str | None], pieces: int, most: int
) -> None:
    frame = pd.DataFrame({"x": pd.Series(cells, dtype=object)})
    for maker in (Binarizer(max_categories=most, min_frequency=0.1), Binarizer("median")):
        expected = _or_error(lambda maker=maker: maker.fit(frame).schema_)
        assert atoms(maker, counts_of(cells, pieces, type_=pa.string())) == expected


TEXTS = st.sampled_from(["0", "1", "2.5", " 7 ", "007", "true", "False", "", "NA", "-", "x", "1e3"])


@given(st.lists(TEXTS, min_size=2, max_size=20), st.integers(1, 4))
def test_text_is_read_as_what_all_of_it_is(cells: list[str], pieces: int) -> None:
    stripped = [cell.strip() for cell in cells]
    expected = _or_error(lambda: Binarizer().fit(Table({"x": text_column("x", stripped)})).schema_)
    assert atoms(Binarizer(), counts_of(cells, pieces, text=True)) == expected


@given(st.lists(TEXTS, min_size=2, max_size=20), st.integers(1, 4))
def test_as_many_cells_are_missing_as_in_memory(cells: list[str], pieces: int) -> None:
    column = text_column("x", [cell.strip() for cell in cells]).decide()
    assert counts_of(cells, pieces, text=True).missing == column.missing


def test_a_code_among_many_numbers_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gnri.data.value_counts.MOST_TEXTS", 4)
    found = counts_of([*map(str, range(9)), "-", "None"], 3, text=True)
    assert (found.missing, found.numbers.lowest.tolist()) == (2, list(range(9)))


@given(st.lists(st.booleans() | st.none(), min_size=2, max_size=9), st.integers(1, 3))
def test_flags(cells: list[bool | None], pieces: int) -> None:
    frame = pd.DataFrame({"x": pd.Series(cells, dtype=object)})
    expected = _or_error(lambda: Binarizer().fit(frame).schema_)
    assert atoms(Binarizer(), counts_of(cells, pieces, type_=pa.bool_())) == expected


def equal(one: NumberCounts, other: NumberCounts) -> bool:
    pairs = zip(
        (one.counts, one.lowest, one.highest),
        (other.counts, other.lowest, other.highest),
        strict=True,
    )
    return one.shift == other.shift and all(np.array_equal(a, b) for a, b in pairs)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=80), st.integers(0, 99))
def test_a_sketch_knows_no_order(numbers: list[float], seed: int) -> None:
    most, value_counts.MOST_BUCKETS = value_counts.MOST_BUCKETS, 8
    try:
        rng = np.random.default_rng(seed)
        whole = count_numbers(np.array(numbers), bounded=True)
        shuffled = rng.permutation(np.array(numbers))
        parts = np.array_split(shuffled, int(rng.integers(1, 6)))
        merged = sum(
            (count_numbers(part, bounded=True) for part in parts),
            count_numbers(np.zeros(0), bounded=True),
        )
        assert equal(whole, merged)
        within = [
            sum(low <= number <= high for number in numbers)
            for low, high in zip(whole.lowest, whole.highest, strict=True)
        ]
        assert within == whole.counts.tolist()
        assert len(whole.counts) <= 8 and whole.counts.sum() == len(numbers)
        assert (whole.shift == 0) == (len(set(numbers)) <= 8)
    finally:
        value_counts.MOST_BUCKETS = most


def test_a_sketch_cuts_near_the_quantiles() -> None:
    numbers = np.random.default_rng(0).lognormal(size=300_000)
    counts = count_numbers(numbers, bounded=True)
    known = ValueCounts("x", ColumnKind.NUMBER, counts)
    found = learn_schema([known], len(numbers), make_settings("auto", 1))
    ranks = [np.mean(numbers <= atom.cut) for atom in found.atoms]
    outer = [0.01, 0.025, 0.05]
    wanted = [*outer, *np.arange(1, 10) / 10, *(1 - share for share in reversed(outer))]
    np.testing.assert_allclose(ranks, wanted, atol=1e-3)


def test_infinite_numbers_are_refused() -> None:
    with pytest.raises(GnriError, match="numbers must be finite, but column 'x' holds inf"):
        counts_of([1.0, np.inf], 1)


def test_too_many_texts_cannot_be_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gnri.data.value_counts.MOST_TEXTS", 4)
    for found, said in (
        (counts_of(list("abcdef"), 2, type_=pa.string()), "holds more than 4 different values"),
        (counts_of([*map(str, range(60)), "4O"], 3, text=True), "holds '4O' among many numbers"),
        (counts_of(list("abcdef"), 2, text=True), "holds more than 4 different values"),
    ):
        assert found.unusable is not None and found.unusable.said == said
        assert not found.values and not len(found.numbers.counts)  # kept in bounded memory
    numbers = counts_of([str(i) for i in range(9)], 3, text=True)
    assert numbers.numbers.lowest.tolist() == list(range(9))
