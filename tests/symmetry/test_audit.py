import numpy as np
import pytest

from gnri.episode import Episode
from gnri.errors import EncodingError, RuleError, ShapeError, SymmetryError
from gnri.rules.dnf import SignedDNF
from gnri.symmetry.audit import audit
from gnri.symmetry.audit_report import jaccard
from gnri.symmetry.group import Symmetry
from gnri.symmetry.transforms import TRANSFORMS
from tests.symmetry.tie_tables import tie_heavy

EPISODE = Episode([[1, -1], [-1, 1], [1, 1]], [1, 1, -1])
SAME = Symmetry.identity(atoms=2, rows=3)
FLIP = Symmetry((0, 1), (True, False), (0, 1, 2))
X0, NOT_X0 = SignedDNF([[(0, True)]]), SignedDNF([[(0, False)]])


class Answer:
    """An inducer that says one thing of `EPISODE` and another of everything else."""

    def __init__(self, before, after):
        self.before, self.after = before, after

    def __call__(self, episode):
        return self.before if episode == EPISODE else self.after


def only_gap(inducer, g):
    (gap,) = audit(inducer, [EPISODE], [g]).gaps
    return gap


@pytest.mark.parametrize(
    ("before", "after", "equal", "identical", "empty", "both_empty"),
    [
        (X0, NOT_X0, True, True, False, False),
        (X0, ~X0, True, False, False, False),
        (X0, X0, False, False, False, False),
        (None, None, True, True, True, True),
        (None, X0, False, False, True, False),
        (X0, None, False, False, True, False),
        (SignedDNF(), SignedDNF(), True, True, True, True),
        (None, SignedDNF(), False, False, True, True),
        (SignedDNF([[]]), ~SignedDNF(), True, False, True, True),
    ],
)
def test_what_counts_as_equal_and_as_empty(before, after, equal, identical, empty, both_empty):
    gap = only_gap(Answer(before, after), FLIP)
    assert (gap.equal, gap.identical) == (equal, identical)
    assert (gap.empty, gap.both_empty) == (empty, both_empty)


def test_different_forms_of_one_function_are_equal_but_not_identical():
    split = SignedDNF([[(0, False), (1, True)], [(0, False), (1, False)]])
    gap = only_gap(Answer(X0, split), FLIP)
    assert (gap.equal, gap.identical, gap.jaccard) == (True, False, 1 / 3)


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (None, None, 1.0),
        (None, SignedDNF(), 1.0),
        (X0, None, 0.0),
        (X0, X0, 1.0),
        (X0, ~X0, 0.0),
        (X0, ~NOT_X0, 1.0),
        (SignedDNF([[(0, True), (1, True)]]), SignedDNF([[(1, True)], [(2, False)]]), 1 / 3),
    ],
)
def test_jaccard(left, right, expected):
    assert jaccard(left, right) == jaccard(right, left) == expected


def test_an_induction_is_unwrapped():
    class Induction:
        def __init__(self, rule):
            self.rule = rule

    assert only_gap(Answer(Induction(X0), Induction(NOT_X0)), FLIP).identical
    assert only_gap(Answer(Induction(None), Induction(None)), FLIP).identical


class Positional:
    """Predictions that stay where they are whatever happens to the rows."""

    def __init__(self, prediction):
        self.prediction = prediction

    def __call__(self, episode):
        return None

    def predict(self, episode):
        return self.prediction


@pytest.mark.parametrize(
    ("g", "drift"),
    [
        (SAME, 0.0),
        (FLIP, 0.0),
        (Symmetry((0, 1), (False, False), (1, 2, 0)), 0.75),  # 1/4 at row 0 belongs at row 1: 3/4
        (Symmetry((0, 1), (False, False), (0, 1, 2), label=True), 1.0),
        (Symmetry((0, 1), (False, False), (2, 1, 0), label=True), 0.5),
    ],
)
def test_prediction_drift(g, drift):
    assert only_gap(Positional([0.25, 0.75, 1.0]), g).prediction_drift == drift


def test_predictions_that_move_with_the_table_do_not_drift():
    class Fitted(Positional):
        def predict(self, episode):
            return 0.5 + 0.25 * episode.labels

    assert audit(Fitted(None), [EPISODE]).total.max_dev == 0.0


def test_without_predictions_there_is_no_drift():
    assert only_gap(Answer(X0, X0), SAME).prediction_drift is None


def test_every_pair_is_measured_in_order():
    episodes = tie_heavy(3, rng=np.random.default_rng(0))
    report = audit(lambda episode: None, iter(episodes))
    assert [(gap.episode_index, gap.transform) for gap in report.gaps] == [
        (index, name) for index in range(3) for name in TRANSFORMS
    ]


def tables_seen(episodes, **settings):
    """The episodes an audit puts before its inducer, a list for each place."""
    seen = []
    audit(lambda episode: seen.append(episode), episodes, **settings)
    return [seen[i : i + 14] for i in range(0, len(seen), 14)]


def test_draws_depend_on_the_seed_and_the_place_of_the_episode_alone():
    first, second = tie_heavy(2, rng=np.random.default_rng(0))
    seen = tables_seen([first, second])
    assert tables_seen([first, second], seed=0) == seen
    assert tables_seen([first, second], seed=1) != seen
    assert tables_seen([second, second])[1] == seen[1]
    assert tables_seen([second, second])[0] != seen[1]


def test_a_mapping_keeps_its_names():
    report = audit(lambda episode: None, [EPISODE], {"flip": lambda episode, *, rng: FLIP})
    assert [summary.transform for summary in report.transforms] == ["flip"]


def test_one_episode_needs_no_list() -> None:
    one = Episode([[1, -1], [-1, 1]], [1, -1])
    assert audit(lambda e: None, one).gaps == audit(lambda e: None, [one]).gaps


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: audit(lambda e: None, []), ShapeError, "at least one episode"),
        (lambda: audit(lambda e: None, [EPISODE], []), SymmetryError, "at least one symmetry"),
        (lambda: audit(lambda e: "x0", [EPISODE]), RuleError, "got str on episode 0"),
        (
            lambda: audit(lambda e: X0, [EPISODE], [Symmetry.identity(atoms=3, rows=3)]),
            SymmetryError,
            "3 x 2",
        ),
        (lambda: audit(Positional([0.5]), [EPISODE]), ShapeError, r"3 rows, got shape \(1,\)"),
        (lambda: audit(Positional([0, 1, 2]), [EPISODE]), EncodingError, "in \\[0, 1\\]"),
        (lambda: audit(Positional([0, 1, np.nan]), [EPISODE]), EncodingError, "in \\[0, 1\\]"),
    ],
)
def test_mistakes_get_a_clear_error(call, error, message):
    with pytest.raises(error, match=message):
        call()
