"""The MONK's problems: six attributes of a robot, and three rules to be found.

Each problem was published as all 432 robots to be tested on, and a sample of them to be trained
on. A file of both, the sample first, is what the benchmark uses.
"""

from itertools import product

from gnri.datasets.dataset import Dataset

COLUMNS = ("a1", "a2", "a3", "a4", "a5", "a6")
ROBOTS = tuple(product("123", "123", "12", "123", "1234", "12"))

SAMPLES = {  # bit i is set where robot i was trained on
    1: "aa00e18ea0854500230082810828090809032007209211014004e1ab"
    "201c48909840db30c5ea08da444438e00884b19602500c240030",
    2: "853501002035a12d3935063a8e04f92bea40b0259646b1238d19e970"
    "1190ab84496a081904a270986c3af35044fb7a020ad003445748",
    3: "a128034d806061022802104801a00482801585904a102d10403208b9"
    "06a00240086803c340a0871160440d0d906f1c1033c88800895e",
}
WRONG = {1: (), 2: (), 3: (4, 60, 202, 212, 213, 390)}
"""Robots that the sample gives the wrong class, on purpose."""

Robot = tuple[str, ...]


def monks(problem: int) -> Dataset:
    """The published sample, then all the robots.

    >>> len(monks(1).rows), len(all_monks(1).rows)
    (556, 432)
    """
    bits = int(SAMPLES[problem], 16)
    sample = [i for i in range(len(ROBOTS)) if bits >> i & 1]
    truth = [_is_member(problem, robot) for robot in ROBOTS]
    labels = [truth[i] != (i in WRONG[problem]) for i in sample] + truth
    rows = (*(ROBOTS[i] for i in sample), *ROBOTS)
    return _dataset(f"monks-{problem}", rows, labels)


def all_monks(problem: int) -> Dataset:
    """Each robot once, with its true class."""
    labels = [_is_member(problem, robot) for robot in ROBOTS]
    return _dataset(f"monks-{problem}-all", ROBOTS, labels)


def _is_member(problem: int, robot: Robot) -> bool:
    _, second, _, fourth, fifth, _ = robot
    if problem == 1:
        return robot[0] == second or fifth == "1"
    if problem == 2:
        return robot.count("1") == 2
    return (fifth == "3" and fourth == "1") or (fifth != "4" and second != "3")


def _dataset(name: str, rows: tuple[Robot, ...], labels: list[bool]) -> Dataset:
    codes = tuple("01"[label] for label in labels)
    return Dataset(name, COLUMNS, rows, codes, ("categorical",) * len(COLUMNS), "generated")
