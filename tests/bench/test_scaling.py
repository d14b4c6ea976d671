"""The figures by width, on learners whose figures are known beforehand."""

from collections.abc import Iterator

import numpy as np
import torch

from gnri.bench import anchors, rule_eq, scaling
from gnri.episodes.batch import Batch
from gnri.episodes.episode import Episode
from gnri.episodes.prior import rules
from gnri.logic.formula import SignedDNF
from gnri.model.condition import CONDITIONS
from gnri.model.config import ModelConfig
from gnri.model.inducer import Inducer
from gnri.model.network import Network

TINY = ModelConfig(width=16, slots=3, layers=1, heads=2, pairs=2, pair_width=4)


def network(condition: str) -> Network:
    torch.manual_seed(0)
    return Network(TINY, CONDITIONS[condition])


def test_the_same_episodes_every_time() -> None:
    first, second = (scaling.episodes_of(7, 5) for _ in range(2))
    assert torch.equal(first[0].batch.values, second[0].batch.values)
    assert torch.equal(first[1], second[1])
    assert torch.equal(first[2], second[2])


def test_the_hidden_rule_itself_is_never_wrong() -> None:
    hidden = rules(scaling.episodes_of(8, 6)[0])

    def replies(batch: Batch) -> Iterator[scaling.Reply]:
        for index, rule in enumerate(hidden):
            yield rule, rule.evaluate(batch.episode(index).values)

    found = scaling.figures(replies, 8, 6)
    assert (found["support_accuracy"], found["fresh_fidelity"], found["coverage"]) == (1, 1, 1)


def test_abstaining_answers_with_the_majority() -> None:
    episode = Episode([[1], [1], [-1]], [-1, -1, 1])
    assert scaling.answer(None, episode, episode.values).tolist() == [-1, -1, -1]
    assert scaling.answer(SignedDNF([[(0, True)]]), episode, episode.values).tolist() == [1, 1, -1]


def test_every_condition_can_be_measured() -> None:
    for condition in CONDITIONS:
        found = scaling.evaluate(network(condition), 6, 4)
        assert found["atoms"] == 6
        assert 0 <= float(found["support_accuracy"]) <= 1
        assert 0 <= float(found["fresh_fidelity"]) <= 1


def test_chunks_do_not_matter(monkeypatch) -> None:
    whole = scaling.evaluate(network("gnri").double(), 6, 5)
    monkeypatch.setattr(scaling, "CELLS", 1)
    assert scaling.evaluate(network("gnri").double(), 6, 5) == whole


def test_the_best_literal() -> None:
    episode = Episode([[1, -1], [1, 1], [-1, 1], [-1, -1]], [-1, -1, 1, 1])
    assert anchors.best_literal(episode) == SignedDNF([[(0, False)]])
    constant = Episode([[1], [-1], [1]], [1, 1, 1])
    assert anchors.best_literal(constant) is None


def test_anchors_are_ordered_as_they_should_be() -> None:
    found = {name: anchors.evaluate(learner, 6, 20) for name, learner in anchors.ANCHORS.items()}
    support = [found[name]["support_accuracy"] for name in ("majority", "best literal", "cart")]
    assert support == sorted(support)
    assert support[-1] == 1.0


def test_the_audit_of_a_model_has_a_row_for_each_transform() -> None:
    rows = rule_eq.evaluate(Inducer(network("gnri"), "gnri"), 6, 3)
    assert [row["transform"] for row in rows][-2:] == ["worst", "total"]
    assert len(rows) == 15
    assert rows[-1]["pairs"] == 39
    assert all(row["rule_eq"] == 1 for row in rows)
    assert np.isclose(float(rows[-1]["jaccard"]), 1)
