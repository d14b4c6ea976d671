"""What every form of rule must do, so that nothing else need know which form it is."""

import numpy as np
from numpy.typing import NDArray

from gnri.counts.counter import Counter
from gnri.data.schema import IsTrue, Schema
from gnri.rules.dnf import Literal, Rule
from gnri.rules.documents import from_json, to_json
from gnri.rules.rule_list import RuleList
from gnri.rules.scorecard import FORMS
from gnri.symmetry.group import Symmetry


def check_rule(rule: Rule, values: NDArray[np.int8]) -> None:
    """Truth, complement and where it holds, against `evaluate` on the rows."""
    truth = rule.evaluate(values)
    assert truth.shape == (len(values),) and set(truth.tolist()) <= {-1, 0, 1}
    assert ((~rule).evaluate(values) == -truth).all()
    assert ~~rule == rule and hash(~~rule) == hash(rule)
    assert rule.size >= 0 and all(atom in range(values.shape[1]) for atom in rule.atoms)
    decided = rule.decide(values)
    assert (decided[truth != 0] == truth[truth != 0]).all()
    assert ((~rule).decide(values) == -decided).all()
    counter = Counter.from_values(values, np.zeros(len(values), np.intp), 1)
    for sign in (1, -1):
        rows = counter.row_numbers(rule.where(sign))
        assert rows is not None and rows.tolist() == np.flatnonzero(decided == sign).tolist()
        assert (~rule).where(-sign) == rule.where(sign)


def check_reads_its_atoms_alone(rule: Rule, values: NDArray[np.int8]) -> None:
    changed = values.copy()
    others = [atom for atom in range(values.shape[1]) if atom not in rule.atoms]
    changed[:, others] *= -1
    assert (rule.evaluate(changed) == rule.evaluate(values)).all()


def check_moves(rule: Rule, values: NDArray[np.int8], g: Symmetry) -> None:
    """Renamed and negated atoms give the answers of the rule on the atoms as they were."""
    moved = rule.map_literals(
        lambda one: Literal(g.atoms[one.atom], one.positive ^ g.flips[one.atom])
    )
    there = np.empty_like(values)
    there[:, g.atoms] = values * np.where(g.flips, -1, 1).astype(np.int8)
    assert (moved.evaluate(there) == rule.evaluate(values)).all()
    assert (moved.decide(there) == rule.decide(values)).all()
    assert moved.size == rule.size
    assert rule.map_literals(lambda one: one) == rule
    assert g(rule) == (~moved if g.label else moved)


def check_document(rule: Rule) -> None:
    """A list of this rule comes back from JSON."""
    assert type(rule) is FORMS[rule.form]
    schema = Schema(tuple(IsTrue(f"x{atom}") for atom in range(max(rule.atoms, default=0) + 1)))
    saved = RuleList.binary(schema, (0, 1), rule)
    assert from_json(to_json(saved)) == saved
