"""Which categories get an atom of their own, and which are grouped."""

from collections.abc import Sequence

import pytest

from gnri.data.discretize import BinarizerSettings, make_atoms
from gnri.data.frames import object_column
from gnri.data.schema import Atom, Equals, OneOf
from gnri.data.value_counts import count_values
from gnri.errors import GnriError


def one_hot(cells: Sequence[str], most: int = 50, name: str = "c") -> list[Atom]:
    settings = BinarizerSettings(True, 1, False, most, 0.0)
    return make_atoms(count_values(object_column(name, cells)), settings)


def grouped_one_hot(cells: Sequence[str], most: int, min_frequency: float) -> list[Atom]:
    settings = BinarizerSettings(False, 1, False, most, min_frequency)
    return make_atoms(count_values(object_column("c", cells)), settings)


def test_each_value_has_an_atom() -> None:
    assert one_hot("bcab") == [Equals("c", "a"), Equals("c", "b"), Equals("c", "c")]


def test_two_values_share_one_atom() -> None:
    assert one_hot("nyny") == [Equals("c", "y", other="n")]


def test_a_constant_has_none() -> None:
    assert one_hot("aaa") == []


def test_rare_values_are_grouped() -> None:
    atoms = grouped_one_hot("a" * 10 + "b" * 8 + "xy", most=9, min_frequency=0.1)
    assert atoms == [Equals("c", "a"), Equals("c", "b"), OneOf("c", ("x", "y"))]


def test_a_single_rare_value_keeps_its_name() -> None:
    atoms = grouped_one_hot("a" * 10 + "b" * 8 + "x", most=9, min_frequency=0.1)
    assert atoms == [Equals("c", "a"), Equals("c", "b"), Equals("c", "x")]


def test_one_frequent_value_and_the_rest_are_one_question() -> None:
    assert grouped_one_hot("a" * 18 + "xy", most=9, min_frequency=0.1) == [Equals("c", "a")]


def test_only_the_most_frequent_are_kept() -> None:
    atoms = grouped_one_hot("aaaabbbccd", most=3, min_frequency=0.0)
    assert atoms == [Equals("c", "a"), Equals("c", "b"), OneOf("c", ("c", "d"))]


def test_equally_frequent_values_are_grouped_together() -> None:
    """No order of the names decides which of b and c stays."""
    atoms = grouped_one_hot("aaabbccd", most=3, min_frequency=0.0)
    assert atoms == [Equals("c", "a")]


def test_nothing_frequent_is_an_error() -> None:
    with pytest.raises(GnriError, match=r"'c' has 4 categories.*max_categories \(now 3\)"):
        grouped_one_hot("abcd" * 5, most=3, min_frequency=0.0)


def test_free_text_is_refused() -> None:
    words = [f"word {i}" for i in range(60)]
    with pytest.raises(GnriError, match=r"'notes' holds 60 different values in 60 rows"):
        one_hot(words, most=50, name="notes")
    assert len(one_hot(words, most=60)) == 60


@pytest.mark.parametrize(
    ("form", "said"),
    [
        (
            "2020-01-{:02}",
            "such as '2020-01-00', a date or a time); drop the column, or replace it",
        ),
        ("{}.5.2021 12:30", "such as '0.5.2021 12:30', a date or a time"),
        (
            "{},5",
            "such as '0,5', a number with a decimal comma); drop the column, or write it with",
        ),
        ("$ {}.00", "such as '$ 0.00', an amount of money"),
        ("{}%", "such as '0%', a percentage"),
        ("12345678901234567{:02}", "a whole number beyond 2^53, where neighbours cannot be told"),
        ("00{}", "like free text or an identifier; drop the column, or replace it by what"),
    ],
)
def test_what_the_values_look_like_is_said(form: str, said: str) -> None:
    cells = [form.format(i) for i in range(60)]
    with pytest.raises(GnriError) as caught:
        one_hot(cells, most=50)
    assert said in str(caught.value)
