"""What the native forward breaks, and by which mechanism: the paper's Appendix A again.

Every arm reads the same tables with the canonical export and Equation 1, without the order that
the package puts its input into. So the arms differ in the forward pass alone.
"""

from dataclasses import dataclass, replace
from statistics import mean
from typing import Any

import numpy as np
import torch
from torch import Tensor

from gnri.model.nri.pair_memory import TIE_EPS
from gnri.model.paper_export import canonical_export
from gnri.symmetry.audit import audit
from studies.benchmarks.learners import one_thread
from studies.markdown import distinct, markdown, share_of, spread_of
from studies.paper import PUBLISHED
from studies.paper.baseline_networks import CONDITIONS, ConditionNetwork
from studies.paper.episodes import synthetic_episodes
from studies.paper.networks import model_of, network_of
from studies.paper.rule_equality import figures
from studies.results import Row, Rows
from studies.study import Context, Piece, Study, pieces_of
from studies.training.batch import Batch
from studies.training.nri_training import build
from studies.training.recipe import Recipe


@dataclass(frozen=True, slots=True)
class Arm:
    """What is done to the forward pass of trained weights, or of weights as they were drawn."""

    trained: bool = True
    tie_complete: bool = False
    pairs: bool = True
    double: bool = False


ARMS = {
    "at initialisation": Arm(trained=False),
    "native": Arm(),
    "native, float64": Arm(double=True),
    "no pair memory": Arm(pairs=False),
    "tie-complete": Arm(tie_complete=True),
}


class Probed(ConditionNetwork):
    """A network that keeps the literals its pair memory reads, and may have no pair memory."""

    has_pairs = True
    seen: Tensor

    def remember(self, weights: Any, slots: Tensor, literals: Tensor, counts: Tensor) -> Tensor:
        """Return what the slots take from pairs; nothing where there is no pair memory."""
        self.seen = literals
        if self.has_pairs:
            return super().remember(weights, slots, literals, counts)
        return torch.zeros_like(slots)


def measure(piece: Piece, context: Context) -> list[Row]:
    """Return a row for each of the thirteen symmetries: rules, drift, and the ties of pairs."""
    settings, arm = context.protocol.section("native_forward"), ARMS[str(piece["arm"])]
    cpu = replace(context, device="cpu")
    trained, checkpoint = network_of(cpu, str(piece["condition"]), piece["seed"])
    network = probe(trained, str(piece["condition"]), int(piece["seed"]), arm)
    drawn = synthetic_episodes(int(piece["atoms"]), settings.episodes, 1)[0].batch
    tables = [drawn.episode(index) for index in range(len(drawn))]
    model = model_of(network, canonical_export, plain=True)
    with one_thread():
        report, facts = audit(model, tables), pair_ties(network, drawn)
        said = [np.where(model.predict(episode) >= 0.5, 1, -1) for episode in tables]
    pairs = zip(said, (episode.labels for episode in tables), strict=True)
    right = [np.mean((answers == labels)[labels != 0]) for answers, labels in pairs]
    facts["support_accuracy"] = float(np.mean(right))
    facts["checkpoint"] = checkpoint if arm.trained else ""
    return [{"transform": each.transform, **figures(each), **facts} for each in report.transforms]


def probe(trained: ConditionNetwork, name: str, seed: int, arm: Arm) -> Probed:
    """Return the network of an arm, with Equation 1 as its prediction."""
    condition = replace(
        CONDITIONS[name], label_average=True, tie_complete=arm.tie_complete, canonical_export=True
    )
    network = Probed(trained.config, condition)
    fresh = Recipe(name, name, seed, model=trained.config)
    network.load_state_dict((trained if arm.trained else build(fresh)).state_dict())
    network.has_pairs = arm.pairs
    return (network.double() if arm.double else network).eval().requires_grad_(False)


NAMES = ("last", "exact", "near", "near_self", "kept_self", "self_low", "self_high", "best")


def pair_ties(network: Probed, batch: Batch) -> Row:
    """Return how the scores of self-pairs lie, and what ties with the last pair that is kept."""
    found = []
    for index in range(len(batch)):
        with torch.inference_mode():
            network(Batch(batch.values[index : index + 1], batch.labels[index : index + 1]))
        found.append(_ties_of(pair_scores(network, network.seen[0]), network.config.pairs))
    columns = zip(NAMES, zip(*found, strict=True), strict=True)
    return {name: float(np.mean(column)) for name, column in columns}


def pair_scores(network: ConditionNetwork, literals: Tensor) -> Tensor:
    """Return the scores of all pairs of literals, a matrix, as `docs/decisions.md` defines them."""
    memory: Any = network.decoder.pairs
    query, key = literals @ memory.query.weight.mT, literals @ memory.key.weight.mT
    product = query @ key.mT
    return torch.sigmoid((product + product.mT) / (2 * query.shape[-1] ** 0.5))


def _ties_of(scores: Tensor, kept: int) -> tuple[float, ...]:
    """Return the last kept score, what ties with it exactly and nearly, and the self-pairs."""
    literals = len(scores)
    first, second = torch.triu_indices(literals, literals, 1)
    flat, own = scores[first, second], first // 2 == second // 2
    order = flat.argsort(descending=True, stable=True)[:kept]
    last, self_pairs = flat[order[-1]], flat[own]
    near = (flat - last).abs() <= TIE_EPS
    ties = last, (flat == last).sum(), near.sum(), (near & own).sum(), own[order].sum()
    return tuple(map(float, (*ties, self_pairs.min(), self_pairs.max(), flat.max())))


KINDS = {
    "S_M": ("rows 1", "rows 2"),
    "S_N": ("atoms 1", "atoms 2"),
    "Z_2^N": ("negations 1", "negations 2"),
    "B_N": ("atoms + negations 1", "atoms + negations 2"),
    "label": ("label",),
    "all at once": ("everything",),
}


def page(rows: Rows, _: Context) -> list[str]:
    """Return drifts, rules and ties of each arm; the worst over seeds, or the mean."""
    parts = []
    for atoms in sorted({row["atoms"] for row in rows}, key=int):
        here = [row for row in rows if row["atoms"] == atoms]
        parts.append(f"## {atoms} atoms\n\n{_drifts(here)}\n{_ties(here)}")
    return parts


def _lines(rows: Rows) -> list[tuple[list[str], Rows]]:
    found = []
    for condition in distinct(rows, "condition"):
        for arm in distinct(rows, "arm", tuple(ARMS)):
            here = [r for r in rows if (r["condition"], r["arm"]) == (condition, arm)]
            found.append(([condition, arm], here))
    return found


def _drifts(rows: Rows) -> str:
    paper = PUBLISHED["native_forward"]
    body = []
    for (condition, arm), here in _lines(rows):
        kinds = [[r for r in here if r["transform"] in names] for names in KINDS.values()]
        worst = [max(float(row["max_dev"]) for row in kind) for kind in kinds]
        rule = min(float(row["rule_eq"]) for row in here)
        known = paper.get(arm, "-") if condition == "eqarch" else "-"
        cells = [f"{drift:.0e}" for drift in worst] + [share_of(rule)]
        cells += [spread_of(sorted({float(row["support_accuracy"]) for row in here})), known]
        body.append([f"{condition}, {arm}", *cells])
    head = ["worst drift of R_avg", *KINDS, "rule_eq, worst", "support accuracy"]
    return markdown([*head, "paper: S_N / Z_2^N / B_N / all"], body)


def _ties(rows: Rows) -> str:
    body = []
    for (condition, arm), here in _lines(rows):
        if arm in ("at initialisation", "native"):
            means = (mean(float(row[name]) for row in here) for name in NAMES)
            body.append([f"{condition}, {arm}", *(f"{value:.4g}" for value in means)])
    head = ["pairs", "the 8th score", "tied with it exactly", "within 1e-6", "self-pairs of these"]
    head += ["self-pairs kept", "lowest self-pair", "highest self-pair", "best pair"]
    return markdown(head, body)


STUDY = Study(
    "native_forward",
    page,
    lambda s: pieces_of(condition=s.conditions, seed=s.seeds, arm=s.arms, atoms=s.atoms),
    measure,
    on_cpu=True,
)
