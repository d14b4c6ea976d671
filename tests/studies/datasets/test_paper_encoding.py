"""The paper's encoding against its definition."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnri.data.schema import Above, Equals
from gnri.errors import EncodingError
from studies.datasets import Dataset, encode, load
from tests.studies.datasets.tables import slow_encoding

CELLS = {
    "numeric": st.sampled_from(["", "-1", "0", "0.5", "2", "1e3"]),
    "categorical": st.sampled_from(["", "a", "b", "c"]),
    "binary": st.sampled_from(["", "0", "1"]),
}


@st.composite
def tables(draw: st.DrawFn) -> Dataset:
    kinds = draw(st.lists(st.sampled_from(sorted(CELLS)), min_size=1, max_size=4))
    size = draw(st.integers(1, 8))
    filled = {"numeric": "1", "categorical": "a", "binary": "1"}
    rows = [tuple(filled[kind] for kind in kinds)]
    rows += [tuple(draw(CELLS[kind]) for kind in kinds) for _ in range(size)]
    labels = tuple(draw(st.sampled_from("xyz")) for _ in rows)
    columns = tuple(f"c{i}" for i in range(len(kinds)))
    return Dataset("any", columns, tuple(rows), labels, tuple(kinds), "drawn")


@given(tables())
def test_any_table_is_encoded_by_the_definition(dataset: Dataset) -> None:
    found = encode(dataset)
    assert found.values.dtype == np.int8
    assert found.values.tolist() == slow_encoding(dataset)
    classes = sorted(set(dataset.labels))
    assert [classes[code] for code in found.codes] == list(dataset.labels)
    assert len(found.schema.atoms) == found.values.shape[1]


@given(tables(), st.data())
def test_cuts_are_learnt_from_the_rows_that_are_named(
    dataset: Dataset, data: st.DataObject
) -> None:
    others = data.draw(st.sets(st.integers(1, len(dataset.rows) - 1)))
    places = [0, *sorted(others)]  # the first row has no missing cell
    part = replace(
        dataset,
        rows=tuple(dataset.rows[place] for place in places),
        labels=tuple(dataset.labels[place] for place in places),
    )
    found, own = encode(dataset, np.array(places)), encode(part)
    cuts = [
        [atom for atom in each.schema.atoms if isinstance(atom, Above)] for each in (found, own)
    ]
    assert cuts[0] == cuts[1]
    whole = encode(dataset)
    assert len(found.schema.atoms) == len(whole.schema.atoms)
    assert encode(dataset, np.arange(len(dataset.rows))).values.tolist() == whole.values.tolist()


@pytest.mark.parametrize("name", ["tic-tac-toe", "monks-3", "iris", "wine"])
def test_bundled_tables_are_encoded_by_the_definition(name: str) -> None:
    dataset = load(name)
    assert encode(dataset).values.tolist() == slow_encoding(dataset)


def test_the_schema_says_what_an_atom_means() -> None:
    rows = (("3", "b", "1"), ("5", "a", "0"))
    kinds = ("numeric", "categorical", "binary")
    schema = encode(Dataset("t", ("n", "c", "f"), rows, ("p", "q"), kinds, "here")).schema
    assert schema.atoms == (Above("n", 4.0), Equals("c", "a"), Equals("c", "b"), Equals("f", "1"))
    assert schema.blocks == ((1, 2),)


def test_a_word_in_a_numeric_column_is_named() -> None:
    dataset = Dataset("t", ("age",), (("3",), ("old",)), ("p", "q"), ("numeric",), "here")
    with pytest.raises(EncodingError, match="column 'age' is numeric, got 'old' in row 1"):
        encode(dataset)


def test_a_column_with_no_value_known_is_unknown_throughout() -> None:
    dataset = Dataset("t", ("age",), (("",), ("",)), ("p", "q"), ("numeric",), "here")
    assert encode(dataset).values.tolist() == [[0], [0]]
