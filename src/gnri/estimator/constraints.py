"""What a user knows of a table, as limits on rules: for columns and classes, then for atoms.

`Constraints` speaks of columns and classes. `Bounds` says the same of atoms, which is all that
learning sees; a symmetry moves it together with the table.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from gnri.counts.problem import Allowed
from gnri.counts.states import ColumnStates
from gnri.data.discretize import learn_schema
from gnri.data.schema import Above, Atom, Equals, IsTrue, OneOf, Schema, make_schema
from gnri.data.value_counts import NumberCounts, ValueCounts
from gnri.errors import GnriError, shorten
from gnri.estimator.multiclass import Tasks
from gnri.induction import candidates
from gnri.model.guided.candidates import Candidate, Guided, RailRule, Scorer, choose, shortlist
from gnri.rules.dnf import Clause, Literal, SignedDNF, cover_of
from gnri.rules.minimize import minimize
from gnri.rules.row_expression import EVERYTHING, any_of
from gnri.rules.rule_list import RuleList
from gnri.rules.scorecard import AnyRule
from gnri.search.limits import Limits
from gnri.search.point_moves import LineLimits

if TYPE_CHECKING:
    from gnri.estimator.settings import FitSettings
    from gnri.symmetry.group import Symmetry

Condition = tuple[Atom, bool]
"""An atom and the truth it must have, whatever its place in a schema."""


@dataclass(frozen=True)
class Kept:
    """Clauses that stay, of the class with this index."""

    clauses: tuple[tuple[Condition, ...], ...]
    kind: int


@dataclass(frozen=True)
class Constraints:
    """Limits on rules, checked; classes are given by index, and directions are +1 or -1."""

    monotone: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    require: tuple[str, ...] = ()
    prices: Mapping[str, Fraction] = field(default_factory=dict)
    special: frozenset[str] = frozenset()
    kept: Kept | None = None

    def bind(self, schema: Schema, kinds: Sequence[int]) -> "Bounds":
        """Return the limits on atoms, where only these classes occur."""
        barred: list[set[Literal]] = [set() for _ in kinds]
        factors = {}
        masked = {(a.column, a.cut): i for i, a in enumerate(schema.atoms) if is_masked(a)}
        plain, natural = dict[Literal, Clause](), set[int]()
        for i, atom in enumerate(schema.atoms):
            if atom.column in self.prices:
                factors[i] = self.prices[atom.column]
            target, direction = self.monotone.get(atom.column, (-1, 0))
            if target in kinds and isinstance(atom, Above | IsTrue):
                for kind, own in zip(kinds, barred, strict=True):
                    own.add(Literal(i, (direction < 0) == (kind == target)))
            hidden = masked.get((atom.column, atom.cut)) if isinstance(atom, Above) else None
            if hidden is not None and hidden != i:
                codes = _codes_of(schema, atom.column)
                natural.add(i)
                for sign in (True, False):
                    inside = {~Literal(k) for k, value in codes if (value > atom.cut) == sign}
                    plain[Literal(hidden, sign)] = frozenset({Literal(i, sign), *inside})
        read = [{i for i, a in enumerate(schema.atoms) if a.column == c} for c in self.require]
        kept = None
        if self.kept is not None:
            found = [[find_literal(schema, *one) for one in part] for part in self.kept.clauses]
            kept = SignedDNF(found, positive=self.kept.kind == kinds[-1])
        return Bounds(
            tuple(map(frozenset, barred)),
            factors,
            tuple(map(frozenset, read)),
            plain,
            frozenset(natural),
            kept,
        )

    def finish(self, rules: RuleList) -> RuleList:
        """Return learnt rules over the atoms that finished rules may read."""
        return drop_masked(rules)

    def check(self, rules: RuleList, minimized: RuleList, negations: bool) -> RuleList:
        """Return the rules in fewer words, kept clauses as they were given.

        Raise if they do not read a column that they must.
        """
        kept = self.bind(rules.schema, range(len(rules.classes))).kept
        if kept is not None:
            minimized = keep_words(rules, kept, negations)
        elif self.special:
            minimized = shorten_clauses(rules, negations)
        unread = [name for name in self.require if name not in minimized.columns]
        if unread:
            raise GnriError(
                f"require names column {shorten(unread[0])}, but no rule that reads it was found, "
                "as it does not vary or says nothing more; leave it out there, or try form='dnf'"
            )
        return minimized


def is_masked(atom: Atom) -> bool:
    """Return whether an atom is unknown on codes."""
    return isinstance(atom, Above) and bool(atom.codes)


def _codes_of(schema: Schema, column: str) -> list[tuple[int, Any]]:
    """Return the atoms of the codes of a column, each with its code."""
    found = [(i, atom) for i, atom in enumerate(schema.atoms) if atom.column == column]
    return [(i, atom.value) for i, atom in found if isinstance(atom, Equals)]


@dataclass(frozen=True)
class Bounds:
    """Limits on atoms.

    `barred` has for each class the literals that may not speak for it; `factors` what the price of
    an atom is multiplied by; `required` the atoms of each column that must be read; `plain` the
    literals that a finished rule has for one that is unknown on codes; `natural` the thresholds
    that these are about; `kept` the clauses that stay. If `forced`, a rule that does not read the required columns is changed until it does.
    """

    barred: tuple[frozenset[Literal], ...]
    factors: Mapping[int, Fraction] = field(default_factory=dict)
    required: tuple[frozenset[int], ...] = ()
    plain: Mapping[Literal, Clause] = field(default_factory=dict)
    natural: frozenset[int] = frozenset()
    kept: SignedDNF | None = None
    forced: bool = False

    @cached_property
    def allowed(self) -> Allowed:
        """The literals that clauses may hold: thresholds are unknown on codes."""
        never = {Literal(i, sign) for i in self.natural for sign in (True, False)}
        return Allowed({kind: own | never for kind, own in enumerate(self.barred)}, self.factors)

    def offer(self, classes: Sequence[frozenset[Literal]]) -> list[frozenset[Literal]]:
        """Return which members of each class of literals may stand in lines of a point table."""
        hidden = {Literal(i, sign) for i in self.natural for sign in (True, False)}
        hidden |= self.plain.keys()
        return Allowed({0: hidden}, self.factors).choose(classes, 0, 0)

    def limit(self, target: int, column: ColumnStates) -> LineLimits:
        """Return what points the lines of a column, or a clause, may have for a class."""
        barred = self.barred[target]
        low = [-int(not any(~one in barred for one in line)) for line in column.lines]
        high = [int(not any(one in barred for one in line)) for line in column.lines]
        atoms = {one.atom for line in column.lines for one in line}
        single = len(column.lines[0]) == 1
        if single and self.forced and any(atoms & group for group in self.required):
            return LineLimits(np.array(low), np.array(high), Fraction(0), True)
        factors = [self.factors.get(atom, Fraction(1)) for atom in atoms]
        factor = max(factors) if single else sum(factors, Fraction(0)) / len(factors)
        return LineLimits(np.array(low), np.array(high), factor)

    def missing(self, rules: RuleList) -> tuple[frozenset[int], ...]:
        """Return the required groups of atoms that the rules do not read."""
        read = set(rules.atoms)
        return tuple(group for group in self.required if not group & read)

    def force(self, rules: RuleList) -> "Bounds":
        """Return the limits with which a rule must read what these rules do not."""
        return replace(self, required=self.missing(rules), forced=True)

    def to_plain(self, rule: SignedDNF | None) -> SignedDNF | None:
        """Return the rule with thresholds that are known on codes, and codes excluded."""
        if rule is None or not self.plain:
            return rule
        clauses = (
            frozenset[Literal]().union(*(self.plain.get(one, {one}) for one in part))
            for part in rule.clauses
        )
        return SignedDNF(clauses, rule.positive)

    def move(self, g: "Symmetry") -> "Bounds":
        """Return the image of the limits under a symmetry, which moves atoms and classes."""

        def moved(literals: Iterable[Literal]) -> Clause:
            return frozenset(map(g, literals))

        barred = [moved(own) for own in self.barred]
        return replace(
            self,
            barred=tuple(barred[::-1] if g.label else barred),
            factors={g.atoms[atom]: factor for atom, factor in self.factors.items()},
            required=tuple(frozenset(g.atoms[i] for i in group) for group in self.required),
            plain={g(one): moved(part) for one, part in self.plain.items()},
            natural=frozenset(g.atoms[i] for i in self.natural),
            kept=g(self.kept),
        )


def learn_constrained_atoms(
    counts: Sequence[ValueCounts], rows: int, settings: "FitSettings"
) -> Schema:
    """Return the atoms of the columns that are not forbidden, with those of codes and kept clauses.

    Codes take no part in the choice of thresholds. A column with codes has each threshold twice:
    once as it is, and once unknown on codes.
    """
    from gnri.estimator.constraint_words import read_keep

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
    found = learn_schema(numbers, rows, binarizer, settings.thresholds)
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
    from gnri.estimator.constraint_words import read_keep

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


def find_literal(schema: Schema, atom: Atom, positive: bool) -> Literal:
    """Return the literal of a schema that says that an atom has this truth."""
    for i, own in enumerate(schema.atoms):
        if own.column != atom.column or is_masked(own):
            continue
        if isinstance(own, Equals) and isinstance(atom, Equals):
            if _same_value(own.value, atom.value):
                return Literal(i, positive)
            if own.other is not None and _same_value(own.other, atom.value):
                return Literal(i, not positive)
        if own == atom or (
            isinstance(own, OneOf)
            and isinstance(atom, OneOf)
            and set(map(str, own.values)) == set(map(str, atom.values))
        ):
            return Literal(i, positive)
    raise GnriError(
        f"keep has a condition on column {shorten(atom.column)} that no question about this table "
        "can express: the column does not vary, or the value is rare, or there is none; "
        "change the condition"
    )


def _same_value(one: Any, other: Any) -> bool:
    return str(one) == str(other) or (
        not isinstance(one, str) and not isinstance(other, str) and one == other
    )


def learn_bounded(
    tasks: Tasks, model: Guided, limits: Limits, bounds: Bounds, *, refine: bool
) -> list[SignedDNF | None]:
    """Return the rule of each task within the bounds; kept clauses answer their rows first."""
    kept, first = bounds.kept, tasks.counter.within == EVERYTHING
    if kept is not None:
        rest = tasks.counter.without(any_of(map(cover_of, kept.clauses)))
        tasks = replace(tasks, counter=rest)
        limits = replace(limits, max_clauses=limits.max_clauses - len(kept.clauses))
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
