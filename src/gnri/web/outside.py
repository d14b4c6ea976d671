"""Requests about a saved ruleset, with what they bring along."""

import json
from collections.abc import Mapping
from typing import Any

from gnri.web.asked import csv_in, one_of, part
from gnri.web.large import Large


def own_rows(asked: Mapping[str, Any]) -> tuple[str, bytes, str]:
    """The ruleset and the rows that came with it, with the name of the part they came as."""
    kind, ruleset = one_of(asked, "rows", "csv"), ruleset_in(asked)
    if kind == "csv":
        return ruleset, csv_in(asked), kind
    if isinstance(asked, Large):
        return ruleset, asked.json("rows"), kind
    return ruleset, json.dumps(part(asked, "rows", list)).encode(), kind


def ruleset_in(asked: Mapping[str, Any]) -> str:
    """The ruleset document of the request, as an export to JSON has it."""
    return json.dumps(part(asked, "ruleset", dict))
