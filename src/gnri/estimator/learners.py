"""Learners of rules: a model, or any function of an episode."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnri.episode import Episode
from gnri.errors import GnriError
from gnri.estimator.multiclass import Tasks
from gnri.induction import induce, induce_problem, quick_problem_rules, quick_rules
from gnri.model.guided.candidates import Guided
from gnri.model.load import Model
from gnri.rules.dnf import SignedDNF
from gnri.search.limits import DEFAULT, Limits

if TYPE_CHECKING:
    from gnri.estimator.constraints import Bounds


@dataclass(frozen=True, eq=False, slots=True)
class ModelLearner:
    """A model as a learner; `guided` needs only counts, other models need rows in memory."""

    model: Model
    refine: bool = True
    limits: Limits = DEFAULT
    bounds: "Bounds | None" = None

    def check_counts_suffice(self) -> None:
        """Raise unless counts suffice: only `guided` with `refine` learns a table in parts."""
        needs_rows = not isinstance(self.model, Guided)
        if needs_rows or not self.refine:
            wanted = f"the model {self.model.name!r}" if needs_rows else "refine=False"
            raise GnriError(
                f"a table in parts needs the model 'guided' with refine=True; {wanted} "
                "needs the rows in memory, so read the table into memory first"
            )

    def rules(self, tasks: Tasks) -> list[SignedDNF | None]:
        """Return the rule of each task."""
        if not isinstance(self.model, Guided):
            return [self.rule(episode) for episode in tasks.episodes()]
        if self.bounds is not None:
            from gnri.estimator.constrained_fit import learn_bounded

            return learn_bounded(tasks, self.model, self.limits, self.bounds, refine=self.refine)
        return [
            induce_problem(problem, self.model, self.limits, refine=self.refine).rule
            for problem in tasks.problems(self.limits.negations)
        ]

    def quick_rules(self, tasks: Tasks) -> list[SignedDNF | None]:
        """Return the model's own rule for each task, without a search; it puts classes in order."""
        if not isinstance(self.model, Guided):
            return quick_rules(tasks.episodes(), self.model, limits=self.limits)
        allowed = None if self.bounds is None else self.bounds.allowed
        problems = tasks.problems(self.limits.negations, allowed)
        found = quick_problem_rules(problems, self.model, self.limits)
        return found if self.bounds is None else [self.bounds.to_plain(rule) for rule in found]

    def rule(self, episode: Episode) -> SignedDNF | None:
        """Return the rule of one task."""
        return induce(episode, self.model, self.refine, limits=self.limits).rule


@dataclass(frozen=True, eq=False, slots=True)
class EpisodeLearner:
    """Any function of an episode as a learner; `quick`, or else `rule`, finds the quick rules."""

    rule: Callable[[Episode], SignedDNF | None]
    quick: Callable[[Sequence[Episode]], list[SignedDNF | None]] | None = None

    def rules(self, tasks: Tasks) -> list[SignedDNF | None]:
        """Return the rule of each task."""
        return [self.rule(episode) for episode in tasks.episodes()]

    def quick_rules(self, tasks: Tasks) -> list[SignedDNF | None]:
        """Return the quick rule of each task."""
        return self.rules(tasks) if self.quick is None else self.quick(tasks.episodes())
