"""What rules say of their classes, counted where the rows are."""

from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from operator import and_, or_

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
    return _join(or_, map(covered, rule.clauses), NOTHING)


def _fails(rule: SignedDNF) -> Rows:
    """The rows on which each clause is false: the negation of one of its literals holds."""
    return _join(and_, map(_broken, rule.clauses), EVERYTHING)


def _broken(clause: Clause) -> Rows:
    return _join(or_, (cover([2 * atom + positive]) for atom, positive in clause), NOTHING)


def _join(operator: Callable[[Rows, Rows], Rows], rows: Iterable[Rows], none: Rows) -> Rows:
    """Join them two by two: one by one, a thousand would be nested too deep to be made."""
    left = list(rows)
    while len(left) > 1:
        left = [reduce(operator, left[i : i + 2]) for i in range(0, len(left), 2)]
    return left[0] if left else none
