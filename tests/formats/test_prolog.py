"""The Prolog program parses, and answers as the rules do."""

import pytest

from gnri.data.schema import IsTrue, Schema
from gnri.formats.prolog import to_prolog, write_number
from gnri.rules.dnf import SignedDNF
from gnri.rules.rule_list import RuleList
from tests.formats.tokens import prolog_clauses, prolog_tokens


def test_each_predicate_that_is_called_is_there() -> None:
    rules = RuleList.binary(Schema((IsTrue("a"),)), (0, 1), SignedDNF([[]], False), 1)
    clauses = prolog_clauses(to_prolog(rules))
    heads = {clause[0][1] for clause in clauses}
    called = {text for clause in clauses for kind, text in clause if kind == "atom" and "_" in text}
    assert called <= heads


def test_numbers_have_a_decimal_point() -> None:
    assert [write_number(x) for x in (1e16, 5e-324, 0.5, -3.0)] == [
        "1.0e+16",
        "5.0e-324",
        "0.5",
        "-3.0",
    ]


def test_the_reader_refuses_what_is_no_prolog() -> None:
    for source in ("a(Row) :- 'x", "a :- b{c}.", "a :- 'it\\qs'."):
        with pytest.raises(AssertionError):
            prolog_tokens(source)
    with pytest.raises(AssertionError):
        prolog_clauses("a(Row :- b.")
