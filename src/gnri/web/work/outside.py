"""Rows that are no part of a table kept here, answered by a saved ruleset, and the ruleset itself
as a file.
"""

import json
from collections.abc import Mapping
from typing import Any

from gnri.errors import GnriError
from gnri.formats.explanation import Explanation, explain
from gnri.rules.documents import RepeatedKeyError, load_ruleset, parse_json
from gnri.rules.rule_list import RuleSet
from gnri.web.security import Limits
from gnri.web.upload import check_rows, read_upload
from gnri.web.work import Report
from gnri.web.work.files import rules_file


def predict_rows(ruleset: str, rows: bytes, kind: str, limits: Limits, report: Report) -> bytes:
    """The class of each row, in JSON; the rows are "csv", or "rows" in JSON, a list of objects."""
    found = load_ruleset(ruleset)
    columns = _columns(found, rows, kind, limits)
    report(0.5, "answering")
    return json.dumps({"predictions": found.predict(columns)}).encode()


def explain_rows(ruleset: str, rows: bytes, kind: str, limits: Limits, report: Report) -> bytes:
    """The class of each row, the reason, and the clauses that fired, in JSON."""
    found = load_ruleset(ruleset)
    columns = _columns(found, rows, kind, limits)
    report(0.5, "answering")
    said = [_explained(one) for one in explain(found, columns)]
    return json.dumps({"rows": said}).encode()


def export_ruleset(ruleset: str, to: str, report: Report) -> dict[str, Any]:
    """The file of a ruleset."""
    report(0.1, "writing")
    return rules_file(load_ruleset(ruleset), to)


def _explained(one: Explanation) -> dict[str, Any]:
    fired = [{"label": label, "clauses": clauses} for label, clauses in one.fired.items()]
    return {"prediction": one.prediction, "reason": one.reason, "fired": fired}


def _columns(ruleset: RuleSet, rows: bytes, kind: str, limits: Limits) -> Mapping[str, Any]:
    """The cells of the columns that the ruleset reads; an absent one is missing."""
    if kind == "csv":
        return read_upload(rows, "the table", limits)
    objects = _objects(rows)
    check_rows(len(objects), "the table", limits)
    return {name: [row.get(name) for row in objects] for name in ruleset.columns}


def _objects(rows: bytes) -> list[dict[str, Any]]:
    try:
        found = parse_json(rows)
    except RepeatedKeyError:
        raise GnriError("a key stands twice in one of 'rows'; leave one of them out") from None
    if not found or not all(isinstance(row, dict) for row in found):
        raise GnriError("'rows' must be objects with a cell for each column, at least one")
    return found
