"""Several classes: whatever rows, columns and classes are called, the rules follow."""

import numpy as np
import pytest

from gnri.counts.counter import Counter
from gnri.data.schema import IsTrue, Schema
from gnri.estimator.learners import ModelLearner
from gnri.estimator.multiclass import ClassGroups, fit_rule_list, training_episodes
from gnri.estimator.settings import FitSettings
from gnri.rules.dnf import SignedDNF
from gnri.rules.rule_list import RuleList

ATOMS = 5
SCHEMA = Schema(tuple(IsTrue(f"c{i}") for i in range(ATOMS)))


@pytest.fixture(scope="module")
def learner() -> ModelLearner:
    return FitSettings().learner()


def tables() -> list[tuple[np.ndarray, np.ndarray]]:
    """Clear ones, noisy ones, tiny ones, and one that an exchange of classes leaves as it is."""
    rng = np.random.default_rng(0)
    found = []
    for rows, noise in ((200, 0.0), (200, 0.2), (60, 0.1), (12, 0.0), (12, 0.5)):
        values = rng.choice(np.array([-1, 0, 1], np.int8), (rows, ATOMS), p=[0.45, 0.1, 0.45])
        codes = (values[:, 0] == 1) * 1 + (values[:, 1] == 1) * (values[:, 2] == -1)
        codes[rng.random(rows) < noise] = 1
        codes[:3] = range(3)
        found.append((values, codes))
    mirrored = np.eye(3, ATOMS, dtype=np.int8).repeat(4, axis=0) * 2 - 1
    return [*found, (mirrored, np.arange(3).repeat(4))]


def learn(values, codes, learner: ModelLearner) -> tuple[RuleList, ClassGroups]:
    counter = Counter.from_values(values, codes, 3)
    return fit_rule_list(SCHEMA, np.arange(3), counter, learner)


@pytest.mark.parametrize("place", range(len(tables())))
@pytest.mark.parametrize("seed", range(3))
def test_the_rules_follow(place: int, seed: int, learner: ModelLearner) -> None:
    values, codes = tables()[place]
    rng = np.random.default_rng(seed)
    rows, atoms, names = (rng.permutation(size) for size in (len(codes), ATOMS, 3))
    old, groups = learn(values, codes, learner)
    new, new_turns = learn(values[rows][:, np.argsort(atoms)], names[codes][rows], learner)
    moved = {names[kind]: _moved(rule, atoms) for kind, rule in old.rule_of.items()}
    assert new.rule_of == moved
    assert [set(group) for group in new_turns] == [{names[kind] for kind in t} for t in groups]


def _moved(rule: SignedDNF, atoms) -> SignedDNF:
    clauses = ([(int(atoms[atom]), sign) for atom, sign in clause] for clause in rule.clauses)
    return SignedDNF(clauses, rule.positive)


def test_classes_that_mirror_each_other_are_asked_for_at_once(learner: ModelLearner) -> None:
    values, codes = tables()[-1]
    _, groups = learn(values, codes, learner)
    assert groups in ((), ((0, 1, 2),))


@pytest.mark.parametrize("place", range(len(tables())))
def test_each_rule_is_that_of_its_task(place: int, learner: ModelLearner) -> None:
    values, codes = tables()[place]
    found, groups = learn(values, codes, learner)
    counter = Counter.from_values(values, codes, 3)
    for kind, episode in training_episodes(found, groups, counter).items():
        assert learner.rule(episode) == found.rule_of[kind]


def test_where_no_class_has_a_rule_none_was_learnt() -> None:
    values, codes = tables()[0]
    rules = RuleList(SCHEMA, (0, 1, 2), (), default=1)
    assert training_episodes(rules, (), Counter.from_values(values, codes, 3)) == {}


def tied_table(seed: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Few rows, all classes equally large, many missing cells."""
    rng = np.random.default_rng(seed)
    codes = np.arange(classes).repeat(rng.integers(3, 9))
    values = rng.choice(np.array([-1, 1], np.int8), (len(codes), rng.integers(1, 4)))
    said = rng.random(len(codes)) < 0.7
    values[said, 0] = np.where(codes[said] % 2, 1, -1)
    values[rng.random(values.shape) < rng.choice([0.1, 0.3])] = 0
    return values, codes


def predictions_differ(seed: int, classes: int, learner: ModelLearner) -> bool:
    """Whether other names of the classes change an answer that a rule or a count can decide."""
    values, codes = tied_table(seed, classes)
    names = np.random.default_rng(seed).permutation(classes)
    schema = Schema(tuple(IsTrue(f"c{i}") for i in range(values.shape[1])))
    old, new = (
        fit_rule_list(
            schema, np.arange(classes), Counter.from_values(values, said, classes), learner
        )[0]
        for said in (codes, names[codes])
    )
    rows = np.array(list(np.ndindex(*[3] * values.shape[1])), np.int8) - 1
    return bool(old.steps) and bool((names[old.choose(rows)] != new.choose(rows)).any())


@pytest.mark.parametrize("classes", [2, 3])
def test_no_answer_depends_on_the_names_of_equally_large_classes(
    classes: int, learner: ModelLearner
) -> None:
    assert not any(predictions_differ(seed, classes, learner) for seed in range(40))


@pytest.mark.slow
def test_no_answer_of_300_tables_depends_on_the_names(learner: ModelLearner) -> None:
    assert not any(predictions_differ(seed, 2, learner) for seed in range(300))
