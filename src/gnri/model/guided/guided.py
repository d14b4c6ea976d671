"""`guided`: what the network says of a problem, from counts alone."""

from collections.abc import Sequence
from typing import Any

from gnri.counts.problem import Problem
from gnri.model.guided.architecture import GuidedNetwork
from gnri.model.guided.candidates import Scorer
from gnri.model.guided.inference import read
from gnri.model.guided.rule_decoder import STOP_BIASES
from gnri.model.threads import one_thread


class Guided:
    """The guided network with its name: `guided.judge(problem)` weighs rules of the problem.

    `sha256` and `recipe` say which weights these are and how they were trained, if they were.
    """

    def __init__(
        self,
        network: GuidedNetwork,
        name: str = "guided",
        sha256: str = "",
        recipe: dict[str, Any] | None = None,
    ) -> None:
        self.network = network.double().eval().requires_grad_(False)
        self.name = name
        self.sha256 = sha256
        self.recipe = recipe

    def judge(self, problem: Problem) -> Scorer:
        """Return what the network reads in a problem, ready to score rules for it."""
        return self._judges([problem], STOP_BIASES)[0]

    def glances(self, problems: Sequence[Problem]) -> list[Scorer | None]:
        """Return the same from one rule on each rail, written without a bias.

        Problems are read side by side; None for one in which there is nothing to tell apart.
        """
        judges = iter(self._judges([one for one in problems if one.is_learnable], STOP_BIASES[:1]))
        return [next(judges) if one.is_learnable else None for one in problems]

    def _judges(self, problems: Sequence[Problem], stop_biases: Sequence[float]) -> list[Scorer]:
        rails = [rail for problem in problems for rail in problem.rails]
        with one_thread():
            readings = read(self.network, rails, stop_biases)
        pairs = zip(problems, readings[::2], readings[1::2], strict=True)
        return [Scorer(self.network.critic, problem, both) for problem, *both in pairs]
