"""One contract for both ways to compare rules, and their agreement."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnri.errors import RuleError
from gnri.rules.dnf import SignedDNF
from gnri.rules.equivalence import equivalent
from gnri.rules.syntax import parse
from tests.rules.rewrites import complement_written_out, rewritten
from tests.rules.truth_table import same_truth_table
from tests.strategies import rules

TRUE, FALSE = SignedDNF([[]]), SignedDNF([])

backends = pytest.mark.parametrize("same", [equivalent, same_truth_table])


@backends
@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("false", "false", True),
        ("true", "true", True),
        ("true", "false", False),
        ("false", "~(true)", True),
        ("true", "~(false)", True),
        ("~(true)", "~(false)", False),
        ("x0 & ~x0", "false", True),
        ("x0 & ~x0", "true", False),
        ("~(x0 & ~x0)", "true", True),
        ("~(x0 & ~x0)", "false", False),
        ("x0 | ~x0", "true", True),
        ("x0 | ~x0", "~(x1 & ~x1)", True),
        ("x0 | ~x0", "x1 | ~x1", True),
        ("true | x0", "true", True),
        ("true | x0", "x0", False),
        ("x0", "x1", False),
        ("x0", "~x0", False),
        ("x0", "~(x0)", False),
        ("x0", "~(~x0)", True),
        ("x0 | x1", "~(~x0 & ~x1)", True),
        ("x0 | x1", "~(~x0 & ~x2)", False),
        ("x0 | x1", "~(~x0)", False),
        ("x0", "~(~x0 & ~x1)", False),
        ("x0 & x1", "~(~x0 | ~x1)", True),
        ("x0 & x1 | ~x0 & x2", "x0 & x1 | ~x0 & x2 | x1 & x2", True),
        ("x0 & x1 | x0 & ~x1", "x0", True),
        ("x0", "x0 | x0 & x1", True),
        ("x0 | x1", "x0", False),
        ("x0", "x0 | x1", False),
        ("x4294967298 | x1", "~(~x1 & ~x4294967298)", True),
        ("x4294967298", "x2", False),  # the same in 32 bits
    ],
)
def test_contract(same, a, b, expected):
    assert same(parse(a), parse(b)) is expected
    assert same(parse(b), parse(a)) is expected
    assert same(~parse(a), ~parse(b)) is expected


@backends
@given(rule=rules(4), random=st.randoms(use_true_random=False))
def test_sees_through_rewriting(same, rule, random):
    assert same(rule, rewritten(rule, 4, random))
    assert same(rule, complement_written_out(rule))
    assert not same(rule, ~rewritten(rule, 4, random))


def test_refuses_atoms_beyond_those_named():
    a, b = parse("x0 | x4"), parse("x0")
    assert not equivalent(a, b, atoms=5)
    for pair in ((a, b), (b, a)):
        with pytest.raises(RuleError, match="atoms=4 the rules may read only atoms below x4"):
            equivalent(*pair, atoms=4)
    assert equivalent(TRUE, ~FALSE, atoms=0)


@given(rules(5), rules(5))
def test_backends_agree(a, b):
    assert equivalent(a, b) == same_truth_table(a, b)


def test_backends_agree_on_two_thousand_pairs_half_of_them_equivalent():
    random = Random(0)
    found = []
    for number in range(2_000):
        atoms = random.randint(1, 10)
        rule = _random_rule(atoms, random)
        other = rewritten(rule, atoms, random, steps=4)
        if number % 2:
            other = _with_one_change(other, random)
        found.append(equivalent(rule, other))
        assert found[-1] == same_truth_table(rule, other), (rule, other)
        assert found[-1] or number % 2
    assert 1_000 <= sum(found) <= 1_500


def test_a_thousand_atoms():
    random = Random(0)
    rule = _random_rule(1_000, random, clauses=64)
    other = rewritten(rule, 1_000, random, steps=200)
    assert equivalent(rule, other)
    assert not equivalent(rule, _random_rule(1_000, random, clauses=64))


def _random_rule(atoms, random, clauses=4):
    sizes = [random.randint(1, min(atoms, 4)) for _ in range(clauses)]
    return SignedDNF(
        [
            [(atom, random.random() < 0.5) for atom in random.sample(range(atoms), size)]
            for size in sizes
        ],
        random.random() < 0.5,
    )


def _with_one_change(rule, random):
    """The rule with one literal negated or dropped: near, and mostly another function."""
    clauses = [sorted(clause) for clause in sorted(rule.clauses, key=sorted)]
    clause = random.choice(clauses or [[]])
    if clause:
        literal = clause.pop(random.randrange(len(clause)))
        clause.extend([~literal] if random.random() < 0.5 else [])
    return SignedDNF(clauses, rule.positive)
