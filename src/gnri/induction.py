"""The library in one call: an episode in, a rule out."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from gnri.counts.rail import Clause, Rail
from gnri.counts.table import Table, tabulate
from gnri.episode import Episode
from gnri.errors import GnriError
from gnri.model.guided.candidates import Candidate, Judge, choose, shortest
from gnri.model.guided.guided import Guided
from gnri.model.load import Model, load_model
from gnri.model.nri.nri import Inducer
from gnri.model.paper_export import DecodeConfig, Exported, canonical_export, export_of
from gnri.rules.dnf import SignedDNF
from gnri.search.hill_climb import Climb
from gnri.search.limits import DEFAULT, Limits
from gnri.search.prices import alike, believed
from gnri.search.refine import climbs
from gnri.search.refine import refine as search
from gnri.symmetry.action import act
from gnri.symmetry.group import Symmetry

_SIDE_BY_SIDE = 1 << 22  # cells of the tables that are glanced at together, as all take memory


@dataclass(frozen=True, slots=True)
class Induction:
    """A rule with where it came from; `rule` is None where the model abstains.

    `rail` is 0 for a rule of the positive class and 1 for the complement of a rule of the
    negative one. `margin` is the distance of the scores to the nearest decision that could
    change the model's rule; the search that may follow decides on whole numbers alone. Equality
    is that of rule, rail and model.
    """

    rule: SignedDNF | None
    rail: int | None
    model: str
    margin: float = field(compare=False)


def induce(
    episode: Episode,
    model: str | Path | Model = "guided",
    refine: bool = True,
    *,
    limits: Limits = DEFAULT,
) -> Induction:
    """The rule that `model` gives for `episode`, with no training on it.

    With `refine` a search on the rows' counts goes on from the model's rule; without, its one
    pass is the answer. `limits` bounds the rule of the search; the one pass has no such bound.

    For `guided` and for the models whose export is canonical,
    `induce(g(episode)) == g(induce(episode))` for every symmetry g.

    >>> rows = [[1, 1], [1, -1], [-1, 1], [-1, -1]] * 3
    >>> print(induce(Episode(rows, [1, -1, -1, -1] * 3)).rule)
    x0 & x1
    """
    if not refine and limits != DEFAULT:
        raise GnriError(
            "limits (max_clauses, max_literals, negations) bound the search alone, got some with "
            "refine=False; leave them out, or let refine be True"
        )
    inducer = load_model(model) if isinstance(model, str | Path) else model
    if not refine:
        exported = _exported(inducer, episode)
        return Induction(exported.rule, exported.rail, inducer.name, exported.margin)
    if isinstance(inducer, Guided):
        found = _guided(inducer, episode, limits)
    else:
        found = _from_one_pass(inducer, episode, limits)
    name = f"{inducer.name} + refine"
    if found.rule is None or not found.rule.clauses:  # a constant is no rule
        return Induction(None, None, name, found.margin)
    return Induction(found.rule, found.rail, name, found.margin)


def glances(
    episodes: Sequence[Episode], model: str | Path | Model = "guided", *, limits: Limits = DEFAULT
) -> list[SignedDNF | None]:
    """The model's rules before any search, from which one sees how sure it is of each class."""
    inducer = load_model(model) if isinstance(model, str | Path) else model
    if not isinstance(inducer, Guided):
        return [_exported(inducer, episode).rule for episode in episodes]
    largest = max((episode.values.size for episode in episodes), default=1)
    room = max(1, _SIDE_BY_SIDE // largest)
    parts = [episodes[i : i + room] for i in range(0, len(episodes), room)]
    tables = ([tabulate(one, limits.negations) for one in part] for part in parts)
    return [written(judge, limits) for part in tables for judge in inducer.glances(part)]


def written(judge: Judge | None, limits: Limits = DEFAULT) -> SignedDNF | None:
    """The best of what the model wrote for a table; None where that is to say nothing."""
    return None if judge is None else best_rule(judge.table, judge.written, limits)


def best_rule(table: Table, found: list[Candidate], limits: Limits = DEFAULT) -> SignedDNF | None:
    """The rule that is chosen of several; None where that is a constant, which is no rule."""
    best, _ = choose(found)
    if best is None or not best.clauses:
        return None
    return table.rule(best.rail, best.clauses, limits.max_clauses)


def _exported(inducer: Model, episode: Episode) -> Exported:
    if isinstance(inducer, Guided):
        return canonical_export(inducer(episode), episode, DecodeConfig(budget=episode.atoms))
    return export_of(inducer.condition)(inducer(episode), episode)


def _from_one_pass(inducer: Inducer, episode: Episode, limits: Limits) -> Exported:
    """The rule of least errors plus one for each literal, searched from the model's rule."""
    exported = _exported(inducer, episode)
    starts = [] if exported.rule is None else [exported.rule]
    found = search(episode, starts=starts, limits=limits)
    return Exported(found.rule, found.rail, exported.margin)


def _guided(inducer: Guided, episode: Episode, limits: Limits) -> Exported:
    """The best of the candidates, as far as the model can tell."""
    table = tabulate(episode, limits.negations)
    if not table.decidable:
        return Exported(None, None, 0.0)
    best, lead = choose(candidates(inducer.judge(table), limits))
    if best is None:
        return Exported(None, None, 0.0)
    return Exported(table.rule(best.rail, best.clauses, limits.max_clauses), best.rail, lead)


def candidates(judge: Judge, limits: Limits = DEFAULT) -> list[Candidate]:
    """What the model wrote for a table, and what the search made of it."""
    return climbed_on(judge, searched(judge, limits), limits)


def searched(judge: Judge, limits: Limits = DEFAULT) -> list[Candidate]:
    """What the model wrote, and what a search at the model's prices made of it."""
    found = [
        (number, rule)
        for number, starts in judge.starts().items()
        for rule in climbs(_priced(judge, number), starts, limits)
    ]
    written = [candidate for candidate in judge.written if limits.allow(candidate.clauses)]
    return [*written, *judge.weigh(found)]


def climbed_on(judge: Judge, rules: list[Candidate], limits: Limits = DEFAULT) -> list[Candidate]:
    """The rules, and what the shortest of each rail becomes by one climb more.

    Each literal costs there what it does in the description of that rule.
    """
    best = [shortest(rule for rule in rules if rule.rail == number) for number in (0, 1)]
    found = [(rule.rail, _climbed(judge, rule, limits)) for rule in best if rule.clauses]
    return [*rules, *judge.weigh(found)]


def _climbed(judge: Judge, rule: Candidate, limits: Limits) -> frozenset[Clause]:
    rail = judge.table.rails[rule.rail]
    prices = alike(len(rail.words), judge.errors_a_literal(rule))
    return Climb(rail.priced(prices), limits).up(rule.clauses).clauses


def _priced(judge: Judge, number: int) -> Rail:
    return judge.table.rails[number].priced(believed(judge.readings[number].beliefs))


@act.register
def _(induction: Induction, g: Symmetry) -> Induction:
    rail = None if induction.rail is None else induction.rail ^ g.label
    return replace(induction, rule=g(induction.rule), rail=rail)
