"""The library in one run: learn who won at tic-tac-toe, then try a random symmetry.

The table is made here, by playing out every game: 958 end positions, 9 squares that are x, o or
blank, and the question whether x has won.
"""

import sys

import numpy as np

from gnri import Episode, Symmetry, induce
from gnri.logic.text import render

SQUARES = [
    f"{row}-{column}"
    for row in ("top", "middle", "bottom")
    for column in ("left", "middle", "right")
]
MARKS = "xob"
NAMES = [f"{square}={mark}" for square in SQUARES for mark in MARKS]
LINES = [
    *([3 * i, 3 * i + 1, 3 * i + 2] for i in range(3)),
    *([i, i + 3, i + 6] for i in range(3)),
    [0, 4, 8],
    [2, 4, 6],
]


def main() -> int:
    episode = endgames()
    print(f"{episode}: did x win?\n")
    induction = induce(episode)
    if induction.rule is None:
        print("The model abstains: it proposes no rule.")
    else:
        accuracy = np.mean(induction.rule.evaluate(episode.values) == episode.labels)
        print(f"    {render(induction.rule, NAMES)}\n")
        print(f"It is right on {accuracy:.1%} of the positions.\n")

    g = Symmetry.random(episode, rng=np.random.default_rng())
    print(describe(g))
    moved = induce(g(episode))
    if moved != g(induction):
        print("The rule did NOT follow. This must not happen; please report it.")
        return 1
    print("The rule followed exactly: induce(g(episode)) == g(induce(episode)).")
    if moved.rule is not None:
        print(f"\n    {render(moved.rule)}")
    return 0


def endgames() -> Episode:
    """Every position in which a game can end, one row each, and whether x won it."""
    positions = sorted(end_positions("b" * 9, "x", set()))
    values = [
        [1 if cell == mark else -1 for cell in board for mark in MARKS] for board in positions
    ]
    return Episode(values, [1 if has_won(board, "x") else -1 for board in positions])


def end_positions(board: str, player: str, seen: set[str]) -> set[str]:
    """The ends that `player`, to move on `board`, can reach, less what was met in `seen`."""
    if board in seen:
        return set()
    seen.add(board)
    opponent = "o" if player == "x" else "x"
    if has_won(board, opponent) or "b" not in board:
        return {board}
    moves = (board[:i] + player + board[i + 1 :] for i in range(9) if board[i] == "b")
    return set().union(*(end_positions(move, opponent, seen) for move in moves))


def has_won(board: str, player: str) -> bool:
    return any(all(board[i] == player for i in line) for line in LINES)


def describe(g: Symmetry) -> str:
    rows = sum(r != i for i, r in enumerate(g.rows))
    atoms = sum(a != i for i, a in enumerate(g.atoms))
    labels = "swaps" if g.label else "keeps"
    return (
        f"A random symmetry moves {rows} rows and {atoms} columns, negates {sum(g.flips)} of them "
        f"and {labels} the labels."
    )


if __name__ == "__main__":
    sys.exit(main())
