"""The model `guided`: from a problem to a scorer of its rules."""

from collections.abc import Sequence
from typing import Any

from gnri.counts.problem import Problem
from gnri.model.guided.architecture import GuidedNetwork
from gnri.model.guided.candidates import Scorer
from gnri.model.guided.inference import propose
from gnri.model.guided.rule_decoder import STOP_BIASES
from gnri.model.layers import one_thread


class Guided:
    """The guided network with its name.

    `sha256` and `recipe` say which weights these are and how they were trained.
    """

    def __init__(
        self,
        network: GuidedNetwork,
        name: str = "guided",
        sha256: str = "",
        recipe: dict[str, Any] | None = None,
    ) -> None:
        self.network, self.name = network, name
        self.sha256, self.recipe = sha256, recipe

    def scorer(self, problem: Problem) -> Scorer:
        """Return a scorer of rules for a problem, with the rules that the network proposes."""
        return self._scorers([problem], STOP_BIASES)[0]

    def quick_scorers(self, problems: Sequence[Problem]) -> list[Scorer | None]:
        """Return scorers with one proposed rule on each rail; None if undecidable."""
        learnable = [one for one in problems if one.is_learnable]
        scorers = iter(self._scorers(learnable, STOP_BIASES[:1]))
        return [next(scorers) if one.is_learnable else None for one in problems]

    def _scorers(self, problems: Sequence[Problem], stop_biases: Sequence[float]) -> list[Scorer]:
        rails = [rail for problem in problems for rail in problem.rails]
        with one_thread():
            proposals = propose(self.network, rails, stop_biases)
        pairs = zip(problems, proposals[::2], proposals[1::2], strict=True)
        return [Scorer(self.network.critic, problem, both) for problem, *both in pairs]
