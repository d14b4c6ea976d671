"""The facts that a report shows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gnri.data.schema import Above, Atom, Equals, IsTrue, OneOf
from gnri.errors import GnriError
from gnri.estimator import baselines
from gnri.estimator.cross_validation import Validation, count_answers
from gnri.estimator.fitting import Fitted
from gnri.estimator.trials import Trials, find_trials
from gnri.formats.conditions import format_value
from gnri.symmetry.audit import audit
from gnri.symmetry.audit_report import Answer, AuditReport, identical

OTHERS = {"tree": baselines.cart(), "greedy": baselines.greedy}
"""Other learners that can be audited: functions of an episode."""

MOST_CHECKED = 3  # rules that the symmetry check induces again, the first ones
CHECKED = ("rows 1", "atoms 1", "negations 1", "label", "everything")
"""The transforms of the audit that a report shows."""

SAME_RULES = (
    "The model is not trained on the table and nothing in it is random: the same table gives the "
    "same rules"
)

Confusion = NDArray[np.int64]
"""A confusion matrix, as `count_answers` returns it."""


class ColumnFacts(NamedTuple):
    """A column, its values, its atoms in words, and its missing cells; None without atoms."""

    name: str
    holds: str
    asked: str
    missing: int | None


@dataclass(frozen=True, eq=False)
class Facts:
    """All that a report shows of fitted rules.

    `test` is the confusion matrix of test rows, if there are any; `validation` says how the rules
    do in cross-validation, or why that was not measured. `symmetry` says for each change of the
    table whether the rules followed (None: not promised), or is a sentence; without the training
    table it is None. `again` says what the code in the report reproduces.
    """

    fitted: Fitted
    test: Confusion | None
    validation: Validation | str
    symmetry: Mapping[str, bool | None] | str | None
    again: str


def gather_facts(
    fitted: Fitted,
    validation: Validation | str,
    *,
    test: tuple[Sequence[Any], Sequence[Any]] | None = None,
) -> Facts:
    """Return the facts; `test` has labels and predictions."""
    if fitted.codes is None:
        raise GnriError(
            "a report shows the training rows, which are not kept for a table in parts; use "
            "to_text() and summary(), or fit on a table in memory"
        )
    rows = fitted.values is not None  # not those of a pickled classifier
    return Facts(
        fitted,
        test=None if test is None else _count_test(fitted.classes.tolist(), *test),
        validation=validation,
        symmetry=check_symmetry(find_trials(fitted), fitted.settings.negations) if rows else None,
        again=f"{SAME_RULES}{', and this same page' if rows else ''}.",
    )


def describe_columns(fitted: Fitted) -> list[ColumnFacts]:
    """Return the atoms of each column, in words."""
    atoms: dict[str, list[Atom]] = {name: [] for name in fitted.columns}
    for atom in fitted.schema.atoms:
        atoms[atom.column].append(atom)
    return [
        ColumnFacts(
            name,
            *_describe(found, fitted.twins.get(name), fitted.ignored.get(name)),
            fitted.missing[name] if found else None,
        )
        if name not in (fitted.settings.forbid or ())
        else ColumnFacts(name, "whatever it holds", "nothing, as it is forbidden", None)
        for name, found in atoms.items()
    ]


def _describe(atoms: list[Atom], twin: str | None, ignored: str | None) -> tuple[str, str]:
    """Return what values a column with these atoms has, and its atoms in words."""
    match atoms:
        case [] if ignored is not None:
            return f"it {ignored.partition(';')[0]}", "nothing, as it is ignored"
        case [] if twin is not None:
            return f"what {format_value(twin)} says", "nothing, as that is asked"
        case []:
            return "one value, or none", "nothing, as it does not vary"
        case [Above(), *_]:
            cuts = [format_value(atom.cut) for atom in atoms if isinstance(atom, Above)]
            codes = [f"; is it {format_value(a.value)}" for a in atoms if isinstance(a, Equals)]
            return "numbers", f"above {', '.join(cuts)}{''.join(codes)}"
        case [IsTrue(), *_]:
            return "true or false", "is it true"
    values = []
    for atom in atoms:
        if isinstance(atom, Equals):
            values.append(format_value(atom.value))
        elif isinstance(atom, OneOf):
            values.append(f"{{{', '.join(map(format_value, atom.values))}}}")
    return "categories", ", ".join(values)


def check_symmetry(trials: Trials, negations: bool = True) -> dict[str, bool | None]:
    """Return whether `learn(g(task)) == g(rule)`, for a random g of each kind on each task.

    Without `negations`, nothing is promised for negated columns.
    """
    kept, rng = dict[str, bool | None](), np.random.default_rng(0)
    for name in CHECKED:
        pairs = []
        for task, rule in trials.tasks[:MOST_CHECKED]:
            g = trials.transforms[name](task, rng=rng)
            g = g if negations else replace(g, flips=(False,) * task.atoms)
            pairs.append((g(rule), g(task)))
        promised = negations or name != "negations 1"
        held = (identical(rule, trials.learn(task)) for rule, task in pairs)
        kept[name] = all(held) if promised else None
    return kept


def audit_trials(
    trials: Trials, seed: int, report: Callable[[int, int], None], most: int | None = None
) -> AuditReport:
    """Audit the first `most` tasks; report how many rules were learnt, and of how many."""
    tasks = [task for task, _ in trials.tasks[:most]]
    steps, turns = len(tasks) * (1 + len(trials.transforms)), count(1)

    def learn(task: Any) -> Answer:
        rule = trials.learn(task)
        report(next(turns), steps)
        return rule

    return audit(learn, tasks, trials.transforms, seed=seed)


def _count_test(classes: Sequence[Any], labels: Sequence[Any], answers: Sequence[Any]) -> Confusion:
    """Return the confusion matrix of test rows."""
    place = {label: i for i, label in enumerate(classes)}
    if unknown := [label for label in labels if label not in place]:
        raise GnriError(
            f"a test label must be one of the {len(place)} classes, got {unknown[0]!r}; leave "
            "rows of other classes out"
        )
    codes, answered = (np.array([place[label] for label in side]) for side in (labels, answers))
    return count_answers(codes, answered, len(place))
