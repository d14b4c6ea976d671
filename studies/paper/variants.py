"""The audited models: the paper's conditions, and G-NRI with one component taken out."""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gnri.episode import Episode
from gnri.model.nri.nri import Inducer, Network
from gnri.model.paper_export import (
    Exported,
    average_prediction,
    canonical_export,
    dual_rail_export,
    native_export,
)
from gnri.model.soft_truth import UNIT, soft_truth
from gnri.scores import Scores
from studies.paper.checkpoints import network_of
from studies.paper.study import Place

Export = Callable[[Scores, Episode], Exported]


@dataclass(frozen=True, slots=True)
class Variant:
    """Whose weights, by which export, and whether the forward pass cuts ties by index."""

    condition: str
    export: Export
    native_forward: bool = False


VARIANTS = {
    "gnri": Variant("gnri", canonical_export),
    "native forward": Variant("gnri", canonical_export, native_forward=True),
    "dual rail": Variant("gnri", dual_rail_export),
    "native decode": Variant("gnri", native_export),
    "eqarch": Variant("eqarch", native_export),
    "nri": Variant("nri", native_export),
    "nri + canonical decode": Variant("nri", canonical_export),
}


class Audited:
    """A variant as something that answers episodes: its export, and its soft prediction.

    An equivariant forward reads each episode in an order that no symmetry can change (`Inducer`),
    so it runs on the CPU, one episode at a time.
    """

    def __init__(self, variant: Variant, network: Network) -> None:
        self.variant = variant
        self.inducer = Inducer(_native(network) if variant.native_forward else network, "")
        self._last: tuple[Episode, Scores] | None = None

    def scores(self, episode: Episode) -> Scores:
        """The scores of an episode; those of the last one are kept."""
        if self._last is None or self._last[0] is not episode:
            self._last = episode, self.inducer(episode)
        return self._last[1]

    def __call__(self, episode: Episode) -> Exported:
        return self.variant.export(self.scores(episode), episode)

    def predict(self, episode: Episode) -> NDArray[np.float64]:
        """The probability of the positive class for each row."""
        scores = self.scores(episode)
        if self.inducer.condition.label_average:
            return average_prediction(scores, episode)
        return soft_truth(scores, episode.values)[0] / UNIT


def audited(place: Place, name: str, seed: str | int) -> tuple[Audited, str]:
    """A variant with the weights of a seed, and the start of their checksum."""
    variant = VARIANTS[name]
    network, checkpoint = network_of(replace(place, device="cpu"), variant.condition, seed)
    return Audited(variant, network), checkpoint


def _native(network: Network) -> Network:
    """The same weights in a forward pass without tie completion, as the baseline has it."""
    native = deepcopy(network)
    native.condition = replace(network.condition, tie_complete=False)
    native.decoder.tie_complete = native.decoder.pairs.tie_complete = False
    return native
