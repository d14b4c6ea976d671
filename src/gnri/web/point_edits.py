"""How the points of a cell are raised, on the lines that a scorecard has."""

from gnri.data.schema import Above, Schema
from gnri.formats.expression import Case, Expression, express_literal
from gnri.rules.dnf import Clause, Literal


def raise_cells(case: Case, schema: Schema) -> list[list[tuple[Clause, int]]]:
    """Return for each cell of a line the points to add so that it gives one more.

    The points of the empty clause are those of every row. The cells are as `describe_case` has
    them, without the last one, of an empty cell: it gives half of the points of the others.
    """
    if case.column is None:
        tests = case.tests[0][0].parts  # type: ignore[union-attr]
        own = frozenset(_find_literal(schema, test) for test in tests)
        return [[(own, 1)], [(own, -1), (frozenset(), 1)]]
    literals = [frozenset({_find_literal(schema, test)}) for test, _ in case.tests[:-1]]
    every: list[tuple[Clause, int]] = [(frozenset(), 1)]
    if not isinstance(case.tests[0][0].atom, Above):  # type: ignore[union-attr]
        return [*([(one, 1)] for one in literals), [*every, *((one, -1) for one in literals)]]
    # Above a threshold all lower ones hold too, and what they give is taken back.
    above = [
        [(one, 1)] + [(up, -1) for up in literals[i - 1 : i]] for i, one in enumerate(literals)
    ]
    return [[*every, (literals[-1], -1)], *above[::-1]]


def _find_literal(schema: Schema, test: Expression) -> Literal:
    """Return the literal that is written as this test."""
    literals = (Literal(i, sign) for i in range(len(schema.atoms)) for sign in (True, False))
    return next(one for one in literals if express_literal(schema, one) == test)
