"""Does the canonical export hold for scores that no NRI gave? Four other scorers, and a twin."""

import warnings
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from statistics import fmean, median

import numpy as np
import torch
from numpy.typing import NDArray

from gnri.counts.problem import Problem
from gnri.episode import Episode
from gnri.model.guided.architecture import LITERAL_FEATURES, literal_features
from gnri.model.guided.candidates import Guided
from gnri.model.guided.inference import propose
from gnri.model.layers import sigmoid
from gnri.model.load import load_model
from gnri.model.paper_export import canonical_decode, canonical_export
from gnri.rules.dnf import SignedDNF
from gnri.scores import GRID, Scores
from gnri.symmetry.audit import audit
from studies.benchmarks.learners import one_thread
from studies.markdown import markdown, share_of
from studies.paper.baseline_networks import dual_rail_export, native_export
from studies.paper.episodes import answer, synthetic_episodes, training_episodes
from studies.paper.networks import Export, ScoredModel
from studies.paper.rule_equality import SYNTHETIC, audited_episodes, figures, worst_of
from studies.results import Row, Rows
from studies.study import Context, Piece, Settings, Study, pieces_of
from studies.training.coin_tables import PriorConfig, sample
from studies.training.streams import seeded

Floats = NDArray[np.float64]

SLOTS = 2
STEP = 2.0**20  # what scores are rounded to: far above the noise of sums, far below what matters


def count_literals(episode: Episode) -> Floats:
    """Return the positive and the negative rows where each literal is true: (literals, 2)."""
    true = np.stack([episode.values == 1, episode.values == -1], -1).reshape(episode.rows, -1)
    return np.stack([true[episode.labels == sign].sum(0) for sign in (1, -1)], -1).astype(float)


def count_rows(episode: Episode) -> Floats:
    """Return how many rows are positive and how many negative."""
    return np.array([np.sum(episode.labels == sign) for sign in (1, -1)], np.float64)


def prefer_best(scores: Floats) -> Floats:
    """Return logits above zero for the four largest scores that are positive, with their ties.

    The export reads inclusion probabilities: if hundreds of literals are half included, no row
    satisfies them all, and the soft predictions of both rails vanish.
    """
    first, *_, fourth, fifth = np.sort(np.append(scores, [-1.0] * 4))[:-6:-1]
    steep = 256 * (scores - (fourth + fifth) / 2) / max(first - fifth, 1e-12)
    return np.where(scores > 0, steep, -np.inf)


def score_by_counts(episode: Episode) -> Floats:
    """Return naive Bayes log-odds of the literals, the best above zero."""
    odds = np.log((count_literals(episode) + 0.5) / (count_rows(episode) + 1))
    return prefer_best(odds[:, 0] - odds[:, 1])


def score_by_regression(episode: Episode) -> Floats:
    """Return coefficients of logistic regression as it comes, the best above zero."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression

    shown = episode.labels != 0
    with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
        fitted = LogisticRegression().fit(episode.values[shown], episode.labels[shown])
    return prefer_best(np.stack([fitted.coef_[0], -fitted.coef_[0]], -1).ravel())


def score_by_guided(episode: Episode) -> Floats:
    """Return the beliefs of `guided` that a literal belongs in the rule."""
    problem, model = Problem.from_episode(episode), load_model("guided")
    assert isinstance(model, Guided)
    found = np.full(2 * episode.atoms, -np.inf)
    (proposal,) = propose(model.network, problem.rails[:1], ())
    for members, belief in zip(problem.classes, proposal.beliefs, strict=True):
        found[[literal.number for literal in members]] = belief
    return found


class DeepSets(torch.nn.Module):
    """A network over the set of literals; its twin also sees at which place a column stands."""

    def __init__(self, positions: bool) -> None:
        super().__init__()
        self.positions, width = positions, 32
        self.embed = torch.nn.Sequential(
            torch.nn.Linear(LITERAL_FEATURES + 4 * positions, width), torch.nn.GELU()
        )
        self.mix = torch.nn.Linear(2 * width, width)
        self.answer = torch.nn.Sequential(torch.nn.GELU(), torch.nn.Linear(width, 1))

    def forward(self, counts: torch.Tensor, sizes: torch.Tensor) -> torch.Tensor:
        """Return a logit for each literal (batch, literals) of counts (batch, literals, 2)."""
        features = literal_features(counts, sizes)
        if self.positions:
            places = torch.arange(counts.shape[1]).double()[:, None] / torch.tensor([2.0, 7.0])
            waves = torch.cat([places.sin(), places.cos()], -1).expand(len(counts), -1, -1)
            features = torch.cat([features, waves], -1)
        tokens = self.embed(features)
        pooled = tokens.mean(1, keepdim=True).expand_as(tokens)
        return self.answer(self.mix(torch.cat([tokens, pooled], -1)))[..., 0]


@lru_cache
def train_network(positions: bool, steps: int = 400) -> DeepSets:
    """Return a network trained on random tasks to tell which literals the hidden rule has."""
    with torch.random.fork_rng([]):
        torch.manual_seed(0)
        network = DeepSets(positions).double()
    optimizer = torch.optim.Adam(network.parameters(), 3e-3)
    for step in range(steps):
        drawn = sample(PriorConfig(), 64, generator=seeded(0, step))
        wanted = drawn.clauses.any(1).flatten(1).double()
        answers = network(*_counts([drawn.batch.episode(i) for i in range(64)]))
        loss = torch.nn.functional.binary_cross_entropy_with_logits(answers, wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return network.eval().requires_grad_(False)


def score_by_network(episode: Episode, *, positions: bool = False) -> Floats:
    """Return the odds of a small network trained here, the best above zero."""
    found: Floats = train_network(positions)(*_counts([episode]))[0].numpy()
    return prefer_best(np.exp(found))


def _counts(episodes: Sequence[Episode]) -> Sequence[torch.Tensor]:
    counted = (np.stack(list(map(count, episodes))) for count in (count_literals, count_rows))
    return [torch.tensor(part) for part in counted]


SCORERS: dict[str, Callable[[Episode], Floats]] = {
    "guided": score_by_guided,
    "counts": score_by_counts,
    "logistic": score_by_regression,
    "deepsets": score_by_network,
    "deepsets + positions": partial(score_by_network, positions=True),
}
"""Logits of the literals (2 atoms,) for the positive class, by scorer."""
EQUIVARIANT = tuple(SCORERS)[:4]  # all but the one that sees positions

DECODES: dict[str, tuple[Export, float]] = {
    "canonical": (canonical_export, STEP),
    "canonical, not rounded": (canonical_export, GRID),
    "native, both rails": (dual_rail_export, STEP),
    "native": (native_export, STEP),
}


@lru_cache(maxsize=2048)
def _chances(scorer: str, episode: Episode) -> Floats:
    """Return the probability of each literal (atoms, 2), kept for all decodes."""
    return sigmoid(SCORERS[scorer](episode)).reshape(-1, 2)


@lru_cache(maxsize=2048)
def scores_of(scorer: str, grid: float, episode: Episode) -> Scores:
    """Return the scores of both rails: each slot is scored on the rows left by the one before."""
    literals, gates = np.zeros((2, SLOTS, episode.atoms, 2)), np.zeros((2, SLOTS))
    for rail, sign in enumerate((1, -1)):
        left = Episode(episode.values, sign * episode.labels)
        for slot in range(SLOTS):
            if not {-1, 1} <= set(left.labels.tolist()):
                break
            literals[rail, slot] = np.round(_chances(scorer, left) * grid) / grid
            gates[rail, slot] = 1
            found = SignedDNF(canonical_decode(literals[rail, [slot]], np.ones(1)).clauses)
            explained = (found.evaluate(left.values) == 1) & (left.labels == 1)
            left = Episode(left.values, np.where(explained, 0, left.labels))
    return Scores(literals, gates)


def pieces(settings: Settings) -> Sequence[Piece]:
    """Return a piece for each scorer and table."""
    tables = [f"{SYNTHETIC}{atoms}" for atoms in settings.atoms]
    return pieces_of(scorer=settings.scorers, table=[*tables, *settings.sets])


def measure(piece: Piece, context: Context) -> list[Row]:
    """Audit a scorer with each decode: a row for each."""
    settings, table = context.protocol.section("scorers"), str(piece["table"])
    episodes = audited_episodes(table, context, settings)
    rows: list[Row] = []
    with one_thread():
        for decode, (export, grid) in DECODES.items():
            model = ScoredModel(partial(scores_of, str(piece["scorer"]), grid), export)
            report, answers = audit(model, episodes), list(map(model, episodes))
            unseen = zip(answers, episodes, _unseen(table, context, settings), strict=True)
            right = [np.mean(answer(a.rule, e, new[0]) == new[1]) for a, e, new in unseen]
            margins = [min(a.margin, 1.0) for a in answers]
            shares: Row = {"abstained": fmean(a.rule is None for a in answers)}
            shares |= {"fidelity": float(fmean(right)), "margin": median(margins)}
            shares |= {"worst": worst_of(report).rule_eq, "least_margin": min(margins)}
            sizes: Row = {"atoms": episodes[0].atoms, "episodes": len(episodes)}
            rows.append({"decode": decode, **sizes, **figures(report.total), **shares})
    return rows


def _unseen(table: str, context: Context, settings: Settings) -> list[tuple[NDArray[np.int8], ...]]:
    """Return for each episode new rows and their true labels: drawn, or held out."""
    if table.startswith(SYNTHETIC):
        width = int(table.removeprefix(SYNTHETIC))
        _, fresh, truth = synthetic_episodes(width, settings.episodes, settings.fresh_rows)
        return [(a.numpy(), b.numpy()) for a, b in zip(fresh, truth, strict=True)]
    held_out = training_episodes(table, settings.folds, context.data_dir, hidden=True)
    return [(episode.values, episode.labels) for episode in held_out]


def page(rows: Rows, _: Context) -> list[str]:
    """Return a line for each scorer and decode: random tasks by width, then the public tables."""
    synthetic = [row for row in rows if row["table"].startswith(SYNTHETIC)]
    real = [row for row in rows if not row["table"].startswith(SYNTHETIC)]
    widths = sorted({int(row["atoms"]) for row in synthetic})
    parts = [
        (f"Random tasks, N = {width:,}", [row for row in synthetic if int(row["atoms"]) == width])
        for width in widths
    ]
    parts.append((f"Public tables: {len({row['table'] for row in real})}", real))
    exact = [r for r in rows if r["decode"] == "canonical" and r["scorer"] in EQUIVARIANT]
    broken = sorted({f"{r['scorer']} on {r['table']}" for r in exact if float(r["worst"]) < 1})
    text = "Equivariant by construction, rounded, decoded canonically, and yet below 1: "
    tables = [f"## {title}\n\n{_table(here)}" for title, here in parts]
    return [*tables, f"{text}{', '.join(broken) or 'none'}.\n"]


def _table(rows: Rows) -> str:
    head = ["scorer", "decode", "rule_eq, worst", "rule_eq", "ne", "abstained", "fidelity"]
    head += ["margin, median", "least", "drift", "pairs"]
    body = []
    for scorer in SCORERS:
        for decode in DECODES:
            here = [r for r in rows if (r["scorer"], r["decode"]) == (scorer, decode)]
            if here:
                body.append([scorer, decode, *_cells(here)])
    return markdown(head, body)


def _cells(rows: Rows) -> list[str]:
    """Return the worst share of any table and transform, and means or totals over the tables."""

    def column(name: str) -> list[float]:
        return [float(row[name]) for row in rows if row[name]]

    pairs = column("pairs")
    every = sum(map(float.__mul__, column("rule_eq"), pairs)) / sum(pairs)
    telling = column("rule_eq_ne")
    decoded = rows[0]["decode"].startswith("canonical")
    return [
        *(share_of(min(column("worst"))), share_of(every)),
        share_of(min(telling)) if telling else "-",
        *(f"{fmean(column(name)):.3f}" for name in ("abstained", "fidelity")),
        f"{median(column('margin')):.0e}" if decoded else "-",
        f"{min(column('least_margin')):.0e}" if decoded else "-",
        *(f"{max(column('max_dev')):.0e}", f"{sum(pairs):.0f}"),
    ]


STUDY = Study("scorers", page, pieces, measure, on_cpu=True)
