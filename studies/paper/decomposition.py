"""Which component brings how much: the paper's conditions one after another, at two widths."""

from gnri.model.nri.config import CONDITIONS
from studies.markdown import distinct, markdown, spread_of
from studies.paper import PUBLISHED
from studies.paper.episodes import network_figures
from studies.paper.networks import network_of
from studies.results import Row, Rows
from studies.study import Context, Piece, Study, pieces_of


def measure(piece: Piece, context: Context) -> list[Row]:
    """Return a row for each width."""
    settings = context.protocol.section("decomposition")
    network, checkpoint = network_of(context, str(piece["condition"]), piece["seed"])
    return [
        {"atoms": atoms, **network_figures(network, atoms, settings), "checkpoint": checkpoint}
        for atoms in settings.atoms
    ]


def page(rows: Rows, _: Context) -> list[str]:
    """Return support accuracy and fresh fidelity by condition, beside the paper's."""
    widths = sorted({row["atoms"] for row in rows}, key=int)
    head = ["condition"]
    head += [f"N = {atoms}, {source}" for atoms in widths for source in ("ours", "paper", "fresh")]
    body = []
    for condition in distinct(rows, "condition", tuple(CONDITIONS)):
        cells = []
        for atoms in widths:
            here = [r for r in rows if (r["condition"], r["atoms"]) == (condition, atoms)]
            paper = PUBLISHED["decomposition"].get(condition, {}).get(atoms)
            cells += [
                spread_of([float(row["support_accuracy"]) for row in here]),
                "-" if paper is None else f"{paper[0]:.3f} ± {paper[1]:.3f}",
                spread_of([float(row["fresh_fidelity"]) for row in here]),
            ]
        body.append([condition, *cells])
    return [markdown(head, body)]


STUDY = Study(
    "decomposition", lambda s: pieces_of(condition=s.conditions, seed=s.seeds), measure, page
)
