"""The action of the group on rules, episodes and scores.

Other types register with `@act.register`, or have a method `move` that takes the symmetry.
"""

from functools import singledispatch
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.episode import Episode
from gnri.errors import SymmetryError
from gnri.rules.dnf import Literal, Rule
from gnri.rules.scorecard import FORMS
from gnri.scores import Scores
from gnri.symmetry.group import Symmetry


@singledispatch
def act(thing: Any, g: Symmetry) -> Any:
    """Return the image of `thing` under `g`."""
    if hasattr(thing, "move"):
        return thing.move(g)
    raise SymmetryError(f"no symmetry acts on a {type(thing).__name__}")


@act.register
def _(literal: Literal, g: Symmetry) -> Literal:
    if literal.atom >= len(g.atoms):
        raise SymmetryError(f"atom x{literal.atom} is not among the {len(g.atoms)} that g moves")
    return Literal(g.atoms[literal.atom], literal.positive ^ g.flips[literal.atom])


def _act_on_rule(rule: Rule, g: Symmetry) -> Rule:
    moved = rule.map_literals(lambda literal: act(literal, g))
    return ~moved if g.label else moved


for form in FORMS.values():
    act.register(form, _act_on_rule)


@act.register
def _(nothing: None, g: Symmetry) -> None:
    """Leave an abstention as it is."""


@act.register
def _(episode: Episode, g: Symmetry) -> Episode:
    if (episode.rows, episode.atoms) != (len(g.rows), len(g.atoms)):
        raise SymmetryError(
            f"g moves {len(g.rows)} rows x {len(g.atoms)} atoms, "
            f"the episode has {episode.rows} x {episode.atoms}"
        )
    labels = np.empty_like(episode.labels)
    labels[list(g.rows)] = -episode.labels if g.label else episode.labels
    weights = episode.weights[::-1] if g.label else episode.weights
    return Episode(move_values(episode.values, g), labels, weights)


def move_values(values: NDArray[np.int8], g: Symmetry) -> NDArray[np.int8]:
    """Return out[rows[r], atoms[i]] = (-1)^flips[i] * values[r, i]."""
    moved = np.empty_like(values)
    moved[np.ix_(g.rows, g.atoms)] = values * np.where(g.flips, -1, 1).astype(np.int8)
    return moved


@act.register
def _(scores: Scores, g: Symmetry) -> Scores:
    """Move atoms, exchange p+ with p- for a negation and the rails for the label swap."""
    if scores.atoms != len(g.atoms):
        raise SymmetryError(f"g moves {len(g.atoms)} atoms, the scores have {scores.atoms}")
    flipped = np.where(np.reshape(g.flips, (-1, 1)), scores.literals[..., ::-1], scores.literals)
    literals = np.empty_like(scores.literals)
    literals[:, :, list(g.atoms)] = flipped
    rails = [1, 0] if g.label else [0, 1]
    return Scores(literals[rails], scores.gates[rails])
