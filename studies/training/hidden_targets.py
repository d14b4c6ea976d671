"""Hidden labellings of a table: DNF, its complement, trees, weighted votes, hidden factors.

Clauses are masks over literals, bool (batch, clauses, atoms, 2), the last axis (x, not x).
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from studies.training.streams import normal, uniform
from studies.training.table_columns import Columns

CLAUSES = 12  # at most, of a mask; those without literals are not there
LITERALS, DEPTH = 5, 3  # at most, of a clause of a random DNF; of a tree
PLAIN = 6, 4  # clauses, and literals of a clause, of rules as large as the paper's, at most
COUNTED = 6  # atoms of a tally, at most
ATTEMPTS, BALANCE = 2, 0.12  # labellings tried while the smaller class has less than this share
GREEDY_CLAUSES, GREEDY_LITERALS = 4, 3  # how long a greedy rule gets, and each clause of it
GREEDY_GAIN = 0.01  # the share of the rows that a literal must right


class Target(NamedTuple):
    """Labels before noise, and a short rule for them on each rail.

    Rail 0 is a DNF of the positive rows, rail 1 one of the negative rows. Where only the literals
    of the rule of a rail are known, and not its clauses, `explicit` is False.
    """

    labels: Tensor  # bool (batch, rows)
    clauses: Tensor  # bool (batch, 2 rails, CLAUSES, atoms, 2)
    used: Tensor  # bool (batch, 2 rails, atoms, 2)
    explicit: Tensor  # bool (batch, 2 rails)


def draw_target(columns: Columns, *, generator: torch.Generator) -> Target:
    """Return a labelling of each table; where one class is rare another one is tried."""
    best = _one(columns, generator)
    for _ in range(ATTEMPTS - 1):
        other = _one(columns, generator)
        rare, better = _balance(best.labels) < BALANCE, _balance(other.labels)
        best = _choose(rare & (better > _balance(best.labels)), other, best)
    swap = uniform((len(best.labels),), generator) < 0.5
    swapped = Target(~best.labels, *(part.flip(1) for part in best[1:]))
    return _choose(swap, swapped, best)


def _one(columns: Columns, generator: torch.Generator) -> Target:
    truth = columns.truth
    lot = uniform((len(truth),), generator)
    found = _choose(lot < 0.52, tree(truth, generator), dnf(truth, generator))
    found = _choose(lot < 0.42, tally(truth, generator), found)
    scored = (lot < 0.34).nonzero()[:, 0]
    scores = torch.where(lot[:, None] < 0.22, factor(columns, generator), vote(truth, generator))
    ruled = by_score(truth[scored], scores[scored], generator)
    for whole, part in zip(found, ruled, strict=True):
        whole[scored] = part
    return found


def dnf(truth: Tensor, generator: torch.Generator) -> Target:
    """Return a random DNF; in half of the tables few clauses are likelier, a third are plain."""
    batch, _, atoms = truth.shape
    share = uniform((batch, 1), generator)
    few = uniform((batch, 1), generator) < 0.5
    count = 1 + (torch.where(few, share**3, share) * CLAUSES).long()
    lot = uniform((batch, CLAUSES), generator)
    size = 1 + ((lot * uniform((batch, 1), generator)).sqrt() * LITERALS).long()
    plain = uniform((batch, 1), generator) < 1 / 3
    count = torch.where(plain, 1 + (share * PLAIN[0]).long(), count)
    size = torch.where(plain, 1 + (lot * PLAIN[1]).long(), size)
    lot = uniform((batch, CLAUSES, atoms), generator)
    pool = uniform((batch, 1, atoms), generator)  # atoms of low lot are used again and again
    order = torch.where(uniform((batch, 1, 1), generator) < 0.5, lot * 0.3 + pool, lot)
    cut = order.sort(-1).values.gather(-1, (size - 1).clamp(max=atoms - 1)[..., None])
    active = torch.arange(CLAUSES, device=truth.device) < count
    chosen = (order <= cut) & active[..., None]
    alike = uniform((batch, 1, 1), generator) < 0.5  # an atom keeps its sign in all clauses
    signs = uniform((batch, CLAUSES, atoms), generator) < 0.5
    positive = torch.where(alike, signs[:, :1], signs)
    clauses = torch.stack([chosen & positive, chosen & ~positive], -1)
    used = clauses.any(1)
    return Target(
        holds(clauses, truth).any(1),
        torch.stack([clauses, torch.zeros_like(clauses)], 1),
        torch.stack([used, used.flip(-1)], 1),
        torch.tensor([True, False], device=truth.device).repeat(batch, 1),
    )


def tree(truth: Tensor, generator: torch.Generator) -> Target:
    """Return a full tree of random atoms and random leaves: a clause for each leaf."""
    batch, _, atoms = truth.shape
    leaves = 2**DEPTH
    nodes = (uniform((batch, leaves - 1), generator) * atoms).long().clamp(max=atoms - 1)
    answers = uniform((batch, CLAUSES), generator) < 0.5
    places = (torch.arange(size, device=truth.device) for size in (leaves, DEPTH))
    leaf, level = torch.cartesian_prod(*places).unbind(1)
    above, positive = leaf >> (DEPTH - level), leaf >> (DEPTH - level - 1) & 1
    literal = 2 * nodes[:, above + 2**level - 1] + (1 - positive)
    flat = torch.zeros(batch, CLAUSES * 2 * atoms, dtype=torch.bool, device=truth.device)
    paths = flat.scatter(1, leaf * 2 * atoms + literal, True).view(batch, CLAUSES, atoms, 2)
    paths = paths & ~paths.all(-1).any(-1)[..., None, None]  # an atom met twice, both ways
    clauses = paths[:, None] & torch.stack([answers, ~answers], 1)[..., None, None]
    explicit = torch.ones(batch, 2, dtype=torch.bool, device=truth.device)
    return Target(holds(clauses[:, 0], truth).any(1), clauses, clauses.any(2), explicit)


def tally(truth: Tensor, generator: torch.Generator) -> Target:
    """Label by how many of some literals are true: enough, exactly so many, an odd number."""
    batch, _, atoms = truth.shape
    count = 2 + (uniform((batch, 1), generator) * (COUNTED - 1)).long()
    lot = uniform((batch, atoms), generator)
    cut = lot.sort(1).values.gather(1, (count - 1).clamp(max=atoms - 1))
    chosen, positive = lot <= cut, uniform((batch, atoms), generator) < 0.5
    true = ((truth == positive[:, None]) & chosen[:, None]).sum(-1)
    least = 1 + (uniform((batch, 1), generator) * count).long()
    kind = uniform((batch, 1), generator)
    labels = torch.where(kind < 0.5, true >= least, true == least)
    labels = torch.where(kind > 0.85, true % 2 == 1, labels)
    literals = torch.stack([chosen & positive, chosen & ~positive], -1)
    both = literals | literals.flip(-1)
    enough = (kind < 0.5)[..., None]
    used = [torch.where(enough, one, both) for one in (literals, literals.flip(-1))]
    clauses = torch.zeros(batch, 2, CLAUSES, atoms, 2, dtype=torch.bool, device=truth.device)
    return Target(labels, clauses, torch.stack(used, 1), clauses[:, :, 0, 0, 0].clone())


def vote(truth: Tensor, generator: torch.Generator) -> Tensor:
    """Return scores of the rows: a weighted vote of some atoms, with a little noise."""
    batch, _, atoms = truth.shape
    share = 0.6 * uniform((batch, 1), generator).square() + 2 / atoms
    weights = normal((batch, atoms), generator)
    weights = weights * (uniform((batch, atoms), generator) < share)
    scores = ((truth.float() - 0.5) @ weights[..., None])[..., 0]
    noise = 0.3 * uniform((batch, 1), generator) * weights.norm(dim=-1, keepdim=True)
    return scores + (noise + 1e-3) * normal(scores.shape, generator)


def factor(columns: Columns, generator: torch.Generator) -> Tensor:
    """Return scores of the rows by the factors behind the columns: every column says a little."""
    factors = columns.factors
    weights = normal((len(factors), factors.shape[2]), generator)
    told = uniform(weights.shape, generator) < 0.5
    told[:, 0] = True  # the factor that every table has
    weights = weights * told
    scores = (factors @ weights[..., None])[..., 0]
    noise = 0.5 * uniform((len(factors), 1), generator) * weights.norm(dim=-1, keepdim=True)
    return scores + (noise + 1e-3) * normal(scores.shape, generator)


def by_score(truth: Tensor, scores: Tensor, generator: torch.Generator) -> Target:
    """Label the rows of high score positive; find short rules by greedy covering."""
    share = 0.15 + 0.7 * uniform((len(scores), 1), generator)
    place = (share * (scores.shape[1] - 1)).long()
    labels = scores > scores.sort(1).values.gather(1, place)
    found = greedy(torch.cat([truth, truth]), torch.cat([labels, ~labels]))
    clauses = torch.stack(found.chunk(2), 1)
    return Target(labels, clauses, clauses.any(2), clauses.flatten(2).any(2))


def _balance(labels: Tensor) -> Tensor:
    share = labels.float().mean(1)
    return torch.minimum(share, 1 - share)


def _choose(which: Tensor, left: Target, right: Target) -> Target:
    """Return `left` where `which` says so, by episode."""
    pairs = zip(left, right, strict=True)
    return Target(*(torch.where(which.view(-1, *[1] * (a.ndim - 1)), a, b) for a, b in pairs))


def holds(clauses: Tensor, truth: Tensor) -> Tensor:
    """Return where each clause is true, (batch, clauses, rows); without literals nowhere."""
    cells = truth.float()
    wrong = clauses[..., 0].float() @ (1 - cells).mT + clauses[..., 1].float() @ cells.mT
    return (wrong < 0.5) & clauses.any(-1).any(-1)[..., None]


def greedy(truth: Tensor, labels: Tensor) -> Tensor:
    """Return a short DNF, (batch, CLAUSES, atoms, 2), that covers most of the labels."""
    batch, rows, atoms = truth.shape
    cells = torch.stack([truth, ~truth], -1).flatten(2).float()
    sign = 2.0 * labels.float() - 1
    free = torch.ones(batch, rows, device=truth.device)
    clauses = torch.zeros(batch, CLAUSES, 2 * atoms, dtype=torch.bool, device=truth.device)
    for slot in range(GREEDY_CLAUSES):
        clauses[:, slot], cover = _grown(cells, sign, free)
        found = clauses[:, slot].any(1)
        free = torch.where(found[:, None], free * (1 - cover), free)
    return clauses.view(batch, CLAUSES, atoms, 2)


def _grown(cells: Tensor, sign: Tensor, free: Tensor) -> tuple[Tensor, Tensor]:
    """Return a clause grown by the literal that rights most free rows, and those it covers."""
    batch, rows, literals = cells.shape
    clause = torch.zeros(batch, literals, dtype=torch.bool, device=cells.device)
    cover, gain = free, torch.zeros(batch, device=cells.device)
    for _ in range(GREEDY_LITERALS):
        gains = ((cover * sign)[:, None] @ cells)[:, 0]
        top, best = gains.max(1)
        better = top > gain + GREEDY_GAIN * rows
        true = cells.gather(2, best[:, None, None].expand(batch, rows, 1))[..., 0]
        cover = torch.where(better[:, None], cover * true, cover)
        clause |= nn.functional.one_hot(best, literals).bool() & better[:, None]
        gain = torch.where(better, top, gain)
    return clause, cover
