"""The library in one call: an episode in, a rule out."""

from dataclasses import dataclass, field, replace
from pathlib import Path

from gnri.episodes.episode import Episode
from gnri.export import export_of
from gnri.logic.formula import SignedDNF
from gnri.model.inducer import Inducer
from gnri.model.loading import load_model
from gnri.symmetry.action import act
from gnri.symmetry.group import Symmetry


@dataclass(frozen=True, slots=True)
class Induction:
    """A rule with where it came from; `rule` is None where the model abstains.

    `rail` is 0 for a rule of the positive class and 1 for the complement of a rule of the
    negative one. `margin` is the distance of the scores to the nearest decision that could
    change the rule. Equality is that of rule, rail and model.
    """

    rule: SignedDNF | None
    rail: int | None
    model: str
    margin: float = field(compare=False)


def induce(episode: Episode, model: str | Path | Inducer = "gnri") -> Induction:
    """The rule that `model` gives for `episode`, with no training on it.

    For the models whose export is canonical, `induce(g(episode)) == g(induce(episode))` for
    every symmetry g.

    >>> rows = [[1, 1], [1, 1], [1, -1], [1, -1], [-1, 1], [-1, 1], [-1, -1], [-1, -1]]
    >>> print(induce(Episode(rows, [1, 1, -1, -1, -1, -1, -1, -1])).rule)
    x0 & x1
    """
    inducer = model if isinstance(model, Inducer) else load_model(model)
    exported = export_of(inducer.condition)(inducer(episode), episode)
    return Induction(exported.rule, exported.rail, inducer.name, exported.margin)


@act.register
def _(induction: Induction, g: Symmetry) -> Induction:
    rail = None if induction.rail is None else induction.rail ^ g.label
    return replace(induction, rule=g(induction.rule), rail=rail)
