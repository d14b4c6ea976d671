"""Rule-level equivariance of a trained model on synthetic episodes: the paper's Table 1."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from gnri.auditing.measure import audit
from gnri.auditing.report import Summary
from gnri.bench.results import Row, append, provenance
from gnri.bench.scaling import episodes_of
from gnri.episodes.episode import Episode
from gnri.induction import Induction, induce
from gnri.model.loading import Model, load_model

ATOMS = (12, 128, 1024)
EPISODES = 40  # times 13 transforms: 520 pairs of each width


def measure(model: str | Path, results: Path) -> None:
    """Add a row for each width and transform to `results`."""
    inducer = load_model(model)
    for atoms in ATOMS:
        append(results, evaluate(inducer, atoms))


def evaluate(inducer: Model, atoms: int, count: int = EPISODES) -> list[Row]:
    """The audit of one width, a row for each transform and one for the worst of them."""
    batch = episodes_of(atoms, count)[0].batch
    report = audit(_induction(inducer), [batch.episode(i) for i in range(count)])
    facts: Row = {
        "model": inducer.name,
        "checkpoint": inducer.sha256[:12],
        "training": _training(inducer.recipe),
        "atoms": atoms,
    }
    worst = min(report.transforms, key=lambda summary: summary.rule_eq)
    rows = [(summary.transform, summary) for summary in report.transforms]
    rows += [("worst", worst), ("total", report.total)]
    return [
        {**facts, "transform": name, **_figures(summary), **provenance("cpu")}
        for name, summary in rows
    ]


def _induction(inducer: Model) -> Callable[[Episode], Induction]:
    return lambda episode: induce(episode, model=inducer, refine=False)


def _training(recipe: dict[str, Any] | None) -> str:
    if recipe is None:
        return "none"
    width, train = recipe["model"]["width"], recipe["train"]
    return (
        f"width {width}, {train['steps']} x {train['batch_size']} episodes, seed {recipe['seed']}"
    )


def _figures(summary: Summary) -> Row:
    return {
        "pairs": summary.pairs,
        "rule_eq": summary.rule_eq,
        "rule_eq_ne": "" if summary.rule_eq_ne is None else summary.rule_eq_ne,
        "coverage": summary.coverage,
        "jaccard": summary.jaccard,
    }
