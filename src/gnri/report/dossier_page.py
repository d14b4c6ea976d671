"""The files of a dossier, and the page in it that a person reads first."""

import re
from collections.abc import Mapping
from typing import Any

from gnri.errors import escape
from gnri.estimator.fitting import Fitted
from gnri.estimator.summary import summarize
from gnri.formats.text import ending_lines
from gnri.report.templates import render_template

MANIFEST, README = "manifest.json", "README.md"
CONTENTS = {
    README: "this page",
    "rule.json": "the rule for programs, with counts and ranges of the training rows",
    "rule.txt": "the rule in words",
    "rule.sql": "the rule as a query",
    "data.json": "what identifies the table, without its rows",
    "model.json": "the weights, the settings and the versions",
    "validation.json": "cross-validation",
    "evidence.json": "the rows that each clause or line covers, and how many are right",
    "stability.json": "how often each condition returns when the rows are drawn anew",
    "groups.json": "the answers in each group of rows",
    "symmetry.json": "random changes that must not matter, and whether the rule followed",
    MANIFEST: "the options, and the SHA-256 of each file",
}
"""The files of a dossier, and what is in them; groups.json only where a group was named."""


def write_readme(fitted: Fitted, target: str, documents: Mapping[str, Any]) -> str:
    """Return the page, as Markdown."""
    data = documents["data.json"]
    rule = [*summarize(fitted.statistics).split("\n"), "", *ending_lines(fitted.minimized)]
    return render_template(
        "dossier.md.j2",
        target=target,
        data=data,
        columns=len(fitted.columns),
        sizes=", ".join(f"{name} {size:,}" for name, size in data["classes"].items()),
        rule=[escape(line) for text in rule for line in text.split("\n")],
        validation=documents["validation.json"],
        stability=documents["stability.json"],
        groups=documents.get("groups.json"),
        symmetry=documents["symmetry.json"],
        files=[one for one in CONTENTS.items() if one[0] in documents or one[0] != "groups.json"],
        as_text=escape_markdown,
    )


def escape_markdown(text: str) -> str:
    """Return text that Markdown shows as it is."""
    return re.sub(r"[|`*_<>\[\]]", r"\\\g<0>", escape(text))
