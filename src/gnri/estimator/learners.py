"""A model as a learner of rules, within limits."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gnri.episode import Episode
from gnri.errors import GnriError
from gnri.estimator.multiclass import Tasks
from gnri.induction import (
    best_rule,
    candidates,
    check_limits,
    induce,
    induce_problem,
    quick_problem_rules,
    quick_rules,
)
from gnri.model.guided.candidates import Candidate, Guided, RailRule, Scorer, shortlist
from gnri.model.load import Model
from gnri.rules.dnf import Clause, SignedDNF, cover_of
from gnri.rules.row_expression import EVERYTHING, any_of
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
        """Return the rule of each task; none where no clause is allowed."""
        if not self.limits.max_clauses:
            return [None] * len(tasks.kinds)
        if not isinstance(self.model, Guided):
            return [self.rule(episode) for episode in tasks.episodes()]
        if self.bounds is not None:
            return self._bounded_rules(tasks, self.model, self.bounds)
        return [
            induce_problem(problem, self.model, self.limits, refine=self.refine).rule
            for problem in tasks.problems(self.limits.negations)
        ]

    def _bounded_rules(
        self, tasks: Tasks, model: Guided, bounds: "Bounds"
    ) -> list[SignedDNF | None]:
        """Return the rule of each task within the bounds; kept clauses answer their rows first."""
        check_limits(self.limits, self.refine)
        kept, limits = bounds.kept, self.limits
        forced = bounds.forced and tasks.counter.within == EVERYTHING  # in the first rule
        if kept is not None:
            rest = tasks.counter.without(any_of(map(cover_of, kept.clauses)))
            tasks = replace(tasks, counter=rest)
            limits = replace(
                limits,
                max_clauses=max(0, limits.max_clauses - len(kept.clauses)),
                max_conditions=max(0, limits.max_conditions - kept.size),
            )
        read = frozenset[int]() if kept is None else kept.atoms
        wanted = [group for group in bounds.required if not group & read]
        found = []
        for problem in tasks.problems(limits.negations, bounds.allowed):
            rule = None
            if problem.is_learnable and limits.max_clauses and limits.max_conditions:
                scorer = model.scorer(problem)
                rules = candidates(scorer, limits) if self.refine else scorer.written
                if kept is not None:
                    rules = [one for one in rules if one.rail == 1 - kept.positive]
                if forced:
                    rules = read_required(scorer, rules, wanted, limits)
                rule = best_rule(problem, shortlist(rules), limits) if rules else None
            rule = bounds.to_plain(rule)
            if kept is not None:
                more = frozenset[Clause]() if rule is None else rule.clauses
                rule = SignedDNF(kept.clauses | more, kept.positive)
            found.append(rule)
        return found

    def quick_rules(self, tasks: Tasks) -> list[SignedDNF | None]:
        """Return the model's own rule for each task, without a search; it puts classes in order."""
        if not self.limits.max_clauses:
            return [None] * len(tasks.kinds)
        if not isinstance(self.model, Guided):
            return quick_rules(tasks.episodes(), self.model, limits=self.limits)
        allowed = None if self.bounds is None else self.bounds.allowed
        problems = tasks.problems(self.limits.negations, allowed)
        found = quick_problem_rules(problems, self.model, self.limits)
        return found if self.bounds is None else [self.bounds.to_plain(rule) for rule in found]

    def rule(self, episode: Episode) -> SignedDNF | None:
        """Return the rule of one task."""
        return induce(episode, self.model, self.refine, limits=self.limits).rule


def read_required(
    scorer: Scorer, rules: list[Candidate], groups: Sequence[frozenset[int]], limits: Limits
) -> list[Candidate]:
    """Return rules that read an atom of each group, made by adding literals or clauses.

    Each round adds one literal to each good rule, in each way there is, and keeps the best. Where
    the limits leave no room it takes the place of another. Of rules that nothing tells apart none
    is kept.
    """
    sides = scorer.problem.classes, scorer.problem.others or scorer.problem.classes

    def lacking(rule: Candidate) -> list[frozenset[int]]:
        parts = [sides[rule.rail][i] for clause in rule.clauses for i in clause]
        read = {one.atom for part in parts for one in part}
        return [group for group in groups if not group & read]

    done = [rule for rule in rules if not lacking(rule)]
    pool = rules and shortlist(rules)
    for _ in groups:
        grown = dict[RailRule, None]()
        for rule in pool:
            wanted = frozenset[int]().union(*lacking(rule))
            for i, members in enumerate(sides[rule.rail]):
                if any(one.atom in wanted for one in members):
                    added = [rule.clauses | {frozenset({i})}]
                    added += [rule.clauses - {part} | {part | {i}} for part in rule.clauses]
                    swapped = [
                        rule.clauses - {part} | {part - {other} | {i}}
                        for part in rule.clauses
                        for other in part
                    ]
                    allowed = [*filter(limits.allow, added)] or filter(limits.allow, swapped)
                    grown |= {(rule.rail, one): None for one in allowed}
        scored = scorer.score(list(grown))
        times = Counter((one.rail, one.key) for one in scored)
        pool = [one for one in scored if times[one.rail, one.key] == 1]
        pool = pool and shortlist(pool)
        done += [rule for rule in pool if not lacking(rule)]
    return done
