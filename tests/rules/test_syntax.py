"""Every rule has a text, every text of ours is read back exactly, and the rest is refused."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gnri.errors import RuleError, RuleSyntaxError
from gnri.rules.dnf import SignedDNF
from gnri.rules.syntax import parse, render
from tests.strategies import column_names, rules


@given(rules(12))
@example(SignedDNF([]))
@example(~SignedDNF([]))
@example(SignedDNF([[]]))
@example(~SignedDNF([[]]))
@example(SignedDNF([[], [(0, False)]]))
def test_round_trip(rule):
    assert parse(render(rule)) == rule
    assert str(rule) == render(rule)


@given(rules(4), column_names(4))
def test_round_trip_with_any_names(rule, names):
    text = render(rule, names)
    assert parse(text, names) == rule
    assert text.isprintable()


@given(st.text(alphabet='x01&|~() "\\truefals\n') | st.text())
def test_parse_reads_or_refuses_and_nothing_else(text):
    try:
        rule = parse(text)
    except RuleSyntaxError:
        return
    assert parse(render(rule)) == rule


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (SignedDNF([]), "false"),
        (~SignedDNF([]), "~(false)"),
        (SignedDNF([[]]), "true"),
        (~SignedDNF([[]]), "~(true)"),
        (SignedDNF([[], [(2, True)]]), "true | x2"),
        (SignedDNF([[(2, False)]]), "~x2"),
        (~SignedDNF([[(2, True)]]), "~(x2)"),
        (SignedDNF([[(3, False), (0, True)], [(10, True)], [(9, True)]]), "x9 | x10 | x0 & ~x3"),
        (SignedDNF([[(1, False), (1, True)]]), "x1 & ~x1"),
    ],
)
def test_written_form(rule, text):
    assert render(rule) == text
    assert parse(text) == rule


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("odor=foul", "odor=foul"),
        ("age>=60.5", "age>=60.5"),
        ("größe", "größe"),
        ("cap color", '"cap color"'),
        ("true", '"true"'),
        ("True", "True"),
        ("", '""'),
        ('a"b', '"a\\"b"'),
        ("a\\b", '"a\\\\b"'),
        ("a\nb", '"a\\nb"'),
        ("zero\u200bwidth", '"zero\\u200bwidth"'),
        ("a|b", '"a|b"'),
    ],
)
def test_names_are_quoted_only_where_needed(name, written):
    assert render(SignedDNF([[(0, False)]]), [name]) == f"~{written}"


@pytest.mark.parametrize(
    "text", ["x0|x1&~x2", "  x0 |\n\tx1 & ~ x2 ", '"x0" | x1 & x1 & ~"x2" | x0']
)
def test_spaces_repeats_and_quotes_do_not_matter(text):
    assert parse(text) == SignedDNF([[(0, True)], [(1, True), (2, False)]])


def test_a_space_may_stand_before_the_parenthesis():
    assert parse("~ ( x0 )") == ~SignedDNF([[(0, True)]])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected a column name .* at character 1, got the end of the text"),
        ("  ", "at character 3, got the end"),
        ("x0 x1", r"expected '&', '\|' or the end of the rule at character 4, got 'x1'"),
        ("x0 |", "expected a column name .* at character 5, got the end"),
        ("x0 || x1", r"at character 5, got '\|'"),
        ("& x0", "at character 1, got '&'"),
        ("~~x0", "at character 2, got '~'"),
        ("(x0)", r"clauses joined by '\|' have no parentheses, at character 1, got '\('"),
        ("x0 & (x1)", r"at character 6, got '\('"),
        ("x0 & ~(x1)", r"at character 6, got '~\('"),
        ("~((x0))", r"at character 3, got '\('"),
        ("~(x0", r"expected '&', '\|' or '\)' at character 5, got the end"),
        ("~(x0) | x1", r"expected the end of the rule at character 7, got '\|'"),
        ("~(x0))", r"expected the end of the rule at character 6, got '\)'"),
        ("x0)", r"at character 3, got '\)'"),
        ("~()", r"at character 3, got '\)'"),
        ("true & x0", r"expected '\|' or the end of the rule at character 6, got '&'"),
        ("x0 & true", "at character 6, got 'true'"),
        ("~true", "at character 2, got 'true'"),
        ("false | x0", r"expected the end of the rule at character 7, got '\|'"),
        ("x0 | false", "at character 6, got 'false'"),
        ("x00", "expected an atom x0, x1, .* at character 1, got 'x00'"),
        ("x-1", "expected an atom"),
        ("X1", "expected an atom"),
        ("x\u0661", "expected an atom"),
        ("x", "expected an atom"),
        ("x" + "9" * 5_000, "expected an atom"),
        ("x0 & odor", r"expected an atom .* \(pass names= .* at character 6, got 'odor'"),
        ('x0 & "x1', "expected a name that ends with '\"' at character 6"),
        ('"a\\qb"', "escapes of a JSON string at character 1"),
        ('"a\nb"', "escapes of a JSON string"),
        ("x0 \\ x1", r"at character 4, got '\\\\'"),
        ("~(" * 100_000, r"at character 3, got '~\('"),
    ],
)
def test_refuses(text, message):
    with pytest.raises(RuleSyntaxError, match=message):
        parse(text)


def test_an_unknown_column_is_told_with_the_closest():
    names = ["odor=foul", "odor=none", "spore color"]
    with pytest.raises(RuleSyntaxError, match="a column such as odor=foul at character 1"):
        parse("odor=fowl", names)
    with pytest.raises(RuleSyntaxError, match='a column such as "spore color" at character 14'):
        parse("odor=foul & ~spore_color", names)
    with pytest.raises(RuleSyntaxError, match="a known column name at character 1, got 'x0'"):
        parse("x0", names)


def test_a_message_stays_short():
    with pytest.raises(RuleSyntaxError) as caught:
        parse("y" * 1_000_000, ["z" * 1_000_000])
    assert len(str(caught.value)) < 300


def test_a_long_text_is_refused():
    with pytest.raises(RuleSyntaxError, match="may have 1000000 characters, got 1000001"):
        parse(" " * 1_000_001)


def test_a_large_rule_is_read_whole():
    rule = SignedDNF([[(7 * i, True), (7 * i + 3, False)] for i in range(10_000)])
    text = render(rule)
    assert parse(text) == rule


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a", "b", "a"], "names must differ, got 'a' again at 2"),
        (["a", 1], "names must be strings, got 1 at 1"),
        ("ab", "got one string"),
        (["a", "\ud800"], "valid Unicode"),
    ],
)
def test_names_must_be_distinct_strings(names, message):
    for use in (lambda: render(SignedDNF([]), names), lambda: parse("false", names)):
        with pytest.raises(RuleError, match=message):
            use()


def test_each_atom_needs_a_name():
    with pytest.raises(RuleError, match="reads atom x2, but there are 2 names"):
        render(SignedDNF([[(2, True)]]), ["a", "b"])


def test_a_text_is_a_string():
    with pytest.raises(RuleSyntaxError, match="must be a string, got bytes"):
        parse(b"x0")
