"""What every model must do: follow every symmetry, and say nothing where nothing can be said."""

from collections.abc import Iterable, Sequence

import numpy as np

from gnri.episode import Episode
from gnri.induction import Induction, induce, quick_rules
from gnri.model.load import Model, load_model
from gnri.rules.dnf import SignedDNF
from gnri.symmetry.group import Symmetry

NO_EVIDENCE = {
    "no labels": Episode([[1, -1], [-1, 1]], [0, 0]),
    "all missing": Episode(np.zeros((6, 3), int), [1, -1, 1, -1, 1, -1]),
    "a contradiction": Episode([[1, -1]] * 4, [1, 1, -1, -1]),
}
"""Tables without a labelled cell, and one that says the same of both classes."""

HOPELESS = {
    "no informative column": Episode([[1, 1], [1, 1], [1, 1]], [1, -1, 1]),
    "the positive class alone": Episode([[1, -1], [-1, 1]], [1, 1]),
    "the negative class alone": Episode([[1, -1], [-1, 1]], [-1, -1]),
    "one row": Episode([[1, -1, 0]], [1]),
    "one labelled row": Episode([[1, -1], [-1, 1], [1, 1]], [0, -1, 0]),
    **NO_EVIDENCE,
}
"""Tables in which nothing tells the labels apart."""


def both_ways(model: Model, episode: Episode) -> list[Induction]:
    """What is induced with the search and without it."""
    return [induce(episode, model, refine) for refine in (True, False)]


def rules(found: Iterable[Induction]) -> list[tuple[SignedDNF | None, int | None]]:
    return [(one.rule, one.rail) for one in found]


def check_name(model: Model) -> None:
    """A bundled model is known by its name, and its weights by their hash."""
    assert load_model(model.name) is model
    assert len(model.sha256) == 64
    assert int(model.sha256, 16)
    named = [one.model for one in both_ways(model, HOPELESS["one row"])]
    assert named == [f"{model.name} + refine", model.name]


def check_follows(model: Model, episode: Episode, symmetries: Iterable[Symmetry]) -> None:
    """What is induced of a moved table is what is induced of the table, moved."""
    found = both_ways(model, episode)
    for g in symmetries:
        assert both_ways(model, g(episode)) == [g(one) for one in found], (episode, g)


def check_padding(model: Model, episode: Episode) -> None:
    """Columns that were never observed and rows without a label leave no trace."""
    values = np.pad(episode.values, ((0, 5), (0, 3)))
    empty = Episode(values, np.pad(episode.labels, (0, 5)), episode.weights)
    assert both_ways(model, empty) == both_ways(model, episode)
    values[-5:, : episode.atoms] = episode.values[:1]
    unlabelled = Episode(values, empty.labels, episode.weights)
    assert both_ways(model, unlabelled) == both_ways(model, episode)


def check_copies(model: Model, episode: Episode) -> None:
    """Of columns that are equal or opposite none is preferred."""
    values = np.column_stack([episode.values, episode.values[:, 0], -episode.values[:, 0]])
    copied = Episode(values, episode.labels, episode.weights)
    first, *between, copy, opposite = range(episode.atoms + 2)
    still = [False] * len(between)
    rows = tuple(range(episode.rows))
    for atoms, flips in (
        ((copy, *between, first, opposite), (False, *still, False, False)),
        ((opposite, *between, copy, first), (True, *still, False, True)),
    ):
        swap = Symmetry(tuple(atoms), tuple(flips), rows)
        assert np.array_equal(swap(copied).values, values)
        for one in both_ways(model, copied):
            assert swap(one) == one


def check_abstains(model: Model) -> None:
    """There is no rule, and no rail, where nothing tells the labels apart."""
    for episode in HOPELESS.values():
        assert (induce(episode, model).rule, induce(episode, model).rail) == (None, None)
    for episode in NO_EVIDENCE.values():
        assert rules(both_ways(model, episode)) == [(None, None)] * 2


def check_batch(model: Model, episodes: Sequence[Episode]) -> None:
    """Tables are answered together as they are alone, those without a rule among them."""
    together = quick_rules([*episodes, *NO_EVIDENCE.values()], model)
    assert together[: len(episodes)] == [quick_rules([episode], model)[0] for episode in episodes]
    assert together[len(episodes) :] == [None] * len(NO_EVIDENCE)
    assert any(together)
    assert quick_rules([], model) == []
