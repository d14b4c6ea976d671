"""Tables drawn from the CSV files, with the paper's figures beside ours; never typed."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import mean, stdev

from gnri.bench.results import read

CONDITIONS = ("nri", "eqarch", "+tta", "+export", "gnri")
ANCHORS = ("majority", "best literal", "cart")
PAPER = {  # support accuracy of the baseline and of G-NRI, eight seeds, as printed in the paper
    6: (0.867, 0.934),
    12: (0.876, 0.931),
    16: (0.886, 0.931),
    24: (0.890, 0.933),
    32: (0.885, 0.933),
    48: (0.863, 0.932),
    64: (0.852, 0.935),
    96: (0.808, 0.932),
    128: (0.772, 0.930),
    256: (0.613, 0.925),
    512: (0.524, 0.910),
    1024: (0.487, 0.894),
}
Rows = list[dict[str, str]]


def write(results: Path) -> None:
    """Redraw every table whose CSV file is there."""
    for name, draw in {"scaling": scaling, "rule_eq": rule_eq}.items():
        rows = read(results / f"{name}.csv")
        if rows:
            (results / f"{name}.md").write_text(draw(rows), encoding="utf-8")


def scaling(rows: Rows) -> str:
    """Support accuracy and fresh fidelity by width; mean and deviation over the seeds."""
    sweep = [row for row in rows if row["batch_size"] != "8192"]
    shipped = [row for row in rows if row["batch_size"] == "8192"]
    parts = ["# Tables of growing width\n"]
    for figure in ("support_accuracy", "fresh_fidelity", "coverage"):
        head = ["N", *ANCHORS, *CONDITIONS, "gnri, shipped"]
        head += ["paper: nri", "paper: gnri"] if figure == "support_accuracy" else []
        body = []
        for atoms in PAPER:
            cells = [_cell(sweep, name, atoms, figure) for name in (*ANCHORS, *CONDITIONS)]
            cells.append(_cell(shipped, "gnri", atoms, figure))
            cells += [f"{x:.3f}" for x in PAPER[atoms]] if figure == "support_accuracy" else []
            body.append([str(atoms), *cells])
        parts += [f"## {figure.replace('_', ' ').capitalize()}\n", _markdown(head, body)]
    return "\n".join(parts)


def rule_eq(rows: Rows) -> str:
    """Rule-level equivariance by model and width: worst transform and all of them."""
    names = ("model", "training", "atoms", "transform", "pairs")
    shares = ("rule_eq", "rule_eq_ne", "coverage", "jaccard")
    head = ["model", "training", "N", "transform", "pairs", "rule_eq", "rule_eq_ne"]
    head += ["coverage", "Jaccard"]
    body = [
        [*(row[name] for name in names), *(_share(row[name]) for name in shares)] for row in rows
    ]
    return "# Does the rule follow?\n\n" + _markdown(head, body)


def _cell(rows: Rows, condition: str, atoms: int, figure: str) -> str:
    found = [
        float(row[figure])
        for row in rows
        if row["condition"] == condition and int(row["atoms"]) == atoms
    ]
    if not found:
        return "-"
    spread = f" ± {stdev(found):.3f}" if len(found) > 1 else ""
    return f"{mean(found):.3f}{spread}"


def _share(text: str) -> str:
    """Three places, cut and not rounded, so that only an exact 1 reads as 1.000."""
    return "-" if not text else f"{int(float(text) * 1000) / 1000:.3f}"


def _markdown(head: Sequence[str], body: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *body]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"
