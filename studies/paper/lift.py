"""How much G-NRI gains over the baseline, by the width of the table."""

from collections.abc import Sequence
from statistics import mean

from studies.markdown import distinct, markdown
from studies.paper import LEFT_OUT, PUBLISHED
from studies.paper.capability import means
from studies.results import Row, Rows
from studies.study import Context, Piece, Settings, Study


def pieces(settings: Settings) -> Sequence[Piece]:
    """Return a piece for each class of widths, with and without the table left out."""
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
    paper = [PUBLISHED["capability"][name] for name in here]
    sides = {"ours": [lifts[name] for name in here], "paper": [p["gnri"] - p["nri"] for p in paper]}
    return [
        {"tables": len(here), **{side: round(mean(v), 4) if v else "" for side, v in sides.items()}}
    ]


def lifts_of(rows: Rows) -> dict[str, float]:
    """Return G-NRI's accuracy less the baseline's on each table, in points."""
    found = means(rows)
    return {
        name: found[name, "gnri"] - found[name, "nri"]
        for name in distinct(rows, "set")
        if (name, "gnri") in found and (name, "nri") in found
    }


def page(rows: Rows, _: Context) -> list[str]:
    """Return lifts with the table that the paper leaves out, and without it."""
    rows = [row for row in rows if row["ours"]]
    parts = []
    for without in distinct(rows, "without"):
        title = f"Without {without}, as the paper has it" if without else "All tables"
        parts += [f"## {title}\n", _table([row for row in rows if row["without"] == without])]
    return parts


def _table(rows: Rows) -> str:
    body = []
    for row in rows:
        known = PUBLISHED["lift"].get(f"{row['least']}-{row['most']}") if row["without"] else None
        ours, paper = (f"{float(row[side]):+.2f}" for side in ("ours", "paper"))
        printed = f"{known['points']:+.2f}" if known else "-"
        body.append([f"{row['least']} to {row['most']}", row["tables"], ours, printed, paper])
    return markdown(["atoms", "tables", "ours", "printed", "from its figures"], body)


STUDY = Study("lift", pieces, measure, page, on_cpu=True, derived=True)
