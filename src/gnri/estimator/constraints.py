"""What a user knows of a table, as limits on rules: for columns and classes, then for atoms.

`Constraints` speaks of columns and classes. `Bounds` says the same of atoms, which is all that
learning sees; a symmetry moves it together with the table.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np

from gnri.counts.problem import Allowed
from gnri.counts.states import ColumnStates
from gnri.data.discretize import learn_schema
from gnri.data.schema import Above, Atom, Equals, IsTrue, OneOf, Schema, make_schema
from gnri.data.value_counts import NumberCounts, ValueCounts
from gnri.errors import GnriError, shorten
from gnri.rules.dnf import Clause, Literal, SignedDNF
from gnri.rules.minimize import minimize
from gnri.rules.rule_list import RuleList
from gnri.rules.scorecard import AnyRule
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

    @property
    def columns(self) -> list[str]:
        """The columns that they read."""
        return list(dict.fromkeys(atom.column for part in self.clauses for atom, _ in part))


@dataclass(frozen=True)
class Constraints:
    """Limits on rules, checked; classes are given by index, and directions are +1 or -1.

    `thresholds` names the columns with thresholds of the user's own.
    """

    monotone: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    require: tuple[str, ...] = ()
    prices: Mapping[str, Fraction] = field(default_factory=dict)
    special: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    kept: Kept | None = None
    forbid: frozenset[str] = frozenset()
    thresholds: frozenset[str] = frozenset()

    def bind(self, schema: Schema, kinds: Sequence[int]) -> "Bounds":
        """Return the same limits for the atoms of a schema; `kinds` are the classes that occur."""
        barred: list[set[Literal]] = [set() for _ in kinds]
        factors = {}
        masked = {(a.column, a.cut): i for i, a in enumerate(schema.atoms) if is_masked(a)}
        plain, code_thresholds = dict[Literal, Clause](), set[int]()
        for i, atom in enumerate(schema.atoms):
            if atom.column in self.prices:
                factors[i] = self.prices[atom.column]
            target, direction = self.monotone.get(atom.column, (-1, 0))
            if target in kinds and isinstance(atom, Above | IsTrue):
                for kind, own in zip(kinds, barred, strict=True):
                    own.add(Literal(i, (direction < 0) == (kind == target)))
            hidden = masked.get((atom.column, atom.cut), i) if isinstance(atom, Above) else i
            if isinstance(atom, Above) and hidden != i:
                codes = _codes_of(schema, atom.column)
                code_thresholds.add(i)
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
            frozenset(code_thresholds),
            kept,
        )

    def learn_atoms(self, counts: Sequence[ValueCounts], settings: "FitSettings") -> Schema:
        """Return the atoms of the columns that are not forbidden, and of codes and kept clauses.

        Codes take no part in the choice of thresholds. A column with codes has each threshold
        twice: once as it is, and once unknown on codes.
        """
        used = [one for one in counts if one.name not in self.forbid]
        if not used:
            raise GnriError("forbid leaves no column to learn from; allow at least one")
        numbers = [
            replace(one, numbers=without_codes(one.numbers, self.special.get(one.name, ())))
            for one in used
        ]
        cuts = {k: own for k, own in (settings.thresholds or {}).items() if k not in self.forbid}
        finely = settings.binarizer_settings(len(used))
        found = learn_schema(numbers, used[0].rows, finely, cuts)
        kept = () if self.kept is None else self.kept.clauses
        wanted = dict.fromkeys(atom for part in kept for atom, _ in part if isinstance(atom, Above))
        atoms: list[Atom] = []
        for name in [one.name for one in used]:
            own = [atom for atom in found.atoms if atom.column == name]
            own += [atom for atom in wanted if atom.column == name and atom not in own]
            codes = self.special.get(name, ())
            own += [Equals(name, int(c) if c == int(c) else c) for c in codes]
            if codes:
                own += [replace(atom, codes=codes) for atom in own if isinstance(atom, Above)]
            atoms += own
        return make_schema(atoms)

    def movable_numbers(self, numbers: Mapping[str, NumberCounts]) -> dict[str, NumberCounts]:
        """Return the numbers between which thresholds may move.

        They are no codes, and of no column of a kept clause, or with codes among its numbers: a
        threshold that passes a code would take it into a range.
        """
        fixed = [] if self.kept is None else self.kept.columns
        found = {}
        for name in [name for name in numbers if name not in fixed]:
            codes = self.special.get(name, ())
            own = without_codes(numbers[name], codes)
            if not any(own.lowest[0] < code < own.highest[-1] for code in codes if len(own.counts)):
                found[name] = own
        return found

    def shorten(self, rules: RuleList, negations: bool) -> RuleList:
        """Return the rules in fewer words, with the kept clauses as they were given.

        Codes do not become part of a range. Raise if a column that must be read is not.
        """
        kept = self.bind(rules.schema, range(len(rules.classes))).kept
        if kept is not None:
            (rule,) = rules.dnfs
            others = SignedDNF(rule.clauses - kept.clauses)
            clauses = kept.clauses | _shorten_clauses([others], rules.schema, negations)
            found = rules.with_rules([SignedDNF(clauses, rule.positive)])
        elif self.special:
            found = rules.with_rules(
                [_shorten_rule(one, rules.schema, negations) for one in rules.rules]
            )
        else:
            found = rules.minimized(negations)
        unread = [name for name in self.require if name not in found.columns]
        if unread:
            raise GnriError(
                f"require names column {shorten(unread[0])}, but no rule that reads it was found, "
                "as it does not vary or says nothing more; leave it out there, or try form='dnf'"
            )
        return found

    def drop_masked(self, rules: RuleList) -> RuleList:
        """Return the rules over the atoms that are known on codes; they read no others."""
        if not self.special:
            return rules
        atoms = rules.schema.atoms
        known = [i for i, atom in enumerate(atoms) if not is_masked(atom)]
        return replace(rules.select_atoms(known), schema=make_schema([atoms[i] for i in known]))

    def rank(self, column: str) -> tuple[Fraction, bool]:
        """Return the rank among twins: the lower price first, then columns that are named."""
        kept = () if self.kept is None else self.kept.columns
        named = {*self.require, *self.monotone, *self.thresholds, *self.special, *kept}
        return self.prices.get(column, Fraction(1)), column not in named


def without_codes(numbers: NumberCounts, codes: Collection[float]) -> NumberCounts:
    """Return the counts of all numbers but these."""
    left = ~(np.isin(numbers.lowest, list(codes)) & (numbers.lowest == numbers.highest))
    return replace(
        numbers,
        counts=numbers.counts[left],
        lowest=numbers.lowest[left],
        highest=numbers.highest[left],
    )


def _shorten_rule(rule: AnyRule, schema: Schema, negations: bool) -> AnyRule:
    """Return the rule with each clause in fewer words, by itself."""
    if not isinstance(rule, SignedDNF):
        return rule
    alone = [SignedDNF([part]) for part in rule.clauses]
    return SignedDNF(_shorten_clauses(alone, schema, negations), rule.positive)


def _shorten_clauses(
    rules: Iterable[SignedDNF], schema: Schema, negations: bool
) -> frozenset[Clause]:
    found = (minimize(one, schema, negations=negations) for one in rules)
    return frozenset(part for one in found for part, _ in one.lines)


def is_masked(atom: Atom) -> TypeGuard[Above]:
    """Return whether an atom is unknown on codes."""
    return isinstance(atom, Above) and bool(atom.codes)


def _codes_of(schema: Schema, column: str) -> list[tuple[int, Any]]:
    """Return the atoms of the codes of a column, each with its code."""
    found = [(i, atom) for i, atom in enumerate(schema.atoms) if atom.column == column]
    return [(i, atom.value) for i, atom in found if isinstance(atom, Equals)]


@dataclass(frozen=True)
class Bounds:
    """Limits on atoms.

    `barred`: for each class, the literals that must not be evidence for it. `factors`: by how much
    the price of an atom is multiplied. `required`: for each required column, its atoms. `kept`: the
    clauses that stay. If `forced`, a rule is changed until it reads the required columns.

    A column with codes has each threshold twice: masked (unknown on codes) for learning, and
    ordinary (known on codes). `code_thresholds` are the ordinary ones. `plain` maps a masked
    literal to the literals that replace it in the finished rule.
    """

    barred: tuple[frozenset[Literal], ...]
    factors: Mapping[int, Fraction] = field(default_factory=dict)
    required: tuple[frozenset[int], ...] = ()
    plain: Mapping[Literal, Clause] = field(default_factory=dict)
    code_thresholds: frozenset[int] = frozenset()
    kept: SignedDNF | None = None
    forced: bool = False

    @cached_property
    def allowed(self) -> Allowed:
        """The literals that clauses may hold: of a threshold with codes, only the masked one."""
        never = {Literal(i, sign) for i in self.code_thresholds for sign in (True, False)}
        return Allowed({kind: own | never for kind, own in enumerate(self.barred)}, self.factors)

    def offer(self, classes: Sequence[frozenset[Literal]]) -> list[frozenset[Literal]]:
        """Return which members of each class of literals may stand in lines of a point table."""
        hidden = {Literal(i, sign) for i in self.code_thresholds for sign in (True, False)}
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
        """Return the rule with ordinary thresholds in place of masked ones; codes are excluded."""
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
            code_thresholds=frozenset(g.atoms[i] for i in self.code_thresholds),
            kept=g(self.kept),
        )


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
        "can express: the column does not vary, or the value is rare or does not occur; "
        "change the condition"
    )


def _same_value(one: Any, other: Any) -> bool:
    return str(one) == str(other) or (
        not isinstance(one, str) and not isinstance(other, str) and one == other
    )
