"""Learn within constraints: atoms of codes, clauses that stay, columns that must be read."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from gnri.data.discretize import learn_schema
from gnri.data.schema import Above, Atom, Equals, Schema, make_schema
from gnri.data.value_counts import NumberCounts, ValueCounts
from gnri.errors import GnriError
from gnri.estimator.constraint_words import read_keep
from gnri.estimator.constraints import Bounds, is_masked
from gnri.estimator.multiclass import Tasks
from gnri.induction import candidates, check_limits
from gnri.model.guided.candidates import Candidate, Guided, RailRule, Scorer, choose, shortlist
from gnri.rules.dnf import Clause, Literal, SignedDNF, cover_of
from gnri.rules.minimize import minimize
from gnri.rules.row_expression import EVERYTHING, any_of
from gnri.rules.rule_list import RuleList
from gnri.rules.scorecard import AnyRule
from gnri.search.limits import Limits

if TYPE_CHECKING:
    from gnri.estimator.settings import FitSettings


def learn_constrained_atoms(
    counts: Sequence[ValueCounts], rows: int, settings: "FitSettings"
) -> Schema:
    """Return the atoms of the columns that are not forbidden, with those of codes and kept clauses.

    Codes take no part in the choice of thresholds. A column with codes has each threshold twice:
    once as it is, and once unknown on codes.
    """
    forbidden, special = set(settings.forbid or ()), settings.special or {}
    used = [one for one in counts if one.name not in forbidden]
    if not used:
        raise GnriError("forbid leaves no column to learn from; allow at least one")
    numbers = [
        replace(one, numbers=without_codes(one.numbers, special[one.name]))
        if one.name in special
        else one
        for one in used
    ]
    binarizer = settings.binarizer_settings(len(used))
    kept = () if settings.keep is None else read_keep(settings.keep).clauses
    wanted = [atom for part in kept for atom, _ in part if isinstance(atom, Above)]
    cuts = {k: own for k, own in (settings.thresholds or {}).items() if k not in forbidden}
    found = learn_schema(numbers, rows, binarizer, cuts)
    atoms: list[Atom] = []
    for name in [one.name for one in used]:
        own = [atom for atom in found.atoms if atom.column == name]
        own += [atom for atom in dict.fromkeys(wanted) if atom.column == name and atom not in own]
        if name in special:
            codes = tuple(sorted(map(float, special[name])))
            own += [Equals(name, int(c) if c == int(c) else c) for c in codes]
            own += [replace(atom, codes=codes) for atom in own if isinstance(atom, Above)]
        atoms += own
    return make_schema(atoms)


def without_codes(numbers: NumberCounts, codes: Iterable[float]) -> NumberCounts:
    """Return the counts of all numbers but these."""
    wanted = np.array(sorted(map(float, codes)))
    left = ~(np.isin(numbers.lowest, wanted) & (numbers.lowest == numbers.highest))
    return replace(
        numbers,
        counts=numbers.counts[left],
        lowest=numbers.lowest[left],
        highest=numbers.highest[left],
    )


def movable_numbers(
    numbers: Mapping[str, NumberCounts], settings: "FitSettings"
) -> dict[str, NumberCounts]:
    """Return the numbers between which thresholds may move.

    They are no codes, and of no column of a kept clause, or with codes among its numbers: a
    threshold that passes a code would take it into a range.
    """
    words = () if settings.keep is None else read_keep(settings.keep).clauses
    fixed = {atom.column for part in words for atom, _ in part}
    special = settings.special or {}
    left = {name: own for name, own in numbers.items() if name not in fixed}
    for name in special.keys() & left.keys():
        own = left[name] = without_codes(left[name], special[name])
        if any(own.lowest[0] < code < own.highest[-1] for code in special[name] if len(own.counts)):
            del left[name]
    return left


def drop_masked(rules: RuleList) -> RuleList:
    """Return the rules over the atoms that are known on codes; they read no others."""
    atoms = rules.schema.atoms
    left = [i for i, atom in enumerate(atoms) if not is_masked(atom)]
    if len(left) == len(atoms):
        return rules
    place = {i: k for k, i in enumerate(left)}
    moved = [
        rule.map_literals(lambda one: Literal(place[one.atom], one.positive))
        for rule in rules.rules
    ]
    pairs = zip(rules.steps, moved, strict=True)
    steps = tuple(step._replace(rule=rule) for step, rule in pairs)
    return replace(rules, steps=steps, schema=make_schema([atoms[i] for i in left]))


def learn_bounded(
    tasks: Tasks, model: Guided, limits: Limits, bounds: Bounds, *, refine: bool
) -> list[SignedDNF | None]:
    """Return the rule of each task within the bounds; kept clauses answer their rows first."""
    check_limits(limits, refine)
    kept, first = bounds.kept, tasks.counter.within == EVERYTHING
    if kept is not None:
        rest = tasks.counter.without(any_of(map(cover_of, kept.clauses)))
        tasks = replace(tasks, counter=rest)
        limits = replace(limits, max_clauses=max(0, limits.max_clauses - len(kept.clauses)))
    read = frozenset[int]() if kept is None else kept.atoms
    wanted = [group for group in bounds.required if not group & read]
    found = []
    for problem in tasks.problems(limits.negations, bounds.allowed):
        best = None
        if problem.is_learnable and limits.max_clauses:
            scorer = model.scorer(problem)
            rules = candidates(scorer, limits) if refine else scorer.written
            if kept is not None:
                rules = [one for one in rules if one.rail == 1 - kept.positive]
            if bounds.forced and first:
                rules = read_required(scorer, rules, wanted, limits)
            best = choose(shortlist(rules))[0] if rules else None
        rule = None
        if best is not None and best.clauses:
            rule = problem.to_rule(best.rail, best.clauses, limits.max_clauses)
        rule = bounds.to_plain(rule)
        if kept is not None:
            more = frozenset[Clause]() if rule is None else rule.clauses
            rule = SignedDNF(kept.clauses | more, kept.positive)
        found.append(rule)
    return found


def read_required(
    scorer: Scorer, rules: list[Candidate], groups: Sequence[frozenset[int]], limits: Limits
) -> list[Candidate]:
    """Return rules that read an atom of each group, made by adding literals or clauses.

    Each round adds one literal to each good rule, in each way there is, and keeps the best. Of
    rules that nothing tells apart none is kept.
    """
    sides = scorer.problem.classes, scorer.problem.others or scorer.problem.classes

    def lacking(rule: Candidate) -> list[frozenset[int]]:
        parts = [sides[rule.rail][i] for clause in rule.clauses for i in clause]
        read = {one.atom for part in parts for one in part}
        return [group for group in groups if not group & read]

    done = [rule for rule in rules if not lacking(rule)]
    pool = rules and shortlist(rules)
    for _ in groups:
        grown = dict[RailRule, None]()
        for rule in pool:
            wanted = frozenset[int]().union(*lacking(rule))
            for i, members in enumerate(sides[rule.rail]):
                if any(one.atom in wanted for one in members):
                    added = [rule.clauses | {frozenset({i})}]
                    added += [rule.clauses - {part} | {part | {i}} for part in rule.clauses]
                    grown |= {(rule.rail, one): None for one in added if limits.allow(one)}
        scored = scorer.score(list(grown))
        times = Counter((one.rail, one.key) for one in scored)
        pool = [one for one in scored if times[one.rail, one.key] == 1]
        pool = pool and shortlist(pool)
        done += [rule for rule in pool if not lacking(rule)]
    return done


def shorten_clauses(rules: RuleList, negations: bool) -> RuleList:
    """Return the rules with each clause in fewer words; codes do not become part of a range."""

    def shorter(rule: AnyRule) -> AnyRule:
        if not isinstance(rule, SignedDNF):
            return rule
        alone = [SignedDNF([part]) for part in rule.clauses]
        found = [minimize(one, rules.schema, negations=negations) for one in alone]
        return SignedDNF([part for one in found for part, _ in one.lines], rule.positive)

    return rules.with_rules(list(map(shorter, rules.rules)))


def keep_words(rules: RuleList, kept: SignedDNF, negations: bool) -> RuleList:
    """Return the rules in fewer words, with the kept clauses as they were given."""
    (rule,) = rules.dnfs
    more = minimize(SignedDNF(rule.clauses - kept.clauses), rules.schema, negations=negations)
    assert isinstance(more, SignedDNF)
    return rules.with_rules([SignedDNF(kept.clauses | more.clauses, rule.positive)])
