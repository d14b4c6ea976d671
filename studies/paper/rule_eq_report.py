"""The equivariance studies on paper, the paper's figures beside ours."""

from collections.abc import Iterable, Sequence

from studies.benchmarks.tables import markdown
from studies.paper.checkpoints import SHIPPED
from studies.paper.published.rq1 import REAL_RULE_EQ, RULE_EQ, SCHEMAS, RuleEq
from studies.paper.spread import share_of
from studies.paper.study import Results, Rows

SYNTHETIC = "synthetic"
FAILED = ("mushroom", "mutag")
"""The tables on which the paper's export is not exact under raw transforms."""

SAYS = {
    "gnri": "full G-NRI",
    "native forward": "canonical decode, forward that cuts ties by index",
    "dual rail": "equivariant forward, dual rail over the native decode",
    "native decode": "equivariant forward, native decode of one rail",
    "eqarch": "EqArch with its own decode",
    "nri": "NRI with its own decode",
    "nri + canonical decode": "NRI's forward, canonical decode",
}
WORDS = """# Does the rule follow?

Rule-level equivariance under the thirteen symmetries: the share of (episode, symmetry) pairs whose
rules are logically equivalent after mapping back. `worst` is the lowest share of any transform,
table and seed; `ne` counts only pairs that are not both empty. A share is cut after three places,
not rounded, so that only an exact 1 reads as 1.000.
"""


def tables(results: Results) -> dict[str, str]:
    """The summary as the paper prints it, then every variant and table."""
    rows = results.rows("rule_eq")
    if not rows:
        return {}
    synthetic = [row for row in rows if row["table"].startswith(SYNTHETIC)]
    real = [row for row in rows if not row["table"].startswith(SYNTHETIC)]
    parts = [WORDS, "## As in the paper's table\n\n" + _summary(synthetic, real)]
    parts.append("## Synthetic tables, by width\n\n" + _by_table(synthetic))
    parts.append("## Public tables, raw transforms\n\n" + _by_table(real))
    return {"rule_eq": "\n".join(parts)}


def _summary(synthetic: Rows, real: Rows) -> str:
    head = ["setting", "rule_eq, worst", "rule_eq_ne, worst", "coverage", "seeds", "pairs"]
    head += ["paper: rule_eq", "paper: ne", "paper: coverage"]
    body = [
        [f"synthetic: {says}", *_worst(_of(synthetic, variant)), *_paper(RULE_EQ.get(variant))]
        for variant, says in SAYS.items()
        if _of(synthetic, variant)
    ]
    groups = {
        "public: the 17 others": [row for row in real if row["table"] not in FAILED],
        "public: mushroom, mutag (raw)": [row for row in real if row["table"] in FAILED],
    }
    for (says, rows), known in zip(groups.items(), REAL_RULE_EQ.values(), strict=True):
        if rows:
            body.append([says, *_worst(rows), *_paper(known)])
    return markdown(head, body)


def _by_table(rows: Rows) -> str:
    head = ["table", "variant", "N", "rule_eq, worst", "rule_eq_ne, worst", "coverage"]
    head += ["seeds", "pairs", "largest drift"]
    body = []
    for table, variant in _in_order(rows):
        here = [row for row in rows if (row["table"], row["variant"]) == (table, variant)]
        drift = max(float(row["max_dev"]) for row in here)
        body.append([table, variant, here[0]["atoms"], *_worst(here), f"{drift:.0e}"])
    return markdown(head, body)


def _in_order(rows: Rows) -> list[tuple[str, str]]:
    """Synthetic tables by width and the others by name, the variants of each as above."""
    found = {(row["table"], row["variant"]): int(row["atoms"]) for row in rows}
    variants = list(SAYS)

    def place(line: tuple[str, str]) -> tuple[int, str, int]:
        table, variant = line
        width = found[line] if table.startswith(SYNTHETIC) else 0
        return width, table, variants.index(variant)

    return sorted(found, key=place)


def _of(rows: Rows, variant: str) -> Rows:
    return [row for row in rows if row["variant"] == variant]


def _worst(rows: Rows) -> list[str]:
    """The lowest shares over transforms, tables and seeds, and how much stands behind them."""
    each = [row for row in rows if row["transform"] not in ("worst", "all")]
    totals = [row for row in rows if row["transform"] == "all"]
    pairs = sum(int(row["pairs"]) for row in totals)
    covered = sum(float(row["coverage"]) * int(row["pairs"]) for row in totals) / pairs
    return [
        _lowest(row["rule_eq"] for row in each),
        _lowest(row["rule_eq_ne"] for row in each),
        share_of(covered),
        _seeds(rows),
        str(pairs),
    ]


def _lowest(cells: Iterable[str]) -> str:
    found = [float(cell) for cell in cells if cell]
    return share_of(min(found)) if found else "-"


def _seeds(rows: Rows) -> str:
    seeds = {row["seed"] for row in rows}
    trained = len(seeds - {SHIPPED})
    return " + ".join([*([str(trained)] if trained else []), *sorted(seeds & {SHIPPED})])


def _paper(known: RuleEq | None) -> list[str]:
    return ["-" if share is None else f"{share:.3f}" for share in known or (None, None, None)]


SCHEMA_WORDS = """# Symmetries that keep every row a valid encoding

H_Sigma exchanges the values of one categorical column and nothing else: its blocks, and the
decimal logarithm of how many such symmetries there are. `all` and `ne` are the worst case over
the schema-valid transforms and the checkpoints, `raw` that of the thirteen raw ones. Where there
is no block the group is trivial and a schema-valid 1.000 says nothing.
"""


def schema_tables(results: Results) -> dict[str, str]:
    """The schema group of each public table, with both worst cases."""
    rows, raw = results.rows("schema_rule_eq"), results.rows("rule_eq")
    if not rows:
        return {}
    head = ["set", "N", "blocks", "log10 order", "all", "ne", "raw", "seeds"]
    head += ["paper: blocks", "paper: log10", "paper: all", "paper: raw"]
    names = sorted({row["table"] for row in rows})
    ranked = sorted(names, key=lambda name: -_order(rows, name))
    body = [_schema_line(name, rows, raw) for name in ranked]
    return {"schema_rule_eq": f"{SCHEMA_WORDS}\n{markdown(head, body)}"}


def _order(rows: Rows, name: str) -> float:
    return next(float(row["log10_order"]) for row in rows if row["table"] == name)


def _schema_line(name: str, rows: Rows, raw: Rows) -> Sequence[str]:
    here = [row for row in rows if row["table"] == name]
    tried = [r for r in raw if r["table"] == name and r["transform"] not in ("worst", "all")]
    known = SCHEMAS.get(name)
    paper = ["-"] * 4
    if known:
        shares = f"{known.schema_rule_eq:.3f}", f"{known.raw_rule_eq:.3f}"
        paper = [str(known.blocks), f"{known.log_order:.2f}", *shares]
    return [
        name,
        here[0]["atoms"],
        here[0]["blocks"],
        f"{float(here[0]['log10_order']):.2f}",
        _lowest(row["rule_eq"] for row in here),
        _lowest(row["rule_eq_ne"] for row in here),
        _lowest(row["rule_eq"] for row in tried),
        _seeds(here),
        *paper,
    ]
