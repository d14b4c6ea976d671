"""The networks of gnri as torch modules: parameters to train, and the functions of the package.

What a network computes is defined once, in `gnri.model`; here its arrays are parameters.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from gnri.model.guided.architecture import GuidedConfig, GuidedNetwork
from gnri.model.guided.critic import critic_shapes
from gnri.model.layers import Shapes, Weights
from gnri.model.nri.config import ModelConfig
from gnri.model.nri.nri import Network

BUFFERS = {"center": 0.0, "spread": 1.0}
"""What is set from data and not trained: the scale of the critic's features."""

Draw = Callable[[Tensor], Tensor]


class Parameters(Weights, nn.Module):
    """A tree of parameters, with the names that `Weights` has."""

    def __init__(self, shapes: Shapes, draws: Mapping[str, Draw] | None = None) -> None:
        nn.Module.__init__(self)
        for name, shape in shapes.items():
            *path, last = name.split(".")
            node: nn.Module = self
            for part in path:
                if part not in node._modules:
                    node.add_module(part, Parameters({}))
                node = node.get_submodule(part)
            tensor = torch.empty(shape)
            if last in BUFFERS:
                node.register_buffer(last, tensor.fill_(BUFFERS[last]))
                continue
            _draw(node, last, tensor, (draws or {}).get(name))
            node.register_parameter(last, nn.Parameter(tensor))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the parameters as NumPy arrays, by name."""
        return {name: part.detach().cpu().numpy() for name, part in self.state_dict().items()}

    def fill(self, arrays: Mapping[str, NDArray[np.floating]]) -> None:
        """Copy arrays of the same names and shapes into the parameters."""
        self.load_state_dict({name: torch.tensor(array) for name, array in arrays.items()})


def _draw(node: nn.Module, name: str, tensor: Tensor, draw: Draw | None) -> None:
    """Fill a parameter as torch does: linear maps by their inputs, norms with one and zero."""
    weight = getattr(node, "weight", None)
    if draw is not None:
        draw(tensor)
    elif name == "weight" and tensor.ndim == 2:
        nn.init.kaiming_uniform_(tensor, a=math.sqrt(5))
    elif name == "bias" and weight is not None and weight.ndim == 2:
        bound = 1 / math.sqrt(weight.shape[1]) if weight.shape[1] else 0
        tensor.uniform_(-bound, bound)
    else:
        tensor.fill_(name == "weight")


class GuidedModule(Parameters, GuidedNetwork):
    """The guided network in training."""

    def __init__(self, config: GuidedConfig) -> None:
        Parameters.__init__(self, config.shapes())
        self.config = config


class CriticModule(Parameters):
    """The critic by itself."""

    def __init__(self) -> None:
        super().__init__(critic_shapes())


SLOT_DRAWS: dict[str, Draw] = {
    "decoder.queries": lambda tensor: tensor.normal_(0.0, 0.02),
    "decoder.scale": lambda tensor: tensor.normal_(1.0, 0.5),
    "decoder.shift": nn.init.orthogonal_,
}
"""What of the paper's network is drawn in its own way."""


class SlotModule(Parameters, Network):
    """The paper's network in training."""

    def __init__(self, config: ModelConfig, more: Shapes, draws: Mapping[str, Draw]) -> None:
        shapes = {**config.shapes(), **more}
        order = sorted(shapes, key=lambda name: name.startswith("decoder."))  # as it was drawn
        Parameters.__init__(self, {name: shapes[name] for name in order}, {**SLOT_DRAWS, **draws})
        self.config = config

    def drop(self, values: Tensor) -> Tensor:
        """Return the values with some dropped in training."""
        return nn.functional.dropout(values, self.config.dropout, self.training)
