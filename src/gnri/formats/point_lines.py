"""The lines of a point table in words: for each column its ranges or values, with their points."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gnri.data.schema import Schema
from gnri.formats.conditions import WORDS, Notation, shorten_list, to_condition
from gnri.formats.expression import (
    And,
    Case,
    Compare,
    Expression,
    Flag,
    Member,
    Or,
    express_literal,
)
from gnri.rules.dnf import Literal


def write_case(case: Case, notation: Notation = WORDS) -> str:
    """Return the points of a column as a form asks for them.

    >>> tests = (Compare("age", 60.0, True), 3), (Compare("age", 40.0, True), 2)
    >>> print(write_case(Case("age", (*tests, (Compare("age", 40.0, False), 0)), 1.5)))
    age: up to 40: 0 | 40 to 60: 2 | over 60: 3 | empty: 1.5
    """
    name, cells = describe_case(case, notation)
    if case.column is None:  # what a clause gives where it is false goes without saying: 0
        cells = [("", cells[0][1]), cells[2]]
    parts = [f"{words}: {points:g}" if words else f"{points:g}" for words, points in cells]
    return f"{name}: " + f" {notation.operator('|')} ".join(parts)


class Line(NamedTuple):
    """A line of a point table: its name, and each of its cells in words with its points.

    The cells are ranges in order, values, or yes and no; the last is for an empty cell.
    """

    name: str
    cells: list[tuple[str, float]]


def describe_case(case: Case, notation: Notation = WORDS) -> Line:
    """Return a column, or a clause, as a line of a point table."""
    points = [points for _, points in case.tests]
    words = [_name_test(test, notation) for test, _ in case.tests]
    if isinstance(case.tests[0][0], Compare):
        cuts = [notation.formula.format(notation.value(one.cut)) for one, _ in case.tests]  # type: ignore[union-attr]
        words = [f"over {cuts[0]}", *(f"{low} to {up}" for up, low in pairwise(cuts[:-1]))]
        words.append(f"up to {cuts[-1]}")
        points, words = points[::-1], words[::-1]
    if case.column is None:
        tests = [one for one in case.tests[0][0].parts if not isinstance(one, And | Or)]  # type: ignore[union-attr]
        name = " and ".join(notation.write(to_condition(one)) for one in tests)
    else:
        name = notation.formula.format(notation.column(case.column))
    return Line(name, [*zip(words, points, strict=True), ("empty", case.missing)])


def _name_test(test: Expression, notation: Notation) -> str:
    """Return the test of a value, a Boolean column or a clause in words."""
    match test:
        case Member(_, values, True):
            few = shorten_list(values)
            return ", ".join(notation.formula.format(notation.value(one)) for one in few)
        case And() | Flag(_, True):
            return "yes"
        case Or() | Flag(_, False):
            return "no"
    return "any other"


def find_cells(case: Case, schema: Schema, values: NDArray[np.int8]) -> NDArray[np.intp]:
    """Return which of the cells of `describe_case` each row of atom values has, by its index."""
    signs = (True, False)
    truths = {
        express_literal(schema, Literal(i, sign)): values[:, i] * (1 if sign else -1)
        for i in range(len(schema.atoms))
        for sign in signs
    }
    found = [
        np.min([truths[part] for part in test.parts], axis=0)  # type: ignore[index]
        if isinstance(test, And)
        else truths[test]  # type: ignore[index]
        for test, _ in case.tests[:-1]
    ]
    last, missing = len(found), np.max(found, axis=0)  # the last test is that no other holds
    cells = np.select([one == 1 for one in found] + [missing == -1], range(last + 1), last + 1)
    ranges = isinstance(case.tests[0][0], Compare)
    return np.where(cells <= last, last - cells, cells) if ranges else cells
