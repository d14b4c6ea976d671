"""What rules say of their classes, counted where the rows are."""

from collections.abc import Iterator

from gnri.counts.counted import Counter
from gnri.rules.dnf import Clause, SignedDNF
from gnri.rules.row_expression import EVERYTHING, NOTHING, Rows, cover
from gnri.rules.rule_list import RuleSet


def votes_of(counter: Counter, ruleset: RuleSet) -> tuple[tuple[int, ...], ...]:
    """Rows of each class, as `gnri.estimator.leaf_counts.votes_of` counts them in memory."""
    sides = _sides(ruleset) if len(ruleset.classes) == 2 else [*_turns(ruleset)]
    return tuple(tuple(sizes) for sizes in counter.sizes(sides).tolist())


def _sides(ruleset: RuleSet) -> list[Rows]:
    """Where the one rule is true, where it is false, and all rows."""
    rule = ruleset.rules[0]
    if rule is None:
        return [NOTHING, NOTHING, EVERYTHING]
    return [where_true(rule), where_false(rule), EVERYTHING]


def _turns(ruleset: RuleSet) -> Iterator[Rows]:
    """Where each rule is the first that is true, and where none is."""
    left: Rows = EVERYTHING
    for rows, reached in zip(truths_of(ruleset), reached_of(ruleset), strict=True):
        yield rows & reached
        left = reached & ~rows
    yield left


def truths_of(ruleset: RuleSet) -> list[Rows]:
    """Where each of the rules that are asked is true."""
    return [where_true(rule) for i in ruleset.asked if (rule := ruleset.rules[i]) is not None]


def reached_of(ruleset: RuleSet) -> list[Rows]:
    """The rows that each of them is asked about: those which no rule before it takes."""
    found: list[Rows] = [EVERYTHING]
    for rows in truths_of(ruleset):
        found.append(found[-1] & ~rows)
    return found[:-1]


def where_true(rule: SignedDNF) -> Rows:
    """The rows on which a rule is true."""
    return _holds(rule) if rule.positive else _fails(rule)


def where_false(rule: SignedDNF) -> Rows:
    """The rows on which a rule is false."""
    return _fails(rule) if rule.positive else _holds(rule)


def covered(clause: Clause) -> Rows:
    """The rows on which all literals of a clause are true."""
    return cover(2 * atom + (not positive) for atom, positive in clause)


def _holds(rule: SignedDNF) -> Rows:
    """The rows on which some clause is true."""
    rows: Rows = NOTHING
    for clause in rule.clauses:
        rows = rows | covered(clause)
    return rows


def _fails(rule: SignedDNF) -> Rows:
    """The rows on which each clause is false: the negation of one of its literals holds."""
    rows: Rows = EVERYTHING
    for clause in rule.clauses:
        broken: Rows = NOTHING
        for atom, positive in clause:
            broken = broken | cover([2 * atom + positive])
        rows = rows & broken
    return rows
