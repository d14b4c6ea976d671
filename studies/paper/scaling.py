"""How a frozen network fares as the table gets wider: the paper's twelve schema sizes."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from gnri.model.load import load_model
from gnri.model.nri.nri import Network
from studies.benchmarks.results import Row
from studies.paper.anchors import ANCHORS, GUIDED
from studies.paper.checkpoints import SHIPPED, network_of
from studies.paper.invariance import label_jaccard, max_devs
from studies.paper.protocol import Protocol
from studies.paper.reading import predictions_of, scores_of
from studies.paper.scaling_report import figures as drawn
from studies.paper.scaling_report import tables
from studies.paper.study import Piece, Place, Study
from studies.paper.tasks import episodes_of
from studies.paper.widths import figures, network_replies, rule_replies


@dataclass(frozen=True)
class Settings:
    """[scaling] of the protocol."""

    atoms: tuple[int, ...]
    conditions: tuple[str, ...]
    seeds: tuple[int, ...]
    anchors: tuple[str, ...]
    shipped: tuple[str, ...]  # conditions whose bundled weights are measured, too
    episodes: int
    fresh_rows: int
    draws: int  # random symmetries of each episode


def pieces(protocol: Protocol) -> Sequence[Piece]:
    """A piece for each network or anchor and width, all widths of one network together."""
    settings = _settings(protocol)
    answering: list[tuple[str, str | int]] = [(name, "") for name in settings.anchors]
    answering += [(name, seed) for name in settings.conditions for seed in settings.seeds]
    answering += [(name, SHIPPED) for name in settings.shipped]
    return [
        {"condition": name, "seed": seed, "atoms": atoms}
        for name, seed in answering
        for atoms in settings.atoms
    ]


def measure(piece: Piece, place: Place) -> list[Row]:
    """The row of a network or of an anchor, which has no soft prediction to drift."""
    settings, atoms = _settings(place.protocol), int(piece["atoms"])
    if piece["condition"] in ANCHORS:
        return [_anchor(str(piece["condition"]), atoms, settings)]
    network, checkpoint = network_of(place, str(piece["condition"]), piece["seed"])
    return [of_network(network, atoms, settings) | {"checkpoint": checkpoint}]


def of_network(network: Network, atoms: int, settings: Settings) -> Row:
    """Accuracy, fidelity and drifts of a network on tables of one width."""
    batch = episodes_of(atoms, settings.episodes, settings.fresh_rows)[0].batch
    scores, predictions = scores_of(network, batch), predictions_of(network, batch)
    replies = partial(network_replies, network, scores=scores, predictions=predictions)
    return {
        **figures(replies, atoms, settings.episodes, settings.fresh_rows),
        "label_jaccard": label_jaccard(network, scores, batch),
        **max_devs(network, batch, predictions, settings.draws),
    }


def _anchor(name: str, atoms: int, settings: Settings) -> Row:
    replies = partial(rule_replies, ANCHORS[name])
    checkpoint = load_model("guided").sha256[:12] if name in GUIDED else ""
    return {
        **figures(replies, atoms, settings.episodes, settings.fresh_rows),
        "label_jaccard": "",
        "bn_max_dev": "",
        "g_max_dev": "",
        "checkpoint": checkpoint,
    }


def _settings(protocol: Protocol) -> Settings:
    return protocol.read("scaling", Settings)


STUDY = Study(
    name="scaling",
    says="accuracy, fidelity and drift from 6 to 1,024 atoms (fig:scaling)",
    pieces=pieces,
    measure=measure,
    tables=tables,
    figures=drawn,
)
