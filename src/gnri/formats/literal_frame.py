"""Write a rule list as a table, with one row for each literal."""

from collections.abc import Sequence
from typing import Any

from gnri.data.schema import Above, IsTrue, OneOf
from gnri.formats.conditions import write_clause
from gnri.formats.expression import Test, express_literal
from gnri.formats.text import is_positive
from gnri.rules.dnf import sort_literals
from gnri.rules.rule_list import RuleList


def to_frame(rule_list: RuleList) -> Any:
    """Return the literals as a pandas DataFrame or, where pandas is not installed, as `to_rows`."""
    rows = to_rows(rule_list)
    columns = ("class", "positive", "clause", "literal", "column", "operator", "value")
    more = ["points"] if any("points" in row for row in rows) else []
    return make_frame(rows, [*columns, *more])


def make_frame(rows: list[dict[str, Any]], columns: Sequence[str]) -> Any:
    """Return the rows as a pandas DataFrame or, where pandas is not installed, as they are."""
    try:
        import pandas
    except ImportError:
        return rows
    return pandas.DataFrame(rows, columns=list(columns))


def to_rows(rule_list: RuleList) -> list[dict[str, Any]]:
    """Return the literals as dictionaries; clauses count from 1, and an empty clause has no row.

    `positive` is false if the rule is the complement of its clauses.
    """
    return [
        {
            "class": rule_list.classes[rule_list.subject(step)],
            "positive": is_positive(step.rule),
            "clause": number,
            "literal": write_clause(rule_list.schema, [literal]),
            **_parts(express_literal(rule_list.schema, literal)),
            **({} if points is None else {"points": points}),
        }
        for step in rule_list.steps
        for number, (items, points) in enumerate(step.rule.lines, start=1)
        for literal in sort_literals(items)
    ]


def _parts(test: Test) -> dict[str, Any]:
    value: Any
    match test:
        case Test(Above(column, value), positive):
            operator = ">" if positive else "<="
        case Test(OneOf(column, (value,)), positive):
            operator = "=" if positive else "!="
        case Test(OneOf(column, value), positive):
            operator = "in" if positive else "not in"
        case Test(IsTrue(column), value):
            operator = "="
    return {"column": column, "operator": operator, "value": value}
