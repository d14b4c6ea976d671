"""The SQL statement: its shape, its numbers, its limits."""

import math
import random
import sqlite3
import struct

import duckdb
import pytest

from gnri.data.schema import Above, Equals, IsTrue, Schema
from gnri.errors import RuleError
from gnri.formats.sql import to_sql, write_number
from gnri.rules.dnf import SignedDNF
from gnri.rules.rule_list import RuleList
from gnri.rules.scorecard import Scorecard
from tests.contracts.format_contract import in_sqlite

LITERALS = [
    0.0,
    30.5,
    -2.45,
    0.001,
    5e-324,
    -5e-324,
    2.2250738585072014e-308,
    1.7976931348623157e308,
]


def floats(count: int) -> list[float]:
    rng = random.Random(0)
    bits = (struct.unpack("<d", rng.randbytes(8))[0] for _ in range(count))
    decimals = (round(rng.uniform(-1e4, 1e4), rng.randrange(8)) for _ in range(count))
    return [*LITERALS, *(x for x in bits if math.isfinite(x)), *decimals]


def test_a_number_is_the_same_float_in_every_database() -> None:
    values = floats(2_000)
    lite, duck = sqlite3.connect(":memory:"), duckdb.connect(":memory:")
    for i in range(0, len(values), 50):
        some = values[i : i + 50]
        query = "SELECT " + ", ".join(f"CAST({write_number(x)} AS DOUBLE PRECISION)" for x in some)
        assert list(lite.execute(query).fetchone()) == some
        assert list(duck.execute(query).fetchone()) == some
    lite.close()
    duck.close()


def test_the_statement_has_the_promised_shape() -> None:
    rules = RuleList.binary(Schema((IsTrue("a"),)), (0, 1), SignedDNF([[(0, True)]]))
    flat = " ".join(to_sql(rules, "t").split())
    assert flat.startswith("SELECT *, ( SELECT CASE WHEN ")
    assert flat.endswith(' AS cell ) AS prediction FROM "t" AS source')


def test_conditions_read_as_in_words() -> None:
    schema = Schema((Above("x", 75.0), Equals("n", 2), IsTrue("a")))
    rules = RuleList.binary(schema, (0, 1), SignedDNF([[(0, True), (1, False), (2, True)]]))
    assert 'WHEN cell."x" > 75 AND cell."n" <> 2 AND cell."a" = 1 THEN 1\n' in to_sql(rules)


def test_a_column_that_is_not_there_is_an_error_not_a_string() -> None:
    rules = RuleList.binary(Schema((Equals("odor", "odor"),)), (0, 1), SignedDNF([[(0, True)]]))
    with pytest.raises(sqlite3.OperationalError, match="no such column"):
        in_sqlite(rules, {"other": ["odor"]})


def test_columns_called_true_and_false() -> None:
    schema = Schema((IsTrue("True"), IsTrue("true_")))
    rules = RuleList.binary(schema, (0, 1), SignedDNF([[(0, True), (1, False)]]))
    assert in_sqlite(rules, {"True": [True, True], "true_": [True, False]}) == [0, 1]


def test_columns_that_differ_only_in_case() -> None:
    schema = Schema((IsTrue("a"), IsTrue("A")))
    rules = RuleList.binary(schema, (0, 1), SignedDNF([[(0, True), (1, True)]]))
    with pytest.raises(RuleError, match="differ only in case"):
        to_sql(rules, "t")


def test_half_points_keep_all_their_digits() -> None:
    """A missing cell of 999,999 points gets 499,999.5 of them, half a point too few here."""
    schema = Schema((IsTrue("a"),))
    card = RuleList.binary(schema, (0, 1), Scorecard({(0, True): 999_999}, 500_000))
    columns = {"a": [None, True, False]}
    assert in_sqlite(card, columns) == card.predict(columns) == [0, 1, 0]
