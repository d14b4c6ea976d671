"""Equivariance under the symmetries that keep every row a valid encoding: the group H_Sigma."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log10

from gnri.model.threads import one_thread
from gnri.symmetry.audit import audit
from gnri.symmetry.group import schema_order
from gnri.symmetry.transforms import schema_transforms
from studies.benchmarks.results import Row
from studies.paper.checkpoints import SHIPPED
from studies.paper.protocol import Protocol
from studies.paper.real_episodes import one_hot_blocks, training_episodes
from studies.paper.rule_eq import figures
from studies.paper.rule_eq_report import schema_tables
from studies.paper.study import Piece, Place, Study
from studies.paper.variants import audited


@dataclass(frozen=True)
class Settings:
    """[schema_rule_eq] of the protocol."""

    seeds: tuple[int, ...]
    sets: tuple[str, ...]
    folds: tuple[int, ...]


def pieces(protocol: Protocol) -> Sequence[Piece]:
    """A piece for each public table and checkpoint of the full model."""
    settings = protocol.read("schema_rule_eq", Settings)
    seeds: tuple[str | int, ...] = (SHIPPED, *settings.seeds)
    return [
        {"variant": "gnri", "seed": seed, "table": name} for seed in seeds for name in settings.sets
    ]


def measure(piece: Piece, place: Place) -> list[Row]:
    """The worst of the schema-valid transforms, and the size of the group they are drawn from."""
    settings = place.protocol.read("schema_rule_eq", Settings)
    name = str(piece["table"])
    inducer, checkpoint = audited(place, str(piece["variant"]), piece["seed"])
    episodes = training_episodes(name, settings.folds, place.data_dir)
    blocks = one_hot_blocks(name, place.data_dir)
    with one_thread():
        report = audit(inducer, episodes, schema_transforms(blocks))
    worst = min(report.transforms, key=lambda summary: summary.rule_eq)
    group: Row = {
        "atoms": episodes[0].atoms,
        "blocks": len(blocks),
        "log10_order": round(log10(schema_order(blocks)), 6),
        "episodes": len(episodes),
    }
    return [group | figures(worst) | {"checkpoint": checkpoint}]


STUDY = Study(
    name="schema_rule_eq",
    says="equivariance under schema-valid symmetries on the public tables (tab:schema-ruleeq)",
    pieces=pieces,
    measure=measure,
    tables=schema_tables,
    on_cpu=True,
)
