"""Write a rule list in words."""

from collections.abc import Sequence
from dataclasses import replace

from gnri.data.schema import Schema
from gnri.errors import plural
from gnri.formats.conditions import WORDS, Notation, explain_values, write_clause
from gnri.formats.point_lines import check_scale, point_endings, point_outline
from gnri.rules.dnf import Clause, Literal, SignedDNF
from gnri.rules.rule_list import RuleList, Step
from gnri.rules.scorecard import AnyRule, Scorecard


def to_text(rule_list: RuleList, points_scale: Sequence[float] | None = None) -> str:
    """Return the rule of each step, then the answer where none applies.

    `points_scale` writes a point table in other units: a score, the odds at that score, and the
    points that double the odds, such as (600, 50, 20).

    >>> from gnri.rules.dnf import SignedDNF
    >>> from gnri.data.schema import Above, Equals, Schema
    >>> schema = Schema((Above("age", 30.0), Above("age", 45.0), Equals("odor", "foul")))
    >>> rule = SignedDNF([[(0, True), (1, False)], [(2, True)]])
    >>> print(to_text(RuleList.binary(schema, ("edible", "poisonous"), rule)))
    poisonous if
        odor = foul
        or 30 < age <= 45
    otherwise edible
    """
    notation = replace(WORDS, scale=check_scale(points_scale, rule_list))
    lines = [line for step in rule_list.steps for line in rule_lines(rule_list, step, notation)]
    return "\n".join(lines + no_rule_lines(rule_list) + ending_lines(rule_list, notation))


def rule_lines(rule_list: RuleList, step: Step, notation: Notation = WORDS) -> list[str]:
    """Return the rule of a step, a line for its class and one for each clause."""
    head, *clauses = outline(rule_list, step, notation)
    return [head, *(f"    {words}" for words in clauses)]


def outline(rule_list: RuleList, step: Step, notation: Notation = WORDS) -> list[str]:
    """Return a line for the class of a rule, then one for each clause."""
    together = rule_list.most_points_win or step is rule_list.steps[0]
    start = "" if together else "otherwise "
    head = f"{start}{notation.label(rule_list.classes[rule_list.subject(step)])}"
    rule, schema = step.rule, rule_list.schema
    if isinstance(rule, Scorecard):
        return point_outline(rule_list, rule, head, notation)
    # A complement is written with "unless": its negation written out would be another rule.
    clauses = [write_clause(schema, items, notation) for items, _ in rule.lines]
    first, *others = clauses or ["never"]
    return [
        f"{head} {'if' if rule.positive else 'unless'}",
        first,
        *(f"or {one}" for one in others),
    ]


def headings(rule_list: RuleList, notation: Notation = WORDS) -> list[str]:
    """Return the line for the class of each rule, then one for each class without a rule."""
    heads = [outline(rule_list, step, notation)[0] for step in rule_list.steps]
    return heads + no_rule_lines(rule_list, notation)


def parts_in_words(schema: Schema, rule: AnyRule) -> list[tuple[Clause, str]]:
    """Return the clauses of a rule, or the lines of a scorecard with their points, in words."""
    return [
        (line, write_clause(schema, line) + ("" if p is None else f": {plural(p, 'point')}"))
        for line, p in rule.lines
    ]


def is_positive(rule: AnyRule) -> bool:
    """Return whether the rule holds where its conditions do; a complement holds elsewhere."""
    return not isinstance(rule, SignedDNF) or rule.positive


def no_rule_lines(rule_list: RuleList, notation: Notation = WORDS) -> list[str]:
    """Return a line for each class that has no rule and is never answered."""
    return [
        f"{notation.label(rule_list.classes[kind])}: no rule" for kind in rule_list.without_rule
    ]


def ending_lines(rule_list: RuleList, notation: Notation = WORDS) -> list[str]:
    """Return the answer where no rule is true, or unknown, and what words for values stand for."""
    literals = {one for rule in rule_list.rules for line, _ in rule.lines for one in line}
    if rule_list.unit is not None:  # points are by value, and so say what any other value gets
        literals = {Literal(atom) for atom in rule_list.atoms}
    return [*_answers(rule_list, notation), *explain_values(rule_list.schema, literals, notation)]


def _answers(rule_list: RuleList, notation: Notation) -> list[str]:
    """Return the answer where no rule is true, and where missing cells leave one unknown."""
    if rule_list.unit is not None:
        return point_endings(rule_list, notation)
    default = notation.label(rule_list.classes[rule_list.default])
    if not rule_list.steps:
        return [f"always {default}"]
    *before, last = rule_list.steps
    otherwise = default if last.truth == 1 else notation.label(rule_list.classes[last.answer])
    if last.truth == 1 and all(is_positive(step.rule) for step in rule_list.steps):
        return [f"otherwise {otherwise}"]
    unknown = "a rule that missing values leave open does not hold"
    return [
        f"otherwise {otherwise}",
        unknown if before else f"where missing values leave it open, {default}",
    ]
