"""How the truth of rules becomes one answer: a decision list, the same in every export."""

from typing import NamedTuple


class Step(NamedTuple):
    """If the rule of this index has this truth (+1, or -1 for false), answer this class."""

    rule: int
    truth: int
    answer: int


def binary_steps(present: bool, majority: int) -> list[Step]:
    """The list of a single rule, under class 1: only the other class needs the rule."""
    other = 1 - majority
    return [Step(0, 1 if other == 1 else -1, other)] if present else []
