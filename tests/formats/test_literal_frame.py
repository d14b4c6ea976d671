"""The table of literals, with pandas and without."""

import sys

import pandas as pd
import pytest

from gnri.data.schema import Above, Equals, IsTrue, OneOf, Schema
from gnri.formats.literal_frame import to_frame, to_rows
from gnri.rules.dnf import SignedDNF
from gnri.rules.rule_list import RuleList

SCHEMA = Schema((Above("a", 1.0), Equals("c", "x"), OneOf("c", ("y", "z")), IsTrue("d")))
RULES = RuleList.binary(
    SCHEMA,
    ("no", "yes"),
    SignedDNF([[(0, True), (1, False)], [(2, False), (3, False)], [(3, True)]], False),
)


def test_one_row_for_each_literal() -> None:
    assert [tuple(row.values()) for row in to_rows(RULES)] == [
        ("yes", False, 1, "d", "d", "=", True),
        ("yes", False, 2, "a > 1", "a", ">", 1.0),
        ("yes", False, 2, "c != x", "c", "!=", "x"),
        ("yes", False, 3, "c not in {y, z}", "c", "not in", ("y", "z")),
        ("yes", False, 3, "not d", "d", "=", False),
    ]


def test_a_frame_where_pandas_is() -> None:
    frame = to_frame(RULES)
    assert isinstance(frame, pd.DataFrame)
    assert frame.to_dict("records") == to_rows(RULES)
    assert list(to_frame(RuleList.binary(SCHEMA, (0, 1), None)).columns) == list(frame.columns)


def test_rows_where_pandas_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert to_frame(RULES) == to_rows(RULES)
