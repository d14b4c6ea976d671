"""Small parts of the networks of both models."""

from collections.abc import Callable

import torch
from torch import Tensor, nn


def perceptron(
    inputs: int, hidden: int, outputs: int, activation: Callable[[], nn.Module] = nn.GELU
) -> nn.Sequential:
    """Return a network with one hidden layer."""
    return nn.Sequential(nn.Linear(inputs, hidden), activation(), nn.Linear(hidden, outputs))


def at_least_single(tensor: Tensor) -> Tensor:
    """Return half precision as float32; float32 and float64 as they are."""
    return tensor.to(torch.promote_types(tensor.dtype, torch.float32))
