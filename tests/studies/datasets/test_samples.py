"""The tables that gnri brings, against the published ones and slow definitions."""

from collections import Counter
from hashlib import sha256
from itertools import product

import pytest

from studies.datasets import load

PUBLISHED = {
    "tic-tac-toe": "0b2ceb1c8cb0b062bc273e91f3130ba13dd8a7813b9728fc883e166ba4fbafb5",
    "monks-1": "8d566049276f72d5416f20593769f6b669e3e8e8e2423da0500f8a213b516e6d",
    "monks-2": "f42b3dc4b975c3588217cb584b632f88d524a2da6d7a4d0c8870937b60a873b6",
    "monks-3": "919187c8566ea805bee753048ffbcd8d65706d7a9e2fa48e4245007fa4e09c6a",
    "clevr-hans3": "6817d2ee621d206d445e47bdd61487e81494feef759dc398c51373e810753adc",
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_bundled_table_is_the_one_of_the_benchmark(name: str) -> None:
    assert sha256(load(name).to_csv().encode()).hexdigest() == PUBLISHED[name]


def test_tic_tac_toe_by_playing_every_game() -> None:
    ends: dict[tuple[str, ...], str] = {}
    lines = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
    seen = set()

    def play(board: tuple[str, ...], side: str) -> None:
        if board in seen:
            return
        seen.add(board)
        won = {s for s in "xo" for line in lines if all(board[i] == s for i in line)}
        if won or "b" not in board:
            ends[board] = "positive" if "x" in won else "negative"
            return
        for square in range(9):
            if board[square] == "b":
                play((*board[:square], side, *board[square + 1 :]), "o" if side == "x" else "x")

    play(("b",) * 9, "x")
    dataset = load("tic-tac-toe")
    assert dict(zip(dataset.rows, dataset.labels, strict=True)) == ends
    assert len(dataset.rows) == 958


def test_monks_are_the_sample_and_all_robots() -> None:
    robots = tuple(product("123", "123", "12", "123", "1234", "12"))
    wrong = {1: (), 2: (), 3: (4, 60, 202, 212, 213, 390)}  # robots with a wrong class, on purpose
    for problem, size in ((1, 124), (2, 169), (3, 122)):
        both, every = load(f"monks-{problem}"), load(f"monks-{problem}-all")
        assert every.rows == robots
        assert every.labels == tuple("01"[_is_member(problem, robot)] for robot in robots)
        assert both.rows[size:] == every.rows and both.labels[size:] == every.labels
        assert len(set(both.rows[:size])) == size
        truth = dict(zip(every.rows, every.labels, strict=True))
        sample = zip(both.rows[:size], both.labels[:size], strict=True)
        assert [row for row, label in sample if truth[row] != label] == [
            robots[i] for i in wrong[problem]
        ]


def _is_member(problem: int, robot: tuple[str, ...]) -> bool:
    head, body, _, holding, jacket, _ = robot
    if problem == 1:
        return head == body or jacket == "1"
    if problem == 2:
        return robot.count("1") == 2
    return (jacket == "3" and holding == "1") or (jacket != "4" and body != "3")


def test_scenes_meet_the_rule_of_their_own_class_alone() -> None:
    dataset = load("clevr-hans3")
    holds = [dict(zip(dataset.columns, row, strict=True)) for row in dataset.rows]
    asked = {
        "1": ("has_large_cube", "has_large_cylinder", "has_gray_cube"),
        "2": ("has_small_cube", "has_metal_cube", "has_metal_sphere"),
        "3": ("has_blue_sphere", "has_yellow_sphere", "has_large_blue"),
    }
    for scene, label in zip(holds, dataset.labels, strict=True):
        assert all(scene[name] == "1" for name in asked[label])
        if label != "1":
            assert "0" in (scene["has_large_cube"], scene["has_large_cylinder"])
    assert len(dataset.columns) == 105 and set(Counter(dataset.labels).values()) == {1000}


def test_scenes_are_consistent() -> None:
    """A pair of values that one object has implies that each of them is somewhere."""
    dataset = load("clevr-hans3")
    place = {column: i for i, column in enumerate(dataset.columns)}
    for row in dataset.rows:
        for color, shape in product(("gray", "red"), ("cube", "sphere")):
            if row[place[f"has_{color}_{shape}"]] == "1":
                assert any(row[place[f"has_{size}_{shape}"]] == "1" for size in ("large", "small"))
