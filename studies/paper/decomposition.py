"""Which component brings how much: the paper's conditions one after another, at two widths."""

from collections.abc import Sequence
from functools import partial

from studies.markdown import distinct, markdown, spread_of
from studies.paper import page
from studies.paper.baseline_networks import CONDITIONS
from studies.paper.episodes import figures, network_replies, synthetic_episodes
from studies.paper.networks import network_of, predictions_of, scores_of
from studies.paper.published import DECOMPOSITION
from studies.results import Row
from studies.study import Context, Piece, Protocol, Study, pieces_of


def pieces(protocol: Protocol) -> Sequence[Piece]:
    """Return a piece for each condition and seed."""
    settings = protocol.section("decomposition")
    return pieces_of(condition=settings.conditions, seed=settings.seeds)


def measure(piece: Piece, context: Context) -> list[Row]:
    """Return a row for each width."""
    settings = context.protocol.section("decomposition")
    network, checkpoint = network_of(context, str(piece["condition"]), piece["seed"])
    rows: list[Row] = []
    for atoms in settings.atoms:
        batch = synthetic_episodes(atoms, settings.episodes, settings.fresh_rows)[0].batch
        replies = partial(
            network_replies,
            network,
            scores=scores_of(network, batch),
            predictions=predictions_of(network, batch),
        )
        found = figures(replies, atoms, settings.episodes, settings.fresh_rows)
        rows.append({"atoms": atoms, **found, "checkpoint": checkpoint})
    return rows


def tables(context: Context) -> dict[str, str]:
    """Return support accuracy and fresh fidelity by condition, beside the paper's."""
    rows = context.rows("decomposition")
    if not rows:
        return {}
    widths = sorted({row["atoms"] for row in rows}, key=int)
    head = ["condition"]
    head += [f"N = {atoms}, {source}" for atoms in widths for source in ("ours", "paper", "fresh")]
    body = []
    for condition in distinct(rows, "condition", tuple(CONDITIONS)):
        cells = []
        for atoms in widths:
            here = [r for r in rows if (r["condition"], r["atoms"]) == (condition, atoms)]
            paper = DECOMPOSITION.get(condition, {}).get(atoms)
            cells += [
                spread_of([float(row["support_accuracy"]) for row in here]),
                "-" if paper is None else f"{paper[0]:.3f} ± {paper[1]:.3f}",
                spread_of([float(row["fresh_fidelity"]) for row in here]),
            ]
        body.append([condition, *cells])
    return page("decomposition", markdown(head, body))


STUDY = Study("decomposition", pieces, measure, tables)
