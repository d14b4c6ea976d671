"""A classifier in words."""

from gnri.logic.formula import sorted_clauses
from gnri.render.classifier import RuleSet
from gnri.render.words import say_clause, spell

TRUTH_WORDS = {1: "holds", -1: "fails", 0: "is unknown"}


def to_text(ruleset: RuleSet) -> str:
    """The rule of each class, then what is answered otherwise.

    >>> from gnri.logic.formula import SignedDNF
    >>> from gnri.schema import Above, Equals, Schema
    >>> schema = Schema((Above("age", 30.0), Above("age", 45.0), Equals("odor", "foul")))
    >>> rule = SignedDNF([[(0, True), (1, False)], [(2, True)]])
    >>> print(to_text(RuleSet(schema, ("edible", "poisonous"), (rule,), majority=0)))
    poisonous if
        odor = foul
        or 30 < age <= 45
    otherwise edible
    """
    lines = [line for i in range(len(ruleset.rules)) for line in rule_lines(ruleset, i)]
    return "\n".join(lines + ending_lines(ruleset))


def rule_lines(ruleset: RuleSet, i: int) -> list[str]:
    """The rule of this index, a line for its class and one for each clause."""
    rule, owner = ruleset.rules[i], spell(ruleset.owner(i))
    if rule is None:
        return [f"{owner}: no rule"]
    clauses = [say_clause(ruleset.schema, items) for items in sorted_clauses(rule)] or ["never"]
    # A complement is said as it is; spelling out its negation would be another rule.
    head = f"{owner} {'if' if rule.positive else 'unless'}"
    return [head, f"    {clauses[0]}", *(f"    or {words}" for words in clauses[1:])]


def ending_lines(ruleset: RuleSet) -> list[str]:
    """What is answered by the rules together, below them."""
    return _binary_ending(ruleset) if len(ruleset.classes) == 2 else _ranked_ending(ruleset)


def _binary_ending(ruleset: RuleSet) -> list[str]:
    other, majority = spell(ruleset.classes[0]), spell(ruleset.classes[ruleset.majority])
    if ruleset.rules[0] is None:
        return [f"always {majority}"]
    if ruleset.majority == 0:
        return [f"otherwise {other}"]
    return [f"otherwise {other}", f"where missing values leave it open, {majority}"]


def _ranked_ending(ruleset: RuleSet) -> list[str]:
    """The decision list, since several rules may hold at once, or none."""
    steps, default = ruleset.decisions
    return [
        "the answer is the first that applies:",
        *(
            f"    {spell(ruleset.classes[step.answer])} "
            f"if the rule of {spell(ruleset.owner(step.rule))} {TRUTH_WORDS[step.truth]}"
            for step in steps
        ),
        f"    otherwise {spell(ruleset.classes[default])}",
    ]
