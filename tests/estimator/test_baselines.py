import numpy as np
import pytest

from gnri.episode import Episode
from gnri.estimator.baselines import cart, greedy
from gnri.rules.dnf import SignedDNF
from gnri.symmetry.audit import audit
from tests.symmetry.tie_tables import tie_heavy

TRUE, FALSE = SignedDNF([[]]), SignedDNF()


def random_table(rng, rows=20, atoms=5):
    return Episode(rng.choice([-1, 1], size=(rows, atoms)), rng.choice([-1, 1], size=rows))


@pytest.mark.parametrize("learner", [cart(), greedy], ids=["cart", "greedy"])
def test_one_class_gives_a_constant(learner):
    values = [[1, -1], [-1, 1]]
    assert learner(Episode(values, [1, 1])) == TRUE
    assert learner(Episode(values, [-1, -1])) == FALSE
    assert learner(Episode(values, [0, 0])) is None


@pytest.mark.parametrize("learner", [cart(), greedy], ids=["cart", "greedy"])
def test_a_single_literal_is_found_and_unlabelled_rows_are_not_read(learner):
    episode = Episode([[1, -1], [1, 1], [-1, 1], [-1, -1], [-1, -1]], [-1, -1, 1, 1, 0])
    assert learner(episode) == SignedDNF([[(0, False)]])


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("leaves", [None, 4])
def test_the_rule_of_a_tree_predicts_what_the_tree_predicts(seed, leaves):
    from sklearn.tree import DecisionTreeClassifier

    rng = np.random.default_rng(seed)
    episode, fresh = random_table(rng), random_table(rng, rows=200).values
    tree = DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0)
    tree.fit(episode.values, episode.labels)
    assert np.array_equal(cart(leaves)(episode).evaluate(fresh), tree.predict(fresh))


def test_a_leaf_that_only_missing_cells_reach_gives_no_clause():
    episode = Episode([[1], [1], [0], [0], [-1], [-1]], [-1, -1, 1, 1, -1, -1])
    assert cart()(episode) == FALSE


@pytest.mark.parametrize("seed", range(20))
def test_greedy_separates_what_can_be_separated_by_pure_clauses(seed):
    rng = np.random.default_rng(seed)
    values = np.unique(rng.choice([-1, 1], size=(12, 5)), axis=0)
    episode = Episode(values, np.where((values[:, 0] > 0) & (values[:, 3] < 0), 1, -1))
    assert np.array_equal(greedy(episode).evaluate(values), episode.labels)


def test_greedy_takes_the_first_of_equal_columns():
    assert greedy(Episode([[1, 1], [-1, -1]], [1, -1])) == SignedDNF([[(0, True)]])


@pytest.mark.parametrize("learner", [cart(), greedy], ids=["cart", "greedy"])
def test_learners_that_tie_by_position_are_caught(learner):
    report = audit(learner, tie_heavy(40, rng=np.random.default_rng(1)))
    figures = {summary.transform: summary.rule_eq for summary in report.transforms}
    assert not report.exact
    assert figures["rows 1"] == figures["rows 2"] == 1.0
    assert all(figures[name] < 1 for name in ("atoms 1", "atoms 2", "everything"))
