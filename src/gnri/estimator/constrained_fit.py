"""Learn within constraints: atoms of codes, clauses that stay, columns that must be read."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from gnri.data.discretize import learn_schema
from gnri.data.schema import Above, Atom, Equals, Schema, make_schema
from gnri.data.value_counts import NumberCounts, ValueCounts
from gnri.errors import GnriError, shorten
from gnri.estimator.constraints import Bounds, Constraints, is_masked
from gnri.estimator.multiclass import Tasks
from gnri.induction import best_rule, candidates, check_limits
from gnri.model.guided.candidates import Candidate, Guided, RailRule, Scorer, shortlist
from gnri.rules.dnf import Clause, SignedDNF, cover_of
from gnri.rules.minimize import minimize
from gnri.rules.row_expression import EVERYTHING, any_of
from gnri.rules.rule_list import RuleList
from gnri.rules.scorecard import AnyRule
from gnri.search.limits import Limits

if TYPE_CHECKING:
    from gnri.estimator.settings import FitSettings


def learn_constrained_atoms(
    counts: Sequence[ValueCounts], rows: int, settings: "FitSettings", limits: Constraints
) -> Schema:
    """Return the atoms of the columns that are not forbidden, with those of codes and kept clauses.

    Codes take no part in the choice of thresholds. A column with codes has each threshold twice:
    once as it is, and once unknown on codes.
    """
    used = [one for one in counts if one.name not in limits.forbid]
    if not used:
        raise GnriError("forbid leaves no column to learn from; allow at least one")
    numbers = [
        replace(one, numbers=without_codes(one.numbers, limits.special.get(one.name, ())))
        for one in used
    ]
    cuts = {k: own for k, own in (settings.thresholds or {}).items() if k not in limits.forbid}
    found = learn_schema(numbers, rows, settings.binarizer_settings(len(used)), cuts)
    kept = () if limits.kept is None else limits.kept.clauses
    wanted = dict.fromkeys(atom for part in kept for atom, _ in part if isinstance(atom, Above))
    atoms: list[Atom] = []
    for name in [one.name for one in used]:
        own = [atom for atom in found.atoms if atom.column == name]
        own += [atom for atom in wanted if atom.column == name and atom not in own]
        if name in limits.special:
            codes = limits.special[name]
            own += [Equals(name, int(c) if c == int(c) else c) for c in codes]
            own += [replace(atom, codes=codes) for atom in own if isinstance(atom, Above)]
        atoms += own
    return make_schema(atoms)


def without_codes(numbers: NumberCounts, codes: Iterable[float]) -> NumberCounts:
    """Return the counts of all numbers but these."""
    left = ~(np.isin(numbers.lowest, list(codes)) & (numbers.lowest == numbers.highest))
    return replace(
        numbers,
        counts=numbers.counts[left],
        lowest=numbers.lowest[left],
        highest=numbers.highest[left],
    )


def movable_numbers(
    numbers: Mapping[str, NumberCounts], limits: Constraints
) -> dict[str, NumberCounts]:
    """Return the numbers between which thresholds may move.

    They are no codes, and of no column of a kept clause, or with codes among its numbers: a
    threshold that passes a code would take it into a range.
    """
    fixed = [] if limits.kept is None else limits.kept.columns
    found = {}
    for name in [name for name in numbers if name not in fixed]:
        codes = limits.special.get(name, ())
        own = without_codes(numbers[name], codes)
        if not any(own.lowest[0] < code < own.highest[-1] for code in codes if len(own.counts)):
            found[name] = own
    return found


def drop_masked(rules: RuleList) -> RuleList:
    """Return the rules over the atoms that are known on codes; they read no others."""
    atoms = rules.schema.atoms
    known = [i for i, atom in enumerate(atoms) if not is_masked(atom)]
    if len(known) == len(atoms):
        return rules
    return replace(rules.select_atoms(known), schema=make_schema([atoms[i] for i in known]))


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
        rule = None
        if problem.is_learnable and limits.max_clauses:
            scorer = model.scorer(problem)
            rules = candidates(scorer, limits) if refine else scorer.written
            if kept is not None:
                rules = [one for one in rules if one.rail == 1 - kept.positive]
            if bounds.forced and first:
                rules = read_required(scorer, rules, wanted, limits)
            rule = best_rule(problem, shortlist(rules), limits) if rules else None
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


def shorten_rules(rules: RuleList, limits: Constraints, negations: bool) -> RuleList:
    """Return the rules in fewer words, with the kept clauses as they were given.

    Codes do not become part of a range. Raise if a column that must be read is not.
    """
    kept = limits.bind(rules.schema, range(len(rules.classes))).kept
    if kept is not None:
        (rule,) = rules.dnfs
        others = minimize(SignedDNF(rule.clauses - kept.clauses), rules.schema, negations=negations)
        clauses = kept.clauses.union(part for part, _ in others.lines)
        found = rules.with_rules([SignedDNF(clauses, rule.positive)])
    elif limits.special:
        found = rules.with_rules([_shorten_clauses(rule, rules, negations) for rule in rules.rules])
    else:
        found = rules.minimized(negations)
    unread = [name for name in limits.require if name not in found.columns]
    if unread:
        raise GnriError(
            f"require names column {shorten(unread[0])}, but no rule that reads it was found, as "
            "it does not vary or says nothing more; leave it out there, or try form='dnf'"
        )
    return found


def _shorten_clauses(rule: AnyRule, rules: RuleList, negations: bool) -> AnyRule:
    """Return the rule with each clause in fewer words, by itself."""
    if not isinstance(rule, SignedDNF):
        return rule
    alone = [SignedDNF([part]) for part in rule.clauses]
    found = [minimize(one, rules.schema, negations=negations) for one in alone]
    return SignedDNF([part for one in found for part, _ in one.lines], rule.positive)
