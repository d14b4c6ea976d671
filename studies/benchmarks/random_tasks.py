"""Random tasks of the sizes that the paper trains on, whose rule is known: how much is found.

Fresh fidelity is the accuracy on 1,000 new rows; a rule is recovered where it is the same Boolean
function as the hidden one. Every learner meets the same episodes.
"""

from collections.abc import Sequence
from itertools import product
from statistics import mean
from time import process_time
from typing import Any

import numpy as np

from gnri.episode import Episode
from gnri.estimator.cross_validation import Values
from gnri.rules.dnf import SignedDNF
from gnri.rules.equivalence import equivalent
from studies.benchmarks.fitted import Fitted
from studies.benchmarks.learners import learner_named, one_thread, weights_of
from studies.benchmarks.posterior import MOST_ATOMS
from studies.results import Row, Rows
from studies.study import Context, measure
from studies.training.coin_tables import PriorConfig, fresh_rows, rules, sample
from studies.training.streams import seeded

EPISODES = {6: 150, 12: 150, 32: 150, 128: 150, 1024: 40}  # how many tasks of each width
FRESH_ROWS = 1000
SHAPES = list(product((1, 2, 3, 4), (1, 2, 3)))  # clauses and literals of rules to recover
ATOMS, SHAPE_EPISODES, NOISE_EPISODES = 12, 100, 150
RANGES = ("atoms", "clauses", "literals")  # of the prior, each one number here
NOISE = (0.0, 0.05, 0.1, 0.2, 0.3)  # the share of labels that are turned round
SPURIOUS = (8, 32)  # columns that follow the label in half of the rows, and oppose it elsewhere


def measure_widths(
    learners: Sequence[str], context: Context, *, episodes: dict[int, int] | None = None
) -> Rows:
    """Measure a row for each width and learner, in synthetic.csv; the posterior narrow ones."""
    tasks: list[Row] = [
        {"atoms": atoms, "episodes": count, "learner": learner}
        for learner, (atoms, count) in product(learners, (episodes or EPISODES).items())
        if learner != "posterior" or atoms <= MOST_ATOMS
    ]
    return measure("synthetic", tasks, _measure_task, context)


def measure_shapes(
    learners: Sequence[str], context: Context, *, episodes: int = SHAPE_EPISODES
) -> Rows:
    """Measure a row for each shape of the hidden rule and learner, in recovery.csv."""
    tasks: list[Row] = [
        {"clauses": clauses, "literals": literals, "episodes": episodes, "learner": learner}
        for learner, (clauses, literals) in product(learners, SHAPES)
        if learner != "posterior"  # it has no rule to compare, only a vote of many
    ]
    return measure("recovery", tasks, _measure_task, context)


def measure_noise(
    learners: Sequence[str], context: Context, *, episodes: int = NOISE_EPISODES
) -> Rows:
    """Measure a row for each level of noise or spurious columns and learner, in noise.csv."""
    levels = [(noise, 0) for noise in NOISE] + [(0.0, count) for count in SPURIOUS]
    tasks: list[Row] = [
        {"noise": noise, "spurious": spurious, "episodes": episodes, "learner": learner}
        for learner, (noise, spurious) in product(learners, levels)
    ]
    return measure("noise", tasks, _measure_task, context)


def _measure_task(task: Row, _: Context) -> Row:
    """Score a learner on tasks of a prior that is what the task says, else the default."""
    learner, sizes = str(task["learner"]), {"atoms": ATOMS} | task
    drawn: dict[str, Any] = {name: (int(sizes[name]),) * 2 for name in RANGES if name in sizes}
    drawn |= {"label_noise": float(task.get("noise", 0)), "spurious": int(task.get("spurious", 0))}
    prior = PriorConfig(**drawn)
    return score(learner, prior, int(task["episodes"])) | {"weights": weights_of(learner)}


def score(learner: str, prior: PriorConfig, episodes: int) -> Row:
    """Return the mean figures of a learner over tasks of a prior; fresh rows have no noise."""
    generator = seeded("tasks", *prior.atoms, *prior.clauses, *prior.literals)
    drawn = sample(prior, episodes, generator=generator)
    fresh, truth = fresh_rows(drawn, FRESH_ROWS, generator=generator)
    found = [
        _figures(learner, drawn.batch.episode(i), hidden, (fresh[i].numpy(), truth[i].numpy()))
        for i, hidden in enumerate(rules(drawn))
    ]
    figures: Row = {}
    for name in found[0]:
        known = [figure for one in found if (figure := one[name]) is not None]
        figures[name] = round(mean(known), 6) if known else ""
    return figures


def _figures(
    learner: str, episode: Episode, hidden: SignedDNF, fresh: tuple[Values, Values]
) -> dict[str, float | None]:
    given = episode.labels != 0  # rows that only fill up the batch have no label
    values, labels = episode.values[given], episode.labels[given]
    with one_thread():
        start = process_time()
        fitted = learner_named(learner)(values, (labels > 0).astype(np.intp))
        seconds = process_time() - start
    rule = fitted.rules[0] if fitted.rules else None
    same = rule is not None and equivalent(rule, hidden, atoms=episode.atoms)
    return {
        "support_accuracy": _agreement(fitted, values, labels),
        "fresh_fidelity": _agreement(fitted, *fresh),
        "recovered": float(same) if fitted.rules else None,
        "rule_literals": None if rule is None else rule.size,
        "seconds": seconds,
    }


def _agreement(fitted: Fitted, values: Values, labels: Values) -> float:
    return float(np.mean(fitted.predict(values) == (labels > 0)))
