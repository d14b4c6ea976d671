"""Where does the rule change? Audited pairs by how far the forward pass drifted."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import floor, log10

import numpy as np

from gnri.episode import Episode
from gnri.model.threads import one_thread
from gnri.scores import Scores
from gnri.symmetry.audit_report import same
from gnri.symmetry.group import Symmetry
from gnri.symmetry.transforms import TRANSFORMS, draw
from studies.benchmarks.results import Row
from studies.paper.drift_report import figures, tables
from studies.paper.protocol import Protocol
from studies.paper.study import Piece, Place, Study
from studies.paper.tasks import episodes_of
from studies.paper.variants import Audited, audited

NONE = "none"
"""The bin of pairs that did not drift at all."""


@dataclass(frozen=True)
class Settings:
    """[drift] of the protocol."""

    variants: tuple[str, ...]
    seeds: tuple[int, ...]
    atoms: tuple[int, ...]
    episodes: int


@dataclass(frozen=True, slots=True)
class Trial:
    """One episode under one symmetry."""

    prediction: float  # largest change of a row's prediction
    scores: float  # largest change of a score that the decoder reads
    margin: float  # distance to the decision that could change the rule
    equal: bool


def pieces(protocol: Protocol) -> Sequence[Piece]:
    """A piece for each variant, seed and width."""
    settings = protocol.read("drift", Settings)
    return [
        {"variant": variant, "seed": seed, "atoms": atoms}
        for seed in settings.seeds
        for variant in settings.variants
        for atoms in settings.atoms
    ]


def measure(piece: Piece, place: Place) -> list[Row]:
    """Pairs and equivalent rules in each bin of drift; of those within the margin, one row."""
    settings = place.protocol.read("drift", Settings)
    inducer, checkpoint = audited(place, str(piece["variant"]), piece["seed"])
    batch = episodes_of(int(piece["atoms"]), settings.episodes, 1)[0].batch
    with one_thread():
        trials = [t for i in range(len(batch)) for t in trials_of(inducer, batch.episode(i), i)]
    inside = [trial for trial in trials if 2 * trial.scores < trial.margin]
    binned = [
        *(("prediction", bin_of(trial.prediction), trial.equal) for trial in trials),
        *(("scores", bin_of(trial.scores), trial.equal) for trial in trials),
        *(("within margin", "", trial.equal) for trial in inside),
    ]
    met = Counter((by, where) for by, where, _ in binned)
    kept = Counter((by, where) for by, where, equal in binned if equal)
    rows: list[Row] = []
    for by, where in sorted(met):
        counts = {"pairs": met[by, where], "equal": kept[by, where]}
        rows.append({"by": by, "bin": where, **counts, "checkpoint": checkpoint})
    return rows


def trials_of(inducer: Audited, episode: Episode, index: int) -> Iterator[Trial]:
    """The episode under each of the thirteen symmetries, as the audit draws them."""
    rng = np.random.default_rng([0, index])
    scores, prediction = inducer.scores(episode), inducer.predict(episode)
    exported = inducer(episode)
    for g in draw(TRANSFORMS, episode, rng=rng).values():
        moved = g(episode)
        found = inducer(moved)
        expected = 1 - prediction if g.label else prediction
        yield Trial(
            float(np.abs(inducer.predict(moved)[list(g.rows)] - expected).max()),
            score_drift(scores, inducer.scores(moved), g),
            min(exported.margin, found.margin),
            same(g(exported.rule), found.rule, atoms=episode.atoms),
        )


def score_drift(before: Scores, after: Scores, g: Symmetry) -> float:
    """sup |scores(g x) - g scores(x)|, over literals and gates."""
    moved = g(before)
    pairs = ((moved.literals, after.literals), (moved.gates, after.gates))
    return max(float(np.abs(left - right).max()) for left, right in pairs)


def bin_of(drift: float) -> str:
    """The power of ten that a drift lies at or above.

    >>> bin_of(0.02), bin_of(1.0), bin_of(0.0)
    ('-2', '0', 'none')
    """
    return NONE if drift == 0 else str(floor(log10(drift)))


STUDY = Study(
    name="drift",
    says="the exported rule by how far the forward pass drifts (fig:drift)",
    pieces=pieces,
    measure=measure,
    tables=tables,
    figures=figures,
    on_cpu=True,
)
