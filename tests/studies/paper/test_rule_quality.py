"""Clauses of the MONK's problems."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gnri.rules.dnf import SignedDNF
from gnri.rules.syntax import parse
from studies.datasets import encode, load
from studies.paper import PUBLISHED
from studies.paper.rule_quality import clause_f1, positive_form, targets_in
from tests.rules.truth_table import same_truth_table

NAMES = encode(load(f"monks-{1}-all")).schema.names
LITERALS = st.tuples(st.integers(0, 4), st.booleans())
RULES = st.builds(
    SignedDNF, st.lists(st.lists(LITERALS, min_size=1, max_size=3), max_size=4), st.booleans()
)


def rule(text: str) -> SignedDNF:
    return parse(text, NAMES)


def test_the_papers_clause_f1_follows_from_the_rules_it_names() -> None:
    found = [
        clause_f1("monks-1", rule('"a5 = 1"')),
        clause_f1("monks-2", None),
        clause_f1("monks-3", rule('~"a2 = 3" & ~"a5 = 4"')),
    ]
    assert found == pytest.approx([0.4, 0.0, 2 / 3])
    assert round(sum(found) / 3, 3) == PUBLISHED["quality"]["gnri"]["clause_f1"]


def test_a_clause_is_known_by_the_robots_it_holds_of() -> None:
    other_words = rule('~"a5 = 2" & ~"a5 = 3" & ~"a5 = 4"')
    assert targets_in("monks-1", other_words) == 1
    assert targets_in("monks-1", rule('"a5 = 2"')) == 0
    assert targets_in("vote", other_words) == 0


def test_the_whole_rule_is_found_whole() -> None:
    whole = rule('"a5 = 3" & "a4 = 1" | ~"a5 = 4" & ~"a2 = 3"')
    assert clause_f1("monks-3", whole) == 1.0
    pairs = " | ".join(f'"a1 = {k}" & "a2 = {k}"' for k in "123")
    assert clause_f1("monks-1", rule(f'{pairs} | "a5 = 1"')) == 1.0


def test_a_complement_is_multiplied_out() -> None:
    assert clause_f1("monks-1", rule('~(~"a5 = 1")')) == pytest.approx(0.4)


@given(RULES)
@settings(max_examples=200)
def test_the_positive_form_means_the_same(found: SignedDNF) -> None:
    form = positive_form(found)
    assert form.positive
    assert same_truth_table(form, found)
