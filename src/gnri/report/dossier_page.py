"""The files of a dossier, and the page in it that a person reads first."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from gnri.errors import escape, plural
from gnri.estimator.fitting import Fitted
from gnri.estimator.summary import percent, summarize
from gnri.formats.text import ending_lines

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
    files = [one for one in CONTENTS.items() if one[0] in documents or one[0] != "groups.json"]
    sizes = ", ".join(f"{name} {size:,}" for name, size in data["classes"].items())
    rule = f"{summarize(fitted.statistics)}\n\n" + "\n".join(ending_lines(fitted.minimized))
    parts = [
        f"# Evidence for a rule about `{_cell(target)}`",
        f"Learnt by gnri from {plural(data['rows'], 'row')} and "
        f"{plural(len(fitted.columns), 'column')} ({_cell(sizes)}). Anybody who has the table can "
        "make all of this again, and see what differs:",
        "    gnri verify FOLDER TABLE",
        "## The rule",
        "\n".join(f"    {escape(line)}" for line in rule.split("\n")),
        "## Is it right on rows it was not learnt from?",
        _say_validation(documents["validation.json"]),
        "## Would other rows have given another rule?",
        *_say_stability(documents["stability.json"]),
        *(_say_groups(documents["groups.json"]) if "groups.json" in documents else []),
        "## Does the rule depend on who prepared the table?",
        _say_symmetry(documents["symmetry.json"]),
        "## What identifies the table",
        f"SHA-256 of all rows, in any order: `{data['sha256']}`. Columns that were left out have "
        "no part in it. The hash is of the table as a whole, since that of a single column with "
        "few values could be guessed. Somebody who knows all cells but one can still find that one "
        "by trying. The counts, ranges and categories in rule.json and data.json are those of the "
        "training rows.",
        "## The files",
        _table(("file", "what is in it"), files),
        "No row of the table is in them. `manifest.json` is not signed: to be sure that nobody "
        "replaced the whole folder, send its SHA-256 by another way; `gnri verify` prints it.",
    ]
    return "\n\n".join(parts)


def _say_validation(found: Mapping[str, Any]) -> str:
    if "skipped" in found:
        return f"Not measured: {found['skipped']}."
    low, high = min(found["by_fold"]), max(found["by_fold"])
    return (
        f"{percent(found['accuracy'])} % in {found['folds']}-fold cross-validation "
        f"({percent(low)} to {percent(high)} %); the largest class is "
        f"{percent(found['majority'])} % of the rows."
    )


def _say_stability(found: Mapping[str, Any]) -> list[str]:
    drawn = found["resamples"]
    if not drawn:
        return ["Not measured."]
    rows = [
        (one["condition"], f"{one['returns']} of {drawn}", _between(one.get("thresholds", [])))
        for one in found["conditions"]
    ]
    others = ", ".join(f"{one['condition']} ({one['returns']})" for one in found["others"][:5])
    said = (
        f"As many rows were drawn anew with replacement, {drawn} times. The rule was the same in "
        f"{found['same_rule']} of {drawn} draws, and but for thresholds in "
        f"{found['same_but_for_thresholds']}."
    )
    if found["failed"]:
        said += f" {found['failed']} draws had no rule to learn."
    return [
        said,
        _table(("condition", "returns", "thresholds"), rows) if rows else "There is no rule.",
        *([f"Conditions that came up instead: {_cell(others)}."] if others else []),
    ]


def _between(ends: Sequence[float]) -> str:
    if not ends:
        return ""
    low, high = (f"{one:g}" for one in ends)
    return low if low == high else f"{low} to {high}"


def _say_groups(found: Mapping[str, Any]) -> list[str]:
    rows = [
        (
            one["group"],
            f"{one['rows']:,}",
            label,
            f"{percent(part['selection_rate'])} %",
            f"{percent(part['precision'])} %",
            f"{percent(part['recall'])} %",
        )
        for one in found["groups"]
        for label, part in one["classes"].items()
    ]
    heads = (found["column"], "rows", "answer", "selection rate", "precision", "recall")
    return [
        f"## Groups of `{_cell(found['column'])}`",
        f"Counted on the answers of {found['answers']}. Selection rate: the share of the rows of a "
        "group that get this answer.",
        _table(heads, rows),
    ]


def _say_symmetry(found: Mapping[str, Any]) -> str:
    if "skipped" in found:
        return f"Not checked: {found['skipped']}."
    pairs, followed = len(found["gaps"]), sum(one["equal"] for one in found["gaps"])
    return (
        "Rows were shuffled, columns reordered, renamed and negated, and labels swapped, at random "
        f"with the seed {found['seed']}. The rule followed in {followed} of {pairs} trials."
    )


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def _cell(text: str) -> str:
    """Return text that Markdown shows as it is."""
    return re.sub(r"[|`*_<>\[\]]", r"\\\g<0>", escape(text))
