"""Rules as short as the user wants them."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from gnri.classifier import RuleClassifier
from gnri.episode import Episode
from gnri.errors import GnriError
from gnri.induction import induce
from gnri.rules.syntax import parse
from gnri.search.limits import Limits

VALUES = np.random.default_rng(0).choice([-1, 1], (300, 6))
LABELS = parse("x0 & x1 & ~x2 | ~x3 & x4 | x2 & ~x5").evaluate(VALUES)
TABLE = VALUES > 0


def rule(**parameters):
    (found,) = RuleClassifier(**parameters).fit(TABLE, LABELS).rules_.values()
    return found


def test_without_limits_the_rule_is_larger() -> None:
    found = rule()
    assert len(found.clauses) > 2
    assert max(map(len, found.clauses)) > 2
    assert any(not literal.positive for clause in found.clauses for literal in clause)


@pytest.mark.parametrize("most", [1, 2])
def test_no_more_clauses_than_asked_for(most: int) -> None:
    assert 1 <= len(rule(max_clauses=most).clauses) <= most


@pytest.mark.parametrize("most", [1, 2])
def test_no_clause_longer_than_asked_for(most: int) -> None:
    assert max(map(len, rule(max_literals=most, form="dnf").clauses)) <= most


@pytest.mark.parametrize("form", ["dnf", "auto", "scorecard"])
@pytest.mark.parametrize("most", [1, 2, 4])
def test_no_more_conditions_than_asked_for(most: int, form: str) -> None:
    assert 1 <= rule(max_conditions=most, form=form).size <= most


def test_no_negated_literal_where_none_is_wanted() -> None:
    learnt = RuleClassifier(negations=False).fit(TABLE, LABELS)
    (found,) = learnt.rules_.values()
    assert all(literal.positive for clause in found.clauses for literal in clause)
    assert "not " not in learnt.to_text()


def test_the_rule_is_that_of_induce_with_the_same_limits() -> None:
    limits = Limits(max_clauses=2, max_literals=3, negations=False)
    expected = induce(Episode(VALUES, LABELS), limits=limits).rule
    assert rule(max_clauses=2, max_literals=3, negations=False) == expected
    assert expected != induce(Episode(VALUES, LABELS)).rule


def test_none_is_what_the_search_does_by_itself() -> None:
    defaults = Limits()
    limits = {"max_clauses": defaults.max_clauses, "max_literals": defaults.max_literals}
    assert rule(**limits) == rule()


def test_they_can_be_searched_over_and_cloned() -> None:
    grid = GridSearchCV(RuleClassifier(), {"max_clauses": [1, 6], "max_literals": [1, 6]}, cv=2)
    best = grid.fit(TABLE, LABELS).best_params_
    assert best == {"max_clauses": 6, "max_literals": 6}
    assert clone(grid.best_estimator_).get_params()["max_clauses"] == 6


@pytest.mark.parametrize("name", ["max_clauses", "max_literals", "max_conditions"])
@pytest.mark.parametrize("wrong", [0, -1, 2.0, True, "3"])
def test_a_wrong_size_is_refused(name: str, wrong: object) -> None:
    with pytest.raises(GnriError, match=f"{name} must be a whole number from 1 up, or None"):
        rule(**{name: wrong})


@pytest.mark.parametrize("wrong", [None, 0, "no"])
def test_negations_are_yes_or_no(wrong: object) -> None:
    with pytest.raises(GnriError, match="negations must be True or False"):
        rule(negations=wrong)


@pytest.mark.parametrize("limit", [{"max_clauses": 3}, {"max_literals": 2}, {"negations": False}])
def test_limits_without_a_search_are_refused(limit: dict[str, object]) -> None:
    with pytest.raises(GnriError, match="bound the search alone"):
        rule(refine=False, **limit)
    with pytest.raises(GnriError, match="refine=False"):
        induce(Episode(VALUES, LABELS), refine=False, limits=Limits(**limit))


@pytest.mark.parametrize("form", ["scorecard", "checklist"])
def test_a_limit_of_clauses_is_refused_for_points(form: str) -> None:
    with pytest.raises(GnriError, match=r"max_clauses bounds .* give max_lines instead"):
        rule(form=form, max_clauses=2)
