"""The obvious versions of what the search does fast, and tables that are hard for it."""

from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from gnri.episode import Episode
from gnri.rules.dnf import Clause, Literal, SignedDNF, clause
from gnri.search.limits import PRICE_UNIT
from gnri.symmetry.group import Symmetry

Truth = tuple[bool, ...]


def truth(episode: Episode, literal: Literal) -> Truth:
    """Where a literal is true, on the labelled rows."""
    shown = episode.values[episode.labels != 0, literal.atom]
    return tuple((shown == (1 if literal.positive else -1)).tolist())


def covered(episode: Episode, rule: SignedDNF) -> list[bool]:
    """Whether some clause of the rule is true, on each labelled row."""
    shown = [row for row, label in zip(episode.values, episode.labels, strict=True) if label]
    return [
        any(all(row[a] == (1 if sign else -1) for a, sign in items) for items in rule.clauses)
        for row in shown
    ]


def cost(episode: Episode, prices: NDArray[np.int64], rule: SignedDNF) -> int:
    """Errors and prices; literals of equal truth count once, at the price of the cheapest."""
    target = 1 if rule.positive else -1
    labels = [label for label in episode.labels if label]
    wrong = sum(
        hit != (label == target) for hit, label in zip(covered(episode, rule), labels, strict=True)
    )
    return PRICE_UNIT * wrong + sum(clause_price(episode, prices, c) for c in rule.clauses)


def clause_price(episode: Episode, prices: NDArray[np.int64], items: Clause) -> int:
    cheapest: dict[Truth, int] = {}
    for literal in items:
        price = int(prices[literal.atom, 0 if literal.positive else 1])
        where = truth(episode, literal)
        cheapest[where] = min(price, cheapest.get(where, price))
    return sum(cheapest.values())


def classes(episode: Episode) -> dict[Truth, Clause]:
    """The literals that are true on some labelled row and not on all, by their truth."""
    found: dict[Truth, Clause] = {}
    for literal in map(Literal._make, product(range(episode.atoms), (True, False))):
        where = truth(episode, literal)
        if any(where) and not all(where):
            found[where] = found.get(where, clause()) | {literal}
    return found


def least_cost(episode: Episode, prices: NDArray[np.int64], clauses: int) -> int:
    """The least cost of all rules of at most so many clauses, of either sign."""
    groups = classes(episode)
    labels = [label for label in episode.labels if label]
    options = [
        (
            [all(row) for row in zip(*some, strict=True)],
            clause_price(episode, prices, frozenset().union(*(groups[where] for where in some))),
        )
        for size in range(1, min(len(groups), episode.atoms) + 1)
        for some in combinations(groups, size)
    ]
    masks = [(sum(hit << i for i, hit in enumerate(hits)), price) for hits, price in options]
    best = []
    for target, size in product((1, -1), range(clauses + 1)):
        goal = sum((label == target) << i for i, label in enumerate(labels))
        for some in combinations(masks, size):
            union = 0
            for mask, _ in some:
                union |= mask
            wrong = (union ^ goal).bit_count()
            best.append(PRICE_UNIT * wrong + sum(price for _, price in some))
    return min(best)


def move_prices(g: Symmetry, prices: NDArray[np.int64]) -> NDArray[np.int64]:
    """The prices of the moved literals."""
    moved = np.empty_like(prices)
    moved[list(g.atoms)] = np.where(np.reshape(g.flips, (-1, 1)), prices[:, ::-1], prices)
    return moved


def cube(atoms: int) -> NDArray[np.int8]:
    return np.array(list(product((1, -1), repeat=atoms)), np.int8)


def labelled(values: NDArray[np.int8], true: NDArray[np.bool_]) -> Episode:
    return Episode(values, np.where(true, 1, -1))


def hard_tables() -> dict[str, Episode]:
    """Tables with symmetries of their own, and with columns that say nothing or the same."""
    two, three, four = cube(2), cube(3), cube(4)
    rng = np.random.default_rng(0)
    noisy = rng.choice([-1, 1], (12, 2)).astype(np.int8)
    target = noisy[:, 0] * noisy[:, 1] > 0
    return {
        "xor": labelled(two, two.prod(1) < 0),
        "parity": labelled(three, three.prod(1) > 0),
        "majority": labelled(three, three.sum(1) > 0),
        "exactly one": labelled(four, (four > 0).sum(1) == 1),
        "two pairs": labelled(four, (four[:, :2] > 0).all(1) | (four[:, 2:] > 0).all(1)),
        "two xors": labelled(four, (four[:, 0] * four[:, 1] < 0) | (four[:, 2] * four[:, 3] < 0)),
        "ring": labelled(four, (four * np.roll(four, 1, axis=1) > 0).all(1)),
        "copies": labelled(np.hstack([noisy, noisy]), target),
        "complements": labelled(np.hstack([noisy, -noisy[:, :1]]), target),
        "constants": labelled(np.hstack([noisy, np.ones((12, 1), np.int8)]), target),
        "all missing": labelled(np.hstack([noisy, np.zeros((12, 1), np.int8)]), target),
        "one class": labelled(noisy, np.ones(12, bool)),
        "no labels": Episode(noisy, np.zeros(12, np.int8)),
        "contradictory": labelled(np.ones((4, 2), np.int8), np.arange(4) < 2),
    }
