"""Small untrained networks, and a protocol with one section."""

from typing import Any

import torch

from gnri.model.nri.config import ModelConfig
from studies.paper.baseline_networks import CONDITIONS, ConditionNetwork
from studies.study import Context, Protocol

TINY = ModelConfig(width=16, slots=3, layers=1, heads=2, pairs=2, pair_width=4)


def network(condition: str) -> ConditionNetwork:
    torch.manual_seed(0)
    return ConditionNetwork(TINY, CONDITIONS[condition]).eval().requires_grad_(False)


def context_with(**sections: dict[str, Any]) -> Context:
    return Context(protocol=Protocol(sections))
