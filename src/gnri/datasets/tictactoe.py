"""Every board on which a game of tic-tac-toe can end, x having begun; positive where x has won."""

from itertools import product

from gnri.datasets.dataset import Dataset

COLUMNS = tuple(
    f"{row}-{column}-square"
    for row in ("top", "middle", "bottom")
    for column in ("left", "middle", "right")
)
LINES = ("012", "345", "678", "036", "147", "258", "048", "246")

Board = tuple[str, ...]


def tic_tac_toe() -> Dataset:
    """The 958 boards in the published order: x has won, o has won, drawn.

    >>> tic_tac_toe().class_counts
    {'negative': 332, 'positive': 626}
    """
    boards = list(product("xob", repeat=9))
    ends = [[board for board in boards if over(board)] for over in (_x_won, _o_won, _drawn)]
    rows = tuple(board for end in ends for board in end)
    labels = tuple("positive" if _wins(board, "x") else "negative" for board in rows)
    return Dataset("tic-tac-toe", COLUMNS, rows, labels, ("categorical",) * 9, "generated")


def _x_won(board: Board) -> bool:
    return _lead(board) == 1 and _wins(board, "x") and not _wins(board, "o")


def _o_won(board: Board) -> bool:
    return _lead(board) == 0 and _wins(board, "o") and not _wins(board, "x")


def _drawn(board: Board) -> bool:
    return _lead(board) == 1 and "b" not in board and not any(_wins(board, s) for s in "xo")


def _lead(board: Board) -> int:
    """How many more moves x has made than o."""
    return board.count("x") - board.count("o")


def _wins(board: Board, side: str) -> bool:
    return any(all(board[int(square)] == side for square in line) for line in LINES)
