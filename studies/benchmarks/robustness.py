"""What wrong labels, and columns that only seem to matter, do to a learner."""

from collections.abc import Sequence
from pathlib import Path

from studies.benchmarks.learners import weights_of
from studies.benchmarks.measuring import Place, measure
from studies.benchmarks.picture import figure_for, write_svg
from studies.benchmarks.results import Row, provenance
from studies.benchmarks.synthetic import score
from studies.benchmarks.tables import Rows, figures, in_order
from studies.training.coin_tables import PriorConfig

NOISE = (0.0, 0.05, 0.1, 0.2, 0.3)
"""The share of labels that are turned round."""

SPURIOUS = (0, 8, 32)
"""Columns that go with the label in one half of the rows and against it in the other."""

ATOMS = 12
EPISODES = 150


def robustness(
    learners: Sequence[str], place: Place, *, episodes: int = EPISODES
) -> list[dict[str, str]]:
    """A row for each level of noise, or number of spurious columns, and learner, in noise.csv."""
    levels = [(noise, 0) for noise in NOISE] + [(0.0, count) for count in SPURIOUS if count]
    tasks: list[Row] = [
        {"noise": noise, "spurious": spurious, "episodes": episodes, "learner": learner}
        for learner in learners
        for noise, spurious in levels
    ]
    return measure("noise", tasks, _run, place)


def draw(rows: Rows, path: Path) -> None:
    """Fresh fidelity against label noise, a curve for each learner, as SVG."""
    clean = [row for row in rows if row["spurious"] == "0"]
    found = figures(clean, "noise", "learner", "fresh_fidelity")
    figure = figure_for(path, (6, 4))
    axes = figure.add_subplot(xlabel="labels turned round, %", ylabel="fresh fidelity")
    for learner in in_order(clean, "learner"):
        curve = sorted((float(noise), y) for (noise, name), y in found.items() if name == learner)
        axes.plot([100 * x for x, _ in curve], [y for _, y in curve], marker="o", label=learner)
    axes.grid(alpha=0.3)
    axes.legend()
    write_svg(figure, path)


def _run(task: Row, _: Place) -> Row:
    prior = PriorConfig(
        atoms=(ATOMS, ATOMS),
        label_noise=float(task["noise"]),
        spurious=int(task["spurious"]),
    )
    learner = str(task["learner"])
    facts: Row = {"weights": weights_of(learner)}
    return score(learner, prior, int(task["episodes"])) | facts | provenance("cpu")
