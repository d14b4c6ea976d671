"""From an episode to a rule, in one call."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from gnri.counts.problem import Problem
from gnri.episode import Episode
from gnri.errors import EncodingError, GnriError
from gnri.model.guided.candidates import Candidate, Guided, Scorer, choose, shortest
from gnri.model.load import Model, load_model
from gnri.rules.dnf import SignedDNF
from gnri.search.limits import DEFAULT, Limits, prices_from_logits, uniform_prices
from gnri.search.refine import Climb, climb_all
from gnri.search.refine import refine as search

if TYPE_CHECKING:
    from gnri.symmetry.group import Symmetry

_BATCH_WORDS = 1 << 16  # packed words of the problems that the network reads together


@dataclass(frozen=True, slots=True)
class Induction:
    """A rule and where it came from; `rule` is None where the model abstains.

    `rail` is 0 for a rule of the positive class, 1 for the complement of a rule of the negative
    one. `margin`, which equality ignores, says how close the decision was: for `guided` how far
    the critic's score is from the nearest of a rule with other answers (1 if there is none), for
    the paper's models how far the scores are from a decision that could change the rule.
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

    With `refine` a search goes on from the model's rule, within `limits`. For `guided` and for
    models whose export is canonical, `induce(g(episode)) == g(induce(episode))` for every
    symmetry g (without negations, if `limits` forbid these); docs/theorems.md has the hypotheses.

    >>> rows = [[1, 1], [1, -1], [-1, 1], [-1, -1]] * 3
    >>> print(induce(Episode(rows, [1, -1, -1, -1] * 3)).rule)
    x0 & x1
    """
    if not isinstance(episode, Episode):
        raise EncodingError(
            f"induce takes an Episode, got {type(episode).__name__}; make one by "
            "Episode(values, labels)"
        )
    model = _load(model)
    if isinstance(model, Guided):
        problem = Problem.from_episode(episode, limits.negations)
        return induce_problem(problem, model, limits, refine=refine)
    check_limits(limits, refine)
    exported, name = model.export(episode), model.name
    rule, rail = exported.rule, exported.rail
    if refine:
        found = search(episode, starts=[] if rule is None else [rule], limits=limits)
        name, empty = f"{name} + refine", found.rule is None or not found.rule.clauses
        rule, rail = (None, None) if empty else (found.rule, found.rail)
    return Induction(rule, rail, name, exported.margin)


def _load(model: str | Path | Model) -> Model:
    return load_model(model) if isinstance(model, str | Path) else model


def induce_problem(
    problem: Problem, model: Guided, limits: Limits = DEFAULT, *, refine: bool = True
) -> Induction:
    """Return the best rule of what the model proposes, and with `refine` of what search adds."""
    check_limits(limits, refine)
    name = f"{model.name} + refine" if refine else model.name
    if not problem.is_learnable:
        return Induction(None, None, name, 0.0)
    scorer = model.scorer(problem)
    best, lead = choose(candidates(scorer, limits) if refine else scorer.written)
    if best is None or not best.clauses:
        return Induction(None, None, name, lead)
    rule = problem.to_rule(best.rail, best.clauses, limits.max_clauses)
    return Induction(rule, best.rail, name, lead)


def check_limits(limits: Limits, refine: bool) -> None:
    """Raise for limits without a search."""
    if not refine and limits != DEFAULT:
        raise GnriError(
            "limits (max_clauses, max_literals, max_conditions, negations) bound the search alone, "
            "got some with refine=False; leave them out, or let refine be True"
        )


def quick_rules(
    episodes: Sequence[Episode], model: str | Path | Model = "guided", *, limits: Limits = DEFAULT
) -> list[SignedDNF | None]:
    """Return the model's rules before any search."""
    model = _load(model)
    if not isinstance(model, Guided):
        return [model.export(episode).rule for episode in episodes]
    problems = (Problem.from_episode(episode, limits.negations) for episode in episodes)
    return quick_problem_rules(problems, model, limits)


def quick_problem_rules(
    problems: Iterable[Problem], model: Guided, limits: Limits = DEFAULT
) -> list[SignedDNF | None]:
    """Return the model's rules of problems before any search."""
    scorers = (scorer for some in _batches(problems) for scorer in model.quick_scorers(some))
    return [
        None if scorer is None else best_rule(scorer.problem, scorer.written, limits)
        for scorer in scorers
    ]


def _batches(problems: Iterable[Problem]) -> Iterator[list[Problem]]:
    """Yield a few problems at a time; how many changes no rule."""
    some: list[Problem] = []
    for problem in problems:
        some.append(problem)
        if sum(one.rails[0].packed_size for one in some) >= _BATCH_WORDS:
            yield some
            some = []
    if some:
        yield some


def best_rule(
    problem: Problem, found: list[Candidate], limits: Limits = DEFAULT
) -> SignedDNF | None:
    """Return the chosen rule; None for a constant, which is no rule."""
    best, _ = choose(found)
    if best is None or not best.clauses:
        return None
    return problem.to_rule(best.rail, best.clauses, limits.max_clauses)


def candidates(scorer: Scorer, limits: Limits = DEFAULT) -> list[Candidate]:
    """Return the rules of the model, of the search from them, and of a last climb."""
    return climb_shortest(scorer, search_candidates(scorer, limits), limits)


def search_candidates(scorer: Scorer, limits: Limits = DEFAULT) -> list[Candidate]:
    """Return the rules of the model, and those of a search from them at the model's prices."""
    found = []
    for number, starts in scorer.starts().items():
        prices = prices_from_logits(scorer.proposals[number].beliefs)
        rail = scorer.problem.price(number, prices)
        found += [(number, rule) for rule in climb_all(rail, starts, limits)]
    written = [candidate for candidate in scorer.written if limits.allow(candidate.clauses)]
    return [*written, *scorer.score(found)]


def climb_shortest(
    scorer: Scorer, rules: list[Candidate], limits: Limits = DEFAULT
) -> list[Candidate]:
    """Return the rules, and the result of one more climb from the shortest of each rail.

    Each literal costs what it does in the description of that rule.
    """
    found = []
    for number, rail in enumerate(scorer.problem.rails):
        best = shortest(rule for rule in rules if rule.rail == number)
        if best.clauses:
            prices = uniform_prices(len(rail.words), scorer.literal_price(best))[:, 0]
            climb = Climb(scorer.problem.price(number, prices), limits)
            found.append((number, climb.climb(best.clauses).clauses))
    return [*rules, *scorer.score(found)]
