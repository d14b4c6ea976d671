"""What finds rules: a model, or any function of an episode."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gnri.episode import Episode
from gnri.estimator.multiclass import Tasks
from gnri.induction import induce, induce_problem, quick_problem_rules, quick_rules
from gnri.model.guided.guided import Guided
from gnri.model.load import Model
from gnri.rules.dnf import SignedDNF
from gnri.search.limits import DEFAULT, Limits


@dataclass(frozen=True, eq=False, slots=True)
class ModelLearner:
    """A model as a learner; `guided` needs counts alone, the others read rows in memory."""

    model: Model
    refine: bool = True
    limits: Limits = DEFAULT

    def rules(self, tasks: Tasks) -> list[SignedDNF | None]:
        if not isinstance(self.model, Guided):
            return [self.rule(episode) for episode in tasks.episodes()]
        return [
            induce_problem(problem, self.model, self.limits, refine=self.refine).rule
            for problem in tasks.problems(self.limits.negations)
        ]

    def quick_rules(self, tasks: Tasks) -> list[SignedDNF | None]:
        if not isinstance(self.model, Guided):
            return quick_rules(tasks.episodes(), self.model, limits=self.limits)
        return quick_problem_rules(tasks.problems(self.limits.negations), self.model, self.limits)

    def rule(self, episode: Episode) -> SignedDNF | None:
        """Return the rule of one task with its rows."""
        return induce(episode, self.model, self.refine, limits=self.limits).rule


@dataclass(frozen=True, eq=False, slots=True)
class EpisodeLearner:
    """Any function of an episode as a learner, for rows in memory.

    `quick` finds the rules by which several classes are put in order, `rule` if it is None.
    """

    rule: Callable[[Episode], SignedDNF | None]
    quick: Callable[[Sequence[Episode]], list[SignedDNF | None]] | None = None

    def rules(self, tasks: Tasks) -> list[SignedDNF | None]:
        return [self.rule(episode) for episode in tasks.episodes()]

    def quick_rules(self, tasks: Tasks) -> list[SignedDNF | None]:
        return self.rules(tasks) if self.quick is None else self.quick(tasks.episodes())
