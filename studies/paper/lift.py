"""How much G-NRI gains over the baseline, by the width of the table."""

from collections.abc import Sequence
from statistics import mean

from studies.markdown import distinct, markdown
from studies.paper import page
from studies.paper.capability import means
from studies.paper.published import CAPABILITY, LEFT_OUT, LIFT
from studies.results import Row, Rows
from studies.study import Context, Piece, Protocol, Study


def pieces(protocol: Protocol) -> Sequence[Piece]:
    """Return a piece for each class of widths, with and without the table left out."""
    settings = protocol.section("lift")
    return [
        {"least": least, "most": most, "without": without}
        for without in ("", LEFT_OUT)
        for least, most in settings.widths
    ]


def measure(piece: Piece, context: Context) -> list[Row]:
    """Return the mean lift of the tables of these widths, ours and by the paper's own figures."""
    lifts = lifts_of(context.rows("capability"))
    atoms = {row["set"]: int(row["atoms"]) for row in context.rows("capability")}
    here = [
        name
        for name in lifts
        if int(piece["least"]) <= atoms[name] <= int(piece["most"]) and name != piece["without"]
    ]
    ours = round(mean(lifts[name] for name in here), 4) if here else ""
    paper = [CAPABILITY[name]["gnri"] - CAPABILITY[name]["nri"] for name in here]
    theirs = round(mean(paper), 4) if paper else ""
    return [{"tables": len(here), "ours": ours, "paper": theirs}]


def lifts_of(rows: Rows) -> dict[str, float]:
    """Return G-NRI's accuracy less the baseline's on each table, in points."""
    found = means(rows)
    return {
        name: found[name, "gnri"] - found[name, "nri"]
        for name in distinct(rows, "set")
        if (name, "gnri") in found and (name, "nri") in found
    }


def tables(context: Context) -> dict[str, str]:
    """Return with the table that the paper leaves out, and without it."""
    rows = [row for row in context.rows("lift") if row["ours"]]
    if not rows:
        return {}
    parts = []
    for without in distinct(rows, "without"):
        title = f"Without {without}, as the paper has it" if without else "All tables"
        parts += [f"## {title}\n", _table([row for row in rows if row["without"] == without])]
    return page("lift", *parts)


def _table(rows: Rows) -> str:
    body = []
    for row in rows:
        printed = LIFT.get(f"{row['least']}-{row['most']}") if row["without"] else None
        body.append(
            [
                f"{row['least']} to {row['most']}",
                row["tables"],
                f"{float(row['ours']):+.2f}",
                "-" if printed is None else f"{printed['points']:+.2f}",
                f"{float(row['paper']):+.2f}",
            ]
        )
    return markdown(["atoms", "tables", "ours", "minimized", "from its figures"], body)


STUDY = Study("lift", pieces, measure, tables, on_cpu=True, derived=True)
