"""How much a class weighs in the task that tells it from all others."""

ROWS = 60
"""A class of so many rows, and of less than two fifths of all, counts twice."""


def class_weights(members: int, rows: int, classes: int) -> tuple[int, int]:
    """How often a row of a class counts against the rest, and one of the rest.

    Of two classes a rule is to be right more often than not. One of several may be the likeliest
    without that, and what its rule misses no other rule finds; so such a class counts twice, if
    there are rows enough to afford it.

    >>> class_weights(100, 300, classes=3), class_weights(100, 300, classes=2)
    ((2, 1), (1, 1))
    >>> class_weights(10, 30, classes=3)
    (1, 1)
    """
    twice = classes > 2 and members >= ROWS and 5 * members < 2 * rows
    return (2 if twice else 1), 1
