"""A classifier in words."""

from collections.abc import Callable, Iterable

from gnri.data.schema import Scalar, Schema
from gnri.formats.conditions import say_clause, spell
from gnri.rules.dnf import Literal, sorted_clauses
from gnri.rules.rule_list import RuleSet

TRUTH_WORDS = {1: "holds", -1: "fails", 0: "is unknown"}

SayName = Callable[[Scalar], str]
SayClause = Callable[[Schema, Iterable[Literal]], str]


def to_text(ruleset: RuleSet) -> str:
    """Return the rule of each class, then what is answered otherwise.

    >>> from gnri.rules.dnf import SignedDNF
    >>> from gnri.data.schema import Above, Equals, Schema
    >>> schema = Schema((Above("age", 30.0), Above("age", 45.0), Equals("odor", "foul")))
    >>> rule = SignedDNF([[(0, True), (1, False)], [(2, True)]])
    >>> print(to_text(RuleSet(schema, ("edible", "poisonous"), (rule,), majority=0)))
    poisonous if
        odor = foul
        or 30 < age <= 45
    otherwise edible
    """
    lines = [line for i in ruleset.listed for line in rule_lines(ruleset, i)]
    return "\n".join(lines + ending_lines(ruleset))


def rule_lines(ruleset: RuleSet, i: int) -> list[str]:
    """Return the rule of this index, a line for its class and one for each clause."""
    head, *clauses = outline(ruleset, i)
    return [head, *(f"    {words}" for words in clauses)]


def outline(
    ruleset: RuleSet, i: int, name: SayName = spell, say: SayClause = say_clause
) -> list[str]:
    """Return what is said of the class of a rule, then each of its clauses."""
    rule, owner = ruleset.rules[i], name(ruleset.owner(i))
    if rule is None:
        return [f"{owner}: no rule"]
    # A rule after the first speaks only of rows which the rules before it leave. A complement is
    # said as it is; spelling out its negation would be another rule.
    start = "" if ruleset.asked[0] == i else "otherwise "
    clauses = [say(ruleset.schema, items) for items in sorted_clauses(rule)] or ["never"]
    head = f"{start}{owner} {'if' if rule.positive else 'unless'}"
    return [head, clauses[0], *(f"or {words}" for words in clauses[1:])]


def ending_lines(ruleset: RuleSet, name: SayName = spell) -> list[str]:
    """Return what is answered where no rule is true, or where missing cells leave one open."""
    majority = name(ruleset.classes[ruleset.majority])
    if not ruleset.asked:
        return [f"always {majority}"]
    if len(ruleset.classes) == 2:
        ending = [f"otherwise {name(ruleset.classes[0])}"]
        open_end = f"where missing values leave it open, {majority}"
        return [*ending, open_end] if ruleset.majority else ending
    rules = [ruleset.rules[i] for i in ruleset.asked]
    complements = any(rule is not None and not rule.positive for rule in rules)
    open_end = "a rule that missing values leave open does not hold"
    return [f"otherwise {majority}", *([open_end] if complements else [])]
