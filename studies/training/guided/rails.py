"""The two rails of each table as tables of their own, and the counts that the network sees."""

from typing import NamedTuple

import torch
from torch import Tensor

from gnri.model.guided.architecture import Counts
from studies.training.guided.draw import Episodes


class Rails(NamedTuple):
    """Rail 0 of every episode, then rail 1 of every episode."""

    cells: Tensor  # float (rails, rows, literals): 1 where the literal is known to be true
    target: Tensor  # float (rails, rows): 1 on the rows that the rail asks for
    clauses: Tensor  # bool (rails, clauses, literals)
    explicit: Tensor  # bool (rails,)
    used: Tensor  # bool (rails, literals)
    noise: Tensor  # float (rails,)


def both_rails(episodes: Episodes) -> Rails:
    """The rails of the episodes."""
    cells, labels = episodes.cells.float(), episodes.labels
    hidden = (torch.cat(part.unbind(1)) for part in episodes[2:])
    return Rails(torch.cat([cells, cells]), torch.cat([labels, ~labels]).float(), *hidden)


def count(episodes: Episodes, most: int) -> Counts:
    """What the network sees of each rail, with at most `most` anchors.

    An anchor tells much by itself: it has a high |target * all rest - rest * all target|. That
    does not change when target and rest are swapped, so both rails have the same anchors.
    """
    cells, target = episodes.cells.float(), episodes.labels.float()
    literals = torch.stack([target, 1 - target], 1) @ cells  # (batch, 2, literals)
    sizes = torch.stack([target.sum(1), (1 - target).sum(1)], -1)
    telling = (literals * sizes.flip(-1)[..., None] * sizes.new_tensor([[1], [-1]])).sum(1).abs()
    anchors = telling.topk(min(most, cells.shape[2]), dim=1).indices
    beside = cells.gather(2, anchors[:, None].expand(-1, cells.shape[1], -1))
    both, wanted = cells.mT @ beside, (cells * target[..., None]).mT @ beside
    pairs = torch.stack([wanted, both - wanted], -1)
    return Counts(
        _and_swapped(literals.mT), _and_swapped(pairs), anchors.repeat(2, 1), _and_swapped(sizes)
    )


def _and_swapped(counts: Tensor) -> Tensor:
    """The counts of rail 0, (..., target and rest), followed by those of rail 1."""
    return torch.cat([counts, counts.flip(-1)])
