import math

import pytest
import torch
from sklearn.metrics import roc_auc_score

from studies.training.guided_tasks import Size, draw
from studies.training.guided_training import area_under_curve, figures, loss, policy_loss
from studies.training.recipe import GuidedPrior, GuidedTrain
from studies.training.supervision import Answers, Lesson, prepare


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@pytest.fixture
def lesson() -> Lesson:
    episodes = draw(GuidedPrior(reference_rows=32), Size(20, 16, 5), generator=seeded())
    return prepare(episodes, 4, generator=seeded(1))


@pytest.fixture
def answers() -> Answers:
    shapes = (40, 10), (40,), (40, 11)
    return Answers(*(torch.randn(shape, generator=seeded(3)) for shape in shapes))


def test_terms_are_weighted_means(lesson: Lesson, answers: Answers) -> None:
    total, terms = loss(answers, lesson, GuidedTrain(literals=2.0, noise=3.0, policy=5.0))
    sigmoid = answers.beliefs.double().sigmoid()
    wanted = -torch.where(lesson.used > 0, sigmoid, 1 - sigmoid).log().mean()
    assert float(terms["literals"]) == pytest.approx(2 * float(wanted), rel=1e-5)
    said, share = answers.noise.double().sigmoid(), lesson.noise.double()
    wanted = -(share * said.log() + (1 - share) * (1 - said).log()).mean()
    assert float(terms["noise"]) == pytest.approx(3 * float(wanted), rel=1e-5)
    assert float(terms["policy"]) == pytest.approx(5 * float(policy_loss(answers, lesson)))
    assert float(total) == pytest.approx(sum(map(float, terms.values())))


def test_the_policy_is_asked_for_all_right_actions_together(
    lesson: Lesson, answers: Answers
) -> None:
    shares, terms = answers.actions.double().softmax(-1), []
    for rail in range(40):
        if lesson.ruled[rail]:
            terms.append(-math.log(float(shares[rail][lesson.accepted[rail]].sum())))
    assert 0 < len(terms) < 40
    assert float(policy_loss(answers, lesson)) == pytest.approx(sum(terms) / len(terms), rel=1e-5)


def test_rails_without_a_rule_teach_the_policy_nothing(lesson: Lesson, answers: Answers) -> None:
    actions = answers.actions.requires_grad_()
    policy_loss(answers, lesson).backward()
    assert actions.grad is not None
    assert torch.equal(actions.grad.abs().sum(1) > 0, lesson.ruled)
    unruled = lesson._replace(ruled=torch.zeros_like(lesson.ruled))
    assert policy_loss(answers, unruled).item() == 0


def test_right_answers_have_the_best_figures(lesson: Lesson) -> None:
    noise = lesson.noise.logit(1e-6)
    best = Answers(lesson.used * 20 - 10, noise, lesson.accepted.float() * 20 - 10)
    seen = figures(best, lesson)
    assert (seen["right_actions"] == 1).all()
    assert len(seen["right_actions"]) == int(lesson.ruled.sum())
    assert (seen["literal_auc"] == 1).all()
    assert seen["noise_error"].max() < 1e-5
    worst = Answers(-best.beliefs, noise + 1, -best.actions)
    seen = figures(worst, lesson)
    assert not seen["right_actions"].any()
    assert not seen["literal_auc"].any()
    assert seen["noise_error"].mean() > 0.05


def test_the_area_under_the_curve_is_that_of_scikit_learn() -> None:
    scores = torch.randint(0, 4, (50, 9), generator=seeded()).float()  # with many ties
    true = torch.rand(50, 9, generator=seeded(1)) < 0.2
    both = true.any(1) & ~true.all(1)
    found = area_under_curve(scores, true)
    wanted = [roc_auc_score(t, s) for t, s in zip(true[both], scores[both], strict=True)]
    assert 0 < len(wanted) < 50
    assert found.tolist() == pytest.approx(wanted)


def test_a_lesson_is_a_function_of_episodes_and_generator(lesson: Lesson) -> None:
    episodes = draw(GuidedPrior(reference_rows=32), Size(20, 16, 5), generator=seeded())
    again, other = (prepare(episodes, 4, generator=seeded(s)) for s in (1, 2))
    assert torch.equal(again.accepted, lesson.accepted)
    assert torch.equal(again.step.literals, lesson.step.literals)
    assert not torch.equal(other.accepted, lesson.accepted)
    assert lesson.accepted.any(1).all()
