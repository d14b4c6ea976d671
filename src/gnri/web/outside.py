"""Rows that are no part of a table kept here, answered by a saved ruleset."""

import json
from collections.abc import Mapping
from typing import Any

from gnri.render.checks import column_kinds
from gnri.render.classifier import RuleSet
from gnri.render.document import KIND, load_ruleset
from gnri.tables.cells import Kind
from gnri.tables.delimited import read_delimited
from gnri.web.asked import csv_in, part
from gnri.web.large import Large
from gnri.web.refusal import Refusal


def predict_rows(asked: Mapping[str, Any]) -> dict[str, Any]:
    """The class of each row."""
    ruleset = ruleset_in(asked)
    return {"predictions": ruleset.predict(_columns(asked, ruleset))}


def explain_rows(asked: Mapping[str, Any]) -> dict[str, Any]:
    """The class of each row, the reason, and the clauses that fired."""
    ruleset = ruleset_in(asked)
    found = ruleset.explain(_columns(asked, ruleset))
    return {
        "rows": [
            {
                "prediction": one.prediction,
                "reason": one.reason,
                "fired": [{"label": label, "clauses": said} for label, said in one.fired.items()],
            }
            for one in found
        ]
    }


def ruleset_in(asked: Mapping[str, Any]) -> RuleSet:
    """The ruleset document of the request, as an export to JSON has it."""
    if isinstance(asked, Large) and "ruleset" in asked:
        KIND.check_form(asked.json("ruleset"))
    return load_ruleset(json.dumps(part(asked, "ruleset", dict)))


def _columns(asked: Mapping[str, Any], ruleset: RuleSet) -> dict[str, Any]:
    """Its rows, from `csv` or from `rows`, a list of objects; an absent cell is missing."""
    if "csv" in asked:
        table = read_delimited(csv_in(asked), "the table")
        kinds = {name: Kind(kind) for name, kind in column_kinds(ruleset.schema.atoms).items()}
        return dict(table.read_as(kinds).cells)
    rows = part(asked, "rows", list)
    if not rows or not all(isinstance(row, dict) for row in rows):
        raise Refusal(422, "'rows' must be objects with a cell for each column, at least one")
    return {name: [row.get(name) for row in rows] for name in ruleset.columns}
