"""Is the exported rule exactly equivariant? Thirteen symmetries, synthetic and real tables."""

from collections.abc import Sequence
from dataclasses import dataclass

from gnri.episode import Episode
from gnri.model.threads import one_thread
from gnri.symmetry.audit import audit
from gnri.symmetry.audit_report import Summary
from studies.benchmarks.results import Row
from studies.paper.checkpoints import SHIPPED
from studies.paper.protocol import Protocol
from studies.paper.real_episodes import training_episodes
from studies.paper.rule_eq_report import tables
from studies.paper.study import Piece, Place, Study
from studies.paper.tasks import episodes_of
from studies.paper.variants import audited

SYNTHETIC = "synthetic "
"""Begins the name of a synthetic table; its width follows."""


@dataclass(frozen=True)
class Settings:
    """[rule_eq] of the protocol."""

    atoms: tuple[int, ...]  # of the synthetic tables that every variant is tried on
    more_atoms: tuple[int, ...]  # of those that the full model alone is tried on
    variants: tuple[str, ...]
    seeds: tuple[int, ...]
    sets: tuple[str, ...]
    episodes: int
    folds: tuple[int, ...]


def pieces(protocol: Protocol) -> Sequence[Piece]:
    """A piece for each variant, table and checkpoint; on real tables the full model alone."""
    settings = protocol.read("rule_eq", Settings)
    found: list[Piece] = []
    seeds: tuple[str | int, ...] = (SHIPPED, *settings.seeds)
    for seed in seeds:
        variants = settings.variants if seed != SHIPPED else ("gnri",)
        tables = [("gnri", f"{SYNTHETIC}{atoms}") for atoms in settings.more_atoms]
        tables += [(v, f"{SYNTHETIC}{atoms}") for atoms in settings.atoms for v in variants]
        tables += [("gnri", name) for name in settings.sets]
        found += [{"variant": v, "seed": seed, "table": table} for v, table in tables]
    return found


def measure(piece: Piece, place: Place) -> list[Row]:
    """The audit: a row for each transform, one for the worst of them and one for all."""
    settings = place.protocol.read("rule_eq", Settings)
    inducer, checkpoint = audited(place, str(piece["variant"]), piece["seed"])
    episodes = audited_episodes(str(piece["table"]), place, settings)
    with one_thread():
        report = audit(inducer, episodes)
    worst = min(report.transforms, key=lambda summary: summary.rule_eq)
    named = [(summary.transform, summary) for summary in report.transforms]
    named += [("worst", worst), ("all", report.total)]
    facts: Row = {"atoms": episodes[0].atoms, "episodes": len(episodes)}
    return [
        {**facts, "transform": name, **figures(summary), "checkpoint": checkpoint}
        for name, summary in named
    ]


def audited_episodes(table: str, place: Place, settings: Settings) -> list[Episode]:
    """The episodes of a synthetic width, or of the folds of a public table."""
    if not table.startswith(SYNTHETIC):
        return training_episodes(table, settings.folds, place.data_dir)
    batch = episodes_of(int(table.removeprefix(SYNTHETIC)), settings.episodes, 1)[0].batch
    return [batch.episode(index) for index in range(len(batch))]


def figures(summary: Summary) -> Row:
    """The figures of an audit as cells; nothing where there was nothing to count."""
    return {
        "pairs": summary.pairs,
        "rule_eq": summary.rule_eq,
        "rule_eq_ne": "" if summary.rule_eq_ne is None else summary.rule_eq_ne,
        "coverage": summary.coverage,
        "jaccard": summary.jaccard,
        "max_dev": "" if summary.max_dev is None else summary.max_dev,
        "mean_dev": "" if summary.mean_dev is None else summary.mean_dev,
    }


STUDY = Study(
    name="rule_eq",
    says="worst-case equivariance of the exported rule, with ablations (tab:ruleeq)",
    pieces=pieces,
    measure=measure,
    tables=tables,
    on_cpu=True,
)
