"""The library in one call: an episode in, a rule out."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from gnri.counts.problem import Problem
from gnri.episode import Episode
from gnri.errors import GnriError
from gnri.model.guided.candidates import Candidate, Scorer, choose, shortest
from gnri.model.guided.guided import Guided
from gnri.model.load import Model, load_model
from gnri.rules.dnf import SignedDNF
from gnri.search.hill_climb import Climb
from gnri.search.limits import DEFAULT, Limits, prices_from_logits, uniform_prices
from gnri.search.refine import climb_all
from gnri.search.refine import refine as search

if TYPE_CHECKING:
    from gnri.symmetry.group import Symmetry

_SIDE_BY_SIDE = 1 << 16  # words of the problems that are read together, as all take memory


@dataclass(frozen=True, slots=True)
class Induction:
    """A rule with where it came from; `rule` is None where the model abstains.

    `rail` is 0 for a rule of the positive class and 1 for the complement of a rule of the
    negative one. `margin` says how close the decision was. For `guided` it is the difference
    between the critic's score of the rule and the nearest score of one that answers differently,
    or 1 where there is none; for the paper's models it is the distance of the scores to the nearest
    decision that could change the rule of their one pass. Equality is that of rule, rail and
    model.
    """

    rule: SignedDNF | None
    rail: int | None
    model: str
    margin: float = field(compare=False)

    def move(self, g: "Symmetry") -> "Induction":
        """Return the image of the induction under a symmetry: `g(induction)`."""
        rail = None if self.rail is None else self.rail ^ g.label
        return replace(self, rule=g(self.rule), rail=rail)


def induce(
    episode: Episode,
    model: str | Path | Model = "guided",
    refine: bool = True,
    *,
    limits: Limits = DEFAULT,
) -> Induction:
    """Return the rule that `model` gives for `episode`, with no training on it.

    With `refine` a search on the rows' counts goes on from the model's rule; without, its one
    pass is the answer. `limits` bounds the rule of the search; the one pass has no such bound.

    For `guided` and for the models whose export is canonical,
    `induce(g(episode)) == g(induce(episode))` for every symmetry g.

    >>> rows = [[1, 1], [1, -1], [-1, 1], [-1, -1]] * 3
    >>> print(induce(Episode(rows, [1, -1, -1, -1] * 3)).rule)
    x0 & x1
    """
    _check_limits(limits, refine)
    inducer = load_model(model) if isinstance(model, str | Path) else model
    if isinstance(inducer, Guided):
        problem = Problem.from_episode(episode, limits.negations)
        return induce_problem(problem, inducer, limits, refine=refine)
    exported = inducer.export(episode)
    if not refine:
        return Induction(exported.rule, exported.rail, inducer.name, exported.margin)
    starts = [] if exported.rule is None else [exported.rule]
    found = search(episode, starts=starts, limits=limits)
    name = f"{inducer.name} + refine"
    if found.rule is None or not found.rule.clauses:
        return Induction(None, None, name, exported.margin)
    return Induction(found.rule, found.rail, name, exported.margin)


def induce_problem(
    problem: Problem, model: Guided, limits: Limits = DEFAULT, *, refine: bool = True
) -> Induction:
    """Return the rule of a problem, wherever its rows are: the best of what the model wrote.

    With `refine`, the best of that and of what the search made of it.
    """
    _check_limits(limits, refine)
    name = f"{model.name} + refine" if refine else model.name
    if not problem.is_learnable:
        return Induction(None, None, name, 0.0)
    judge = model.judge(problem)
    best, lead = choose(candidates(judge, limits) if refine else judge.written)
    if best is None or not best.clauses:
        return Induction(None, None, name, 0.0 if best is None else lead)
    rule = problem.to_rule(best.rail, best.clauses, limits.max_clauses)
    return Induction(rule, best.rail, name, lead)


def _check_limits(limits: Limits, refine: bool) -> None:
    if not refine and limits != DEFAULT:
        raise GnriError(
            "limits (max_clauses, max_literals, negations) bound the search alone, got some with "
            "refine=False; leave them out, or let refine be True"
        )


def glances(
    episodes: Sequence[Episode], model: str | Path | Model = "guided", *, limits: Limits = DEFAULT
) -> list[SignedDNF | None]:
    """Return the model's rules before any search."""
    inducer = load_model(model) if isinstance(model, str | Path) else model
    if not isinstance(inducer, Guided):
        return [inducer.export(episode).rule for episode in episodes]
    problems = (Problem.from_episode(episode, limits.negations) for episode in episodes)
    return quick_rules(problems, inducer, limits)


def quick_rules(
    problems: Iterable[Problem], model: Guided, limits: Limits = DEFAULT
) -> list[SignedDNF | None]:
    """Return the model's rules before any search: one sees how sure it is of each problem."""
    judges = (judge for some in _batches(problems) for judge in model.glances(some))
    return [
        None if judge is None else best_rule(judge.problem, judge.written, limits)
        for judge in judges
    ]


def _batches(problems: Iterable[Problem]) -> Iterator[list[Problem]]:
    """Yield a few problems at a time; how many decides nothing."""
    some: list[Problem] = []
    for problem in problems:
        some.append(problem)
        if sum(one.rails[0].packed_size for one in some) >= _SIDE_BY_SIDE:
            yield some
            some = []
    if some:
        yield some


def best_rule(
    problem: Problem, found: list[Candidate], limits: Limits = DEFAULT
) -> SignedDNF | None:
    """Return the rule that is chosen of several; None for a constant, which is no rule."""
    best, _ = choose(found)
    if best is None or not best.clauses:
        return None
    return problem.to_rule(best.rail, best.clauses, limits.max_clauses)


def candidates(judge: Scorer, limits: Limits = DEFAULT) -> list[Candidate]:
    """Return what the model wrote for a problem, and what the search made of it."""
    return climb_shortest(judge, search_candidates(judge, limits), limits)


def search_candidates(judge: Scorer, limits: Limits = DEFAULT) -> list[Candidate]:
    """Return what the model wrote, and what a search at the model's prices made of it."""
    found = []
    for number, starts in judge.starts().items():
        prices = prices_from_logits(judge.readings[number].beliefs)
        rail = judge.problem.rails[number].with_prices(prices)
        found += [(number, rule) for rule in climb_all(rail, starts, limits)]
    written = [candidate for candidate in judge.written if limits.allow(candidate.clauses)]
    return [*written, *judge.score(found)]


def climb_shortest(
    judge: Scorer, rules: list[Candidate], limits: Limits = DEFAULT
) -> list[Candidate]:
    """Return the rules, and what the shortest of each rail becomes by one climb more.

    Each literal costs there what it does in the description of that rule.
    """
    found = []
    for number, rail in enumerate(judge.problem.rails):
        best = shortest(rule for rule in rules if rule.rail == number)
        if best.clauses:
            prices = uniform_prices(len(rail.words), judge.literal_price(best))
            found.append((number, Climb(rail.with_prices(prices), limits).up(best.clauses).clauses))
    return [*rules, *judge.score(found)]
