"""A classifier in words."""

from collections.abc import Callable

from gnri.data.schema import Scalar
from gnri.formats.conditions import say_clause, spell
from gnri.rules.dnf import sorted_clauses
from gnri.rules.rule_list import RuleSet

TRUTH_WORDS = {1: "holds", -1: "fails", 0: "is unknown"}


def to_text(ruleset: RuleSet) -> str:
    """The rule of each class, then what is answered otherwise.

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
    """The rule of this index, a line for its class and one for each clause."""
    rule, owner = ruleset.rules[i], spell(ruleset.owner(i))
    if rule is None:
        return [f"{owner}: no rule"]
    clauses = [say_clause(ruleset.schema, items) for items in sorted_clauses(rule)] or ["never"]
    # A complement is said as it is; spelling out its negation would be another rule.
    head = f"{otherwise(ruleset, i)}{owner} {'if' if rule.positive else 'unless'}"
    return [head, f"    {clauses[0]}", *(f"    or {words}" for words in clauses[1:])]


def otherwise(ruleset: RuleSet, i: int) -> str:
    """What begins a rule that speaks only of rows which the rules before it leave."""
    return "" if ruleset.asked[0] == i else "otherwise "


def ending_lines(ruleset: RuleSet) -> list[str]:
    """What is answered where no rule is true, below the rules."""
    majority = spell(ruleset.classes[ruleset.majority])
    if not ruleset.asked:
        return [f"always {majority}"]
    other = majority if len(ruleset.classes) > 2 else spell(ruleset.classes[0])
    return [f"otherwise {other}", *open_end(ruleset)]


def open_end(ruleset: RuleSet, name: Callable[[Scalar], str] = spell) -> list[str]:
    """What holds where missing cells leave a rule open, if that is not clear by itself."""
    if len(ruleset.classes) == 2:
        majority = name(ruleset.classes[ruleset.majority])
        return [f"where missing values leave it open, {majority}"] if ruleset.majority else []
    asked = [ruleset.rules[i] for i in ruleset.asked]
    complements = [rule for rule in asked if rule is not None and not rule.positive]
    return ["a rule that missing values leave open does not hold"] if complements else []
