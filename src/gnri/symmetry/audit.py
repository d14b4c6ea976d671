"""The audit: whether the rule of a transformed table is the transformed rule."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.episode import Episode
from gnri.errors import EncodingError, RuleError, ShapeError, SymmetryError
from gnri.symmetry.audit_report import Answer, AuditReport, Gap, identical, jaccard, same
from gnri.symmetry.group import Symmetry
from gnri.symmetry.transforms import TRANSFORMS, Transform

Inducer = Callable[[Episode], Any]
"""Takes an episode, returns a rule, None, or an object that holds either as `.rule`.

It may also take a `TableTask` and return a rule list.
"""


def audit(
    inducer: Inducer,
    episodes: Episode | Iterable[Episode],
    symmetries: Mapping[str, Transform] | Sequence[Symmetry] | None = None,
    *,
    seed: int = 0,
) -> AuditReport:
    """Compare inducer(g(episode)) with g(inducer(episode)) on each episode, for each symmetry.

    `symmetries` are named draws (by default `TRANSFORMS`) or fixed elements. The draws depend on
    `seed` and on the place of the episode only. If the inducer has a method `predict(episode)`
    that returns the probability of the positive class for each row, predictions are compared too.

    >>> from gnri.rules.dnf import SignedDNF
    >>> first_column = lambda episode: SignedDNF([[(0, True)]])
    >>> table = Episode([[1, -1], [-1, 1]], [1, -1])
    >>> g = Symmetry(atoms=(1, 0), flips=(False, False), rows=(0, 1))
    >>> audit(first_column, [table], [g]).exact
    False
    """
    if isinstance(episodes, Episode):
        episodes = [episodes]
    gaps, transforms = [], _named(symmetries)
    for index, episode in enumerate(episodes):
        rng = np.random.default_rng([seed, index])
        rule, prediction = _rule(inducer, episode, index), _prediction(inducer, episode)
        for name, transform in transforms.items():
            g = transform(episode, rng=rng)
            moved = g(episode)
            expected, found = g(rule), _rule(inducer, moved, index)
            gap = Gap(
                transform=name,
                episode_index=index,
                equal=same(expected, found, atoms=episode.atoms),
                identical=identical(expected, found),
                empty_before=rule is None or not rule.atoms,
                empty_after=found is None or not found.atoms,
                jaccard=jaccard(expected, found),
                prediction_drift=_drift(prediction, _prediction(inducer, moved), g),
            )
            gaps.append(gap)
    if not gaps:
        raise ShapeError("an audit needs at least one episode, got none")
    return AuditReport(tuple(gaps), seed)


def _named(
    symmetries: Mapping[str, Transform] | Sequence[Symmetry] | None,
) -> Mapping[str, Transform]:
    if symmetries is None:
        return TRANSFORMS
    if not symmetries:
        raise SymmetryError("an audit needs at least one symmetry, got none; leave it out for all")
    if isinstance(symmetries, Mapping):
        return symmetries
    return {
        f"symmetry {i}": lambda _, *, rng, g=g: g  # noqa: ARG005
        for i, g in enumerate(symmetries, start=1)
    }


def _rule(inducer: Inducer, episode: Episode, index: int) -> Answer:
    answer = inducer(episode)
    rule = getattr(answer, "rule", answer)
    if not isinstance(rule, Answer):
        raise RuleError(
            f"an inducer must answer with a rule or None, got {type(rule).__name__} on "
            f"episode {index}; wrap the learner so that it returns its rule"
        )
    return rule


def _prediction(inducer: Inducer, episode: Episode) -> NDArray[np.float64] | None:
    predict = getattr(inducer, "predict", None)
    if predict is None:
        return None
    prediction = np.asarray(predict(episode), dtype=np.float64)
    if prediction.shape != (episode.rows,):
        raise ShapeError(
            f"predict must give one probability for each of {episode.rows} rows, "
            f"got shape {prediction.shape}"
        )
    if not ((prediction >= 0) & (prediction <= 1)).all():  # NaN is outside as well
        raise EncodingError("predict must give probabilities in [0, 1] of the positive class")
    return prediction


def _drift(
    before: NDArray[np.float64] | None, after: NDArray[np.float64] | None, g: Symmetry
) -> float | None:
    """Return the largest change of a row's prediction; 1 - before is expected if labels swap."""
    if before is None or after is None:
        return None
    expected = 1 - before if g.label else before
    return float(np.abs(after[list(g.rows)] - expected).max())
