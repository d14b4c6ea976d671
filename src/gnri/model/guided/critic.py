"""A prediction of how well a rule does on new rows, from counts alone."""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from gnri.model.guided.description_length import label_nats

FEATURES = 27
_WIDTH = 64
_FAR = 6.0  # standard deviations beyond which a feature is cut off


class Facts(NamedTuple):
    """Inputs of the critic, each (candidates,): counts of rows, size and beliefs of a rule."""

    hits: Tensor
    false_alarms: Tensor
    misses: Tensor
    rejections: Tensor
    clauses: Tensor
    literals: Tensor
    distinct: Tensor  # literals, each counted once
    longest: Tensor  # literals of the longest clause
    logits: Tensor  # the sum of the beliefs in its literals
    surprise: Tensor  # the sum of -log of the probability of each literal
    surprise_distinct: Tensor
    noise: Tensor  # of its rail
    other_noise: Tensor  # of the other rail
    expected: Tensor  # the sum of the probabilities of all literals of the rail
    all_literals: Tensor  # how many literals the table has


class Critic(nn.Module):
    """Predicts the share of new rows that a rule gets right."""

    center: Tensor
    spread: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("center", torch.zeros(FEATURES))
        self.register_buffer("spread", torch.ones(FEATURES))
        self.score = nn.Sequential(
            nn.Linear(FEATURES, _WIDTH),
            nn.GELU(),
            nn.Linear(_WIDTH, _WIDTH),
            nn.GELU(),
            nn.Linear(_WIDTH, 1),
        )

    def forward(self, facts: Facts) -> Tensor:
        """Return the predicted share of each candidate, (candidates,)."""
        standard = (critic_features(facts) - self.center) / self.spread
        return self.score(standard.clamp(-_FAR, _FAR))[..., 0]


def critic_features(facts: Facts) -> Tensor:
    """Return features (candidates, FEATURES)."""
    target, rest = facts.hits + facts.misses, facts.false_alarms + facts.rejections
    rows, errors = target + rest, facts.false_alarms + facts.misses
    covered = facts.hits + facts.false_alarms
    parts = [
        errors / rows,
        (errors + 1) / (rows + 2),
        torch.minimum(target, rest) / rows,
        torch.log(rows),
        torch.log(facts.all_literals),
        facts.clauses,
        facts.literals,
        facts.distinct,
        facts.surprise,
        facts.surprise_distinct,
        facts.logits,
        facts.noise,
        facts.other_noise,
        label_nats(errors, rows) / rows,
        facts.literals / rows,
        facts.surprise / rows,
        (facts.hits + 1) / (covered + 2),
        (facts.rejections + 1) / (rows - covered + 2),
        target / rows,
        facts.longest,
        facts.expected,
        covered / rows,
        facts.clauses / rows,
        *map(torch.log1p, (facts.hits, facts.false_alarms, facts.misses, facts.rejections)),
    ]
    return torch.stack(parts, -1)
