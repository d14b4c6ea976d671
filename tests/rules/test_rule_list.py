"""What a rule list takes, refuses and answers."""

import math

import numpy as np
import pandas as pd
import pytest

from gnri.data.schema import Above, Equals, IsTrue, OneOf, Schema
from gnri.errors import EncodingError, GnriError, RuleError, ShapeError
from gnri.rules.dnf import SignedDNF
from gnri.rules.rule_list import RuleList

AGE, ODOR, RARE, SICK = (
    Above("age", 30.0),
    Equals("odor", "foul"),
    OneOf("odor", ("a", "b")),
    IsTrue("sick"),
)
SCHEMA = Schema((AGE, ODOR, RARE, SICK), ((1, 2),))


def binary(*clauses, positive=True, majority=0) -> RuleList:
    return RuleList.binary(SCHEMA, ("no", "yes"), SignedDNF(clauses, positive), majority)


def test_missing_is_unknown_and_unseen_is_false() -> None:
    rules = binary([(1, True)], majority=1)
    assert rules.predict({"odor": ["foul", "new", None, math.nan]}) == ["yes", "no", "yes", "yes"]
    assert (~rules.rules[0]).positive is False
    negative = binary([(1, True)], positive=False, majority=0)
    assert negative.predict({"odor": ["foul", "new", None]}) == ["no", "yes", "no"]


def test_kleene_or_is_true_beside_an_unknown() -> None:
    rules = binary([(0, True)], [(3, True)])
    assert rules.predict({"age": [40, None, 20], "sick": [None, 1, None]}) == ["yes", "yes", "no"]


def test_only_the_columns_of_the_rules_are_read() -> None:
    rules = binary([(0, True)])
    assert rules.columns == ["age"]
    assert rules.predict({"age": np.array([31, 30]), "odor": [object(), object()]}) == ["yes", "no"]
    with pytest.raises(ShapeError, match=r"'age'.*there is 'agee'"):
        rules.predict({"agee": [1]})


def test_no_rule_answers_the_majority_on_every_row() -> None:
    rules = RuleList.binary(SCHEMA, ("no", "yes"), None, 1)
    assert rules.predict({"anything": [1, 2]}) == ["yes", "yes"]
    assert rules.predict({}) == []


@pytest.mark.parametrize(
    ("column", "cells", "shown"),
    [
        ("age", [1, "old"], "'old' of type str at row 1"),
        ("age", np.array(["1"]), "at row 0"),
        ("age", [True], "True of type bool at row 0"),
        ("age", np.array([True]), "at row 0"),
        ("age", [10**400], "more than 64 bits"),
        ("age", [10**5000], "more than 64 bits"),
        ("age", [1j], "complex"),
        ("odor", [None, 3], "3 of type int at row 1"),
        ("odor", np.array([1.0]), "at row 0"),
        ("odor", [b"foul"], "bytes"),
        ("sick", [1, 2], "2 of type int at row 1"),
        ("sick", np.array([0.5]), "at row 0"),
        ("sick", ["true"], "'true'"),
        ("sick", [[1]], "list"),
    ],
)
def test_a_wrong_cell_is_named(column: str, cells, shown: str) -> None:
    rules = binary([(0, True)], [(1, True)], [(3, True)])
    table = {"age": [None] * len(cells), "odor": [None] * len(cells), "sick": [None] * len(cells)}
    with pytest.raises(EncodingError, match=shown) as caught:
        rules.predict(table | {column: cells})
    assert repr(column) in str(caught.value)


def test_columns_of_two_lengths() -> None:
    with pytest.raises(ShapeError, match="one length"):
        binary([(0, True), (1, True)]).predict({"age": [1, 2], "odor": ["foul"]})


@pytest.mark.parametrize(
    "dtype", ["float32", "float64", "int8", "uint64", "Int64", "Float64", "object"]
)
def test_numbers_of_pandas(dtype: str) -> None:
    frame = pd.DataFrame({"age": pd.Series([31, 30, 12], dtype=dtype)})
    assert binary([(0, True)]).predict(frame) == ["yes", "no", "no"]


def test_missing_cells_of_pandas() -> None:
    frame = pd.DataFrame(
        {
            "age": pd.Series([31, None, 20], dtype="Int64"),
            "odor": pd.Series(["foul", pd.NA, "foul"], dtype="string").astype("category"),
            "sick": pd.Series([True, pd.NA, False], dtype="boolean"),
        }
    )
    for atom in (0, 1, 3):
        assert binary([(atom, True)], majority=1).predict(frame)[:2] == ["yes", "yes"]
        assert binary([(atom, True)], majority=0).predict(frame)[:2] == ["yes", "no"]
    assert binary([(3, True)], majority=1).predict({"sick": [pd.NaT, 0]}) == ["yes", "no"]


def test_numpy_values_become_plain() -> None:
    schema = Schema((Above("a", np.float64(1.5)), Equals("b", np.str_("x"))))
    rules = RuleList.binary(schema, tuple(np.array([3, 4])), SignedDNF([[(0, True)]]))
    assert rules.classes == (3, 4)
    assert type(rules.classes[0]) is int
    assert type(rules.schema.atoms[0].cut) is float
    assert type(rules.schema.atoms[1].value) is str


def test_compact_reads_only_the_atoms_it_has() -> None:
    small = binary([(3, True)], [(1, False)]).compact()
    assert small.schema.atoms == (ODOR, SICK)
    assert small.rules == (SignedDNF([[(1, True)], [(0, False)]]),)


THREE = ("a", "b", "c")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((SCHEMA, ("a",), (), 0), "2 or more classes"),
        ((SCHEMA, ("a", "a"), (), 0), "must differ"),
        ((SCHEMA, ("a", 1), (), 0), "one type"),
        ((SCHEMA, (0.5, math.inf), (), 0), "finite"),
        ((SCHEMA, (0, 2**64), (), 0), "64 bits"),
        ((SCHEMA, (None, "a"), (), 0), "NoneType"),
        ((SCHEMA, ("a", "b"), (), 2), "index of one of 2 classes"),
        ((SCHEMA, ("a", "b"), (), True), "index of one of 2 classes"),
        ((SCHEMA, ("a", "b"), (("x0", 1),), 0), "must be a SignedDNF or Scorecard, got str"),
        ((SCHEMA, ("a", "b"), ((SignedDNF([[(4, True)]]), 1),), 0), "atom x4"),
        ((SCHEMA, THREE, ((SignedDNF(), 3),), 2), "answer of step 0 .* one of 3 classes, got 3"),
        ((SCHEMA, THREE, ((SignedDNF(), True),), 2), "answer of step 0"),
        ((SCHEMA, THREE, ((SignedDNF(), 1, -1), (SignedDNF(), 0)), 2), "step 0 .* got -1"),
        ((SCHEMA, THREE, ((SignedDNF(), 1, 0),), 2), "step 0 .* got 0"),
        ((Schema((Above("a", math.nan),)), ("a", "b"), (), 0), "finite"),
        ((Schema((Above("a", 10**400),)), ("a", "b"), (), 0), "finite"),
        ((Schema((Above(1, 1.0),)), ("a", "b"), (), 0), "valid text"),
        ((Schema((Equals("a", 2**53 + 1),)), ("a", "b"), (), 0), "exact"),
        ((Schema((Equals("a", None),)), ("a", "b"), (), 0), "text, a number"),
        ((Schema((Equals("a", "x"), Above("a", 1.0))), ("a", "b"), (), 0), "one kind"),
        ((Schema((OneOf("a", ()),)), ("a", "b"), (), 0), "one kind"),
        ((Schema((OneOf("a", ("x", 1)),)), ("a", "b"), (), 0), "one kind"),
        ((Schema(("a",)), ("a", "b"), (), 0), "Above, Equals"),
        ((Schema((AGE,), ((1,),)), ("a", "b"), (), 0), "block"),
        (("schema", ("a", "b"), (), 0), "must be a Schema"),
    ],
)
def test_what_cannot_be_is_refused(arguments, message: str) -> None:
    with pytest.raises(RuleError, match=message):
        RuleList(*arguments)


def test_the_errors_are_of_the_family() -> None:
    assert issubclass(EncodingError, GnriError)
    assert issubclass(ShapeError, GnriError)
