"""The check of a report finds a learner that breaks the promise, and passes one that keeps it."""

from pathlib import Path

import numpy as np
import pytest

from gnri.data.schema import Above, Equals, IsTrue, make_schema
from gnri.episode import Episode
from gnri.estimator.trials import Trials
from gnri.induction import induce
from gnri.model.load import load_model
from gnri.report.facts import check_symmetry
from gnri.rules.dnf import SignedDNF
from gnri.rules.rule_list import RuleList, Step
from gnri.rules.scorecard import Scorecard
from gnri.symmetry.table_task import TableTask, negate_columns
from gnri.symmetry.transforms import TRANSFORMS

MODEL = load_model(Path(__file__).parents[1] / "data" / "tiny-model")
VALUES = np.random.default_rng(0).choice([-1, 1], (60, 5))
EPISODE = Episode(VALUES, np.where((VALUES[:, 0] > 0) & (VALUES[:, 1] > 0), 1, -1))


def ours(episode: Episode) -> SignedDNF | None:
    return induce(episode, MODEL).rule


def kept(learner, negations: bool = True) -> list[bool | None]:
    trials = Trials([(EPISODE, learner(EPISODE))], learner, TRANSFORMS)
    return list(check_symmetry(trials, negations).values())


def test_our_rules_pass() -> None:
    assert kept(ours) == [True] * 5


def test_negations_that_are_not_allowed_are_not_promised() -> None:
    assert kept(ours, negations=False) == [True, True, None, True, True]

    def signed(episode: Episode) -> SignedDNF:
        return SignedDNF([[(i, True)] for i in range(5)], episode.labels.sum() < 0)

    assert kept(signed) == [True, True, False, True, False]
    assert kept(signed, negations=False) == [True, True, None, True, True]


SCHEMA = make_schema(
    [Above("a", 1.0), Above("a", 2.0), *(Equals("c", v) for v in "pqr"), *map(IsTrue, "defg")]
)
TABLE = TableTask(SCHEMA, np.ones((9, 9), np.int8), np.arange(9) % 3, 3)


def lists(rule: SignedDNF | Scorecard, answer: int = 2) -> RuleList:
    steps = (Step(rule, answer), Step(Scorecard({}, 1), 1), Step(Scorecard({}, 1), 2 - answer))
    return RuleList(SCHEMA, (0, 1, 2), steps, 1, 0.5)


@pytest.mark.parametrize("seed", range(5))
def test_a_table_and_its_rules_move_together(seed: int) -> None:
    rng, rules = np.random.default_rng(seed), lists(Scorecard({(0, True): 2, (5, True): 1}, 2))
    draw = negate_columns(TRANSFORMS["everything"])
    g, h = draw(TABLE, rng=rng), draw(TABLE, rng=rng)
    assert g.flips[0] == g.flips[1] and not any(g.flips[2:5])
    assert (~g)(g(rules)) == rules
    assert g(h(rules.schema)) == (g @ h)(rules.schema)
    moved = g(TABLE)
    assert np.array_equal(
        moved.values[list(g.rows)][:, list(g.atoms)][0], 1 - 2 * np.array(g.flips)
    )
    assert (moved.codes[list(g.rows)] == 2 - TABLE.codes).all()


@pytest.mark.parametrize(
    ("learner", "broken"),
    [
        (lambda task: lists(Scorecard({(0, task.codes[0] > 0): 1}, 1)), "rows 1"),
        (lambda task: lists(Scorecard({(0, True): 1}, 1)), "atoms 1"),
        (lambda task: lists(Scorecard({(i, True): 1 for i in range(9)}, 1)), "negations 1"),
        (lambda task: lists(Scorecard({}, 0)), "label"),
    ],
)
def test_a_learner_of_tables_is_found_too(learner, broken: str) -> None:
    draws = {name: negate_columns(one) for name, one in TRANSFORMS.items()}
    assert check_symmetry(Trials([(TABLE, learner(TABLE))], learner, draws))[broken] is False


@pytest.mark.parametrize(
    ("learner", "broken"),
    [
        (lambda episode: SignedDNF([[(0, bool(episode.labels[0] > 0))]]), "rows"),
        (lambda episode: SignedDNF([[(0, True)]]), "columns"),
        (lambda episode: SignedDNF([[(i, True) for i in range(5)]]), "negated"),
        (lambda episode: SignedDNF([[(i, True)] for i in range(5)]), "swapped"),
    ],
)
def test_a_learner_that_looks_at_what_it_must_not_is_found(learner, broken: str) -> None:
    changes = ["rows", "columns", "negated", "swapped", "all"]
    verdicts = dict(zip(changes, kept(learner), strict=True))
    assert verdicts[broken] is False
    assert verdicts["all"] is False
