"""How much G-NRI gains over the baseline, by the width of the table."""

from statistics import mean

from studies.markdown import distinct, markdown
from studies.paper import LEFT_OUT, PUBLISHED
from studies.paper.capability import means
from studies.results import Rows
from studies.study import Context, Study

Lift = tuple[int, float, float]  # tables, their mean lift in points, and by the paper's figures


def lifts_of(rows: Rows) -> dict[str, float]:
    """Return G-NRI's accuracy less the baseline's on each table, in points."""
    found = means(rows)
    return {
        name: found[name, "gnri"] - found[name, "nri"]
        for name in distinct(rows, "set")
        if (name, "gnri") in found and (name, "nri") in found
    }


def by_width(context: Context, without: str = "") -> dict[tuple[int, int], Lift]:
    """Return the number of tables of each class of widths, our mean lift and the paper's own."""
    rows = context.rows("capability")
    atoms, paper = {row["set"]: int(row["atoms"]) for row in rows}, PUBLISHED["capability"]
    lifts = {name: lift for name, lift in lifts_of(rows).items() if name != without}
    found: dict[tuple[int, int], Lift] = {}
    for least, most in context.protocol.section("lift").widths:
        here = [name for name in lifts if least <= atoms[name] <= most]
        theirs = [paper[name]["gnri"] - paper[name]["nri"] for name in here]
        if here:
            ours = mean(lifts[name] for name in here)
            found[least, most] = len(here), ours, mean(theirs)
    return found


def page(_: Rows, context: Context) -> list[str]:
    """Return lifts with the table that the paper leaves out, and without it."""
    parts = []
    for without in ("", LEFT_OUT):
        body = []
        for (least, most), (tables, ours, paper) in by_width(context, without).items():
            known = PUBLISHED["lift"].get(f"{least}-{most}") if without else None
            printed = f"{known['points']:+.2f}" if known else "-"
            lifts = [f"{ours:+.2f}", printed, f"{paper:+.2f}"]
            body.append([f"{least} to {most}", str(tables), *lifts])
        title = f"Without {without}, as the paper has it" if without else "All tables"
        head = ["atoms", "tables", "ours", "printed", "from its figures"]
        parts += [f"## {title}\n", markdown(head, body)] if body else []
    return parts


STUDY = Study.drawn("lift", page)
