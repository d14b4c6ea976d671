"""Move the thresholds of learnt rules to where they make the fewest errors, by counts alone.

Rules are learnt with few thresholds for each column. Here each may move to any of many places
between the values of its column. Only whole numbers of rows are compared, so the result depends
neither on the order of rows and columns nor on where the rows are.
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gnri.counts.counter import Counter
from gnri.data.discretize import quantile_cuts
from gnri.data.schema import Above, Schema, make_schema
from gnri.data.value_counts import NumberCounts
from gnri.estimator.leaf_counts import count_errors, where_right
from gnri.rules.dnf import Literal, SignedDNF
from gnri.rules.rule_list import RuleList
from gnri.rules.scorecard import AnyRule

MAX_CUTS = 255
"""The most places for a threshold; where they suffice, there is one between any two numbers."""

MIN_GAIN = 2
"""A threshold moves if its gain squared is at least so many times the rows whose answer turns
right or wrong: a smaller gain may be chance. A row of `row_copies` copies is one row."""

Pack = Callable[[Schema], AbstractContextManager[Counter]]
"""Return a counter of the training rows with other atoms."""

Move = Callable[..., tuple[RuleList, int]]
"""Return rules with better thresholds, and how many errors that spares."""


def move_thresholds(
    rule_list: RuleList,
    numbers: Mapping[str, NumberCounts],
    pack: Pack,
    weigh: Callable[[Counter], Counter] = lambda counter: counter,
) -> tuple[RuleList, int]:
    """Return the rules with thresholds on these columns moved, and how many errors that spares.

    New thresholds are added to the schema. `weigh` gives the rows of some classes more weight.
    """
    small = rule_list.compact()
    read = dict.fromkeys(atom.column for atom in small.schema.atoms if isinstance(atom, Above))
    cuts = {name: quantile_cuts(numbers[name], MAX_CUTS) for name in read if name in numbers}
    places = [Above(name, cut) for name, found in cuts.items() for cut in found]
    fine = Schema(tuple(dict.fromkeys([*small.schema.atoms, *places])))
    if len(fine.atoms) == len(small.schema.atoms):
        return rule_list, 0
    with pack(fine) as counter:
        moved, spared = _move_while_better(replace(small, schema=fine), weigh(counter), cuts)
    known = dict.fromkeys([*rule_list.schema.atoms, *(fine.atoms[i] for i in moved.atoms)])
    order = rule_list.schema.columns.index
    atoms = sorted(known, key=lambda a: (order(a.column), a.cut if isinstance(a, Above) else 0.0))
    to = {i: atoms.index(fine.atoms[i]) for i in moved.atoms}
    found = replace(rule_list, schema=make_schema(atoms)).with_rules(_replace_atoms(moved, to))
    return found, spared


def _move_while_better(
    rule_list: RuleList, counter: Counter, cuts: Mapping[str, list[float]]
) -> tuple[RuleList, int]:
    """Make the best move while there is one; moves that are equally good are made together."""
    atoms = rule_list.schema.atoms
    places = {name: _find_places(rule_list.schema, name) for name in cuts}
    first = errors = count_errors(counter, rule_list)
    while True:
        moves = dict[int, tuple[int, int]]()  # by atom: the rows gained, and the new atom
        for atom in rule_list.atoms:
            if isinstance(atoms[atom], Above) and atoms[atom].column in cuts:
                moves[atom] = _best_move(rule_list, counter, atom, places[atoms[atom].column])
        most = max((gain for gain, _ in moves.values()), default=0)
        to = {atom: place for atom, (gain, place) in moves.items() if gain == most > 0}
        tried = rule_list.with_rules(_replace_atoms(rule_list, to))
        left = count_errors(counter, tried)
        if left >= errors:
            return rule_list, first - errors
        rule_list, errors = tried, left


def _replace_atoms(rule_list: RuleList, to: Mapping[int, int]) -> list[AnyRule]:
    """Return the rules with some atoms replaced by others."""
    return [
        rule.map_literals(lambda one: Literal(to.get(one.atom, one.atom), one.positive))
        for rule in rule_list.rules
    ]


class _Places(NamedTuple):
    """The places of a threshold in rising order: atoms, and literals above each, then up to each.

    Counts of the same array of literals are kept.
    """

    atoms: NDArray[np.intp]
    cuts: NDArray[np.float64]
    literals: NDArray[np.intp]


def _find_places(schema: Schema, column: str) -> _Places:
    """Return the atoms that ask for a threshold of a column."""
    own = [(i, atom) for i, atom in enumerate(schema.atoms) if atom.column == column]
    pairs = sorted((atom.cut, i) for i, atom in own if isinstance(atom, Above))
    cuts, atoms = np.array([cut for cut, _ in pairs]), np.array([i for _, i in pairs], np.intp)
    return _Places(atoms, cuts, np.concatenate([2 * atoms, 2 * atoms + 1]))


def _best_move(
    rule_list: RuleList, counter: Counter, atom: int, places: _Places
) -> tuple[int, int]:
    """Return how many more rows are right, at the best place of a threshold, and its atom there.

    Of equally good places it is the middle of the widest range. A gain that chance explains is 0.
    """
    true, false = (where_right(fix_atom(rule_list, atom, truth)) for truth in (True, False))
    atoms, cuts, literals = places
    # Of rows above a threshold, and of those up to it, how many are right if the atom is true, if
    # it is false, and in both cases.
    found = counter.counts([true, false, true & false], literals).sum(axis=1)
    above, upto = np.split(found, 2, axis=1)
    right = above[0] + upto[1]
    best = np.flatnonzero(right == right.max())
    runs = np.split(best, np.flatnonzero(np.diff(best) > 1) + 1)
    widest = max(runs, key=lambda run: cuts[run[-1]] - cuts[run[0]])
    middle = cuts[widest[0]] / 2 + cuts[widest[-1]] / 2
    place = widest[np.abs(cuts[widest] - middle).argmin()]
    now = int(np.flatnonzero(atoms == atom)[0])
    gain, between = int(right[place] - right[now]), np.abs(above[:, place] - above[:, now])
    changed = int(between[0] + between[1] - 2 * between[2])
    least = MIN_GAIN * counter.row_copies * changed
    return gain if gain * gain >= least else 0, int(atoms[place])


def fix_atom(rule_list: RuleList, atom: int, truth: bool) -> RuleList:
    """Return the rules where an atom is true, or false, on every row."""
    kept, lost = Literal(atom, truth), Literal(atom, not truth)
    return rule_list.with_rules(
        [
            SignedDNF([c - {kept} for c in rule.clauses if lost not in c], rule.positive)
            if any(kept in c or lost in c for c in rule.clauses)
            else rule
            for rule in rule_list.dnfs
        ]
    )
