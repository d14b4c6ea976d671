"""The library in one call: an episode in, a rule out."""

from dataclasses import dataclass, field, replace
from pathlib import Path

from gnri.episodes.episode import Episode
from gnri.export import export_of
from gnri.logic.formula import SignedDNF
from gnri.model.inducer import Inducer
from gnri.model.loading import load_model
from gnri.search.refine import refine as search
from gnri.symmetry.action import act
from gnri.symmetry.group import Symmetry


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
    episode: Episode, model: str | Path | Inducer = "gnri", refine: bool = True
) -> Induction:
    """The rule that `model` gives for `episode`, with no training on it.

    With `refine` the model's rule is where a search on the rows' counts begins, for the rule of
    least errors plus one for each literal; without, it is the answer.

    For the models whose export is canonical, `induce(g(episode)) == g(induce(episode))` for
    every symmetry g.

    >>> rows = [[1, 1], [1, -1], [-1, 1], [-1, -1]] * 3
    >>> print(induce(Episode(rows, [1, -1, -1, -1] * 3)).rule)
    x0 & x1
    """
    inducer = model if isinstance(model, Inducer) else load_model(model)
    exported = export_of(inducer.condition)(inducer(episode), episode)
    if not refine:
        return Induction(exported.rule, exported.rail, inducer.name, exported.margin)
    starts = [] if exported.rule is None else [exported.rule]
    found = search(episode, starts=starts)
    name = f"{inducer.name} + refine"
    if found.rule is None or not found.rule.clauses:  # a constant is no rule
        return Induction(None, None, name, exported.margin)
    return Induction(found.rule, found.rail, name, exported.margin)


@act.register
def _(induction: Induction, g: Symmetry) -> Induction:
    rail = None if induction.rail is None else induction.rail ^ g.label
    return replace(induction, rule=g(induction.rule), rail=rail)
