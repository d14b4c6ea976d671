"""RQ1: is the exported rule exactly equivariant?"""

from collections.abc import Iterable

from studies.benchmarks.tables import Rows
from studies.paper.claims import Claim, Found
from studies.paper.spread import share_of
from studies.paper.study import Results

SUMMED = ("worst", "all")
FAILED = ("mushroom", "mutag")


def _audited(results: Results, variant: str, *, synthetic: bool) -> Rows:
    return [
        row
        for row in results.rows("rule_eq")
        if row["variant"] == variant and row["transform"] not in SUMMED
        if row["table"].startswith("synthetic") == synthetic
    ]


def _worst(rows: Rows) -> tuple[float, str]:
    share = min(float(row["rule_eq"]) for row in rows)
    pairs = sum(int(row["pairs"]) for row in rows)
    trained = len({row["checkpoint"] for row in rows})
    return share, f"worst rule_eq {share_of(share)}, {pairs} pairs, checkpoints: {trained}"


def _exact(rows: Rows) -> Found | None:
    if not rows:
        return None
    share, said = _worst(rows)
    return Found(share == 1, said)


def _inexact(rows: Rows) -> Found | None:
    if not rows:
        return None
    share, said = _worst(rows)
    return Found(share < 1, said)


def _raw(results: Results, names: Iterable[str] | None) -> Rows:
    rows = _audited(results, "gnri", synthetic=False)
    if names is None:
        return [row for row in rows if row["table"] not in FAILED]
    return [row for row in rows if row["table"] in names]


def _schema(results: Results) -> Found | None:
    rows = [row for row in results.rows("schema_rule_eq") if int(row["blocks"])]
    return _exact(rows)


def _within_margin(results: Results) -> Found | None:
    rows = [row for row in results.rows("drift") if row["by"] == "within margin"]
    if not rows:
        return None
    pairs, equal = (sum(int(row[column]) for row in rows) for column in ("pairs", "equal"))
    return Found(pairs == equal, f"{equal} of {pairs} pairs")


RQ1 = (
    Claim(
        "On synthetic tables the full G-NRI is exactly equivariant",
        "every rule of every symmetry equivalent",
        lambda results: _exact(_audited(results, "gnri", synthetic=True)),
    ),
    Claim(
        "The canonical decode on the unmodified forward is not",
        "some rule not equivalent",
        lambda results: _inexact(_audited(results, "native forward", synthetic=True)),
    ),
    Claim(
        "The index-based decode on the equivariant forward is not",
        "some rule not equivalent",
        lambda results: _inexact(_audited(results, "dual rail", synthetic=True)),
    ),
    Claim(
        "Schema-valid symmetries of public tables keep every rule",
        "every rule equivalent, tables with one-hot blocks",
        _schema,
    ),
    Claim(
        "Raw symmetries keep every rule on 17 of 19 public tables",
        "every rule equivalent",
        lambda results: _exact(_raw(results, None)),
    ),
    Claim(
        "Raw symmetries break rules on mushroom and MUTAG",
        "some rule not equivalent",
        lambda results: _inexact(_raw(results, FAILED)),
    ),
    Claim(
        "A drift of the scores within the decode margin never changes the rule",
        "every rule equivalent where twice the drift is below the margin",
        _within_margin,
    ),
)
