"""What a page says, gathered from fitted rules."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gnri.data.schema import Above, Atom, Equals, IsTrue, OneOf
from gnri.episode import Episode
from gnri.errors import GnriError
from gnri.estimator.cross_validation import count_answers, cross_validate
from gnri.estimator.fitting import Fitted
from gnri.formats.conditions import spell
from gnri.rules.dnf import SignedDNF
from gnri.symmetry.transforms import TRANSFORMS, without_negations

MOST_CHECKED = 3
"""Of so many rules, the first ones, each is induced again for the check of symmetry."""

CHECKED = ("rows 1", "atoms 1", "negations 1", "label", "everything")
"""The transforms of the audit that a page shows."""

SAME_RULES = (
    "The model is not trained on the table and nothing in it is random: the same table gives the "
    "same rules"
)

Counts = NDArray[np.int64]
"""How many rows of each class (first axis) got each answer (second)."""


class Column(NamedTuple):
    """A column, what it holds and is asked, and its missing cells; None if it has no atoms."""

    name: str
    holds: str
    asked: str
    missing: int | None


@dataclass(frozen=True, eq=False)
class Facts:
    """All that a page says of fitted rules.

    `test` are the answers to rows that were kept out, `validation` those of cross-validation with
    so many `folds`; each is None where there is none. `symmetry` says of each change of the table
    whether the rules followed, None where nothing is promised; without the training table it is
    None, and it may be a sentence instead. `again` says what the code on the page gives.
    """

    fitted: Fitted
    test: Counts | None
    folds: int
    validation: Counts | None
    symmetry: Mapping[str, bool | None] | str | None
    again: str


def gather_facts(
    fitted: Fitted, *, test: tuple[Sequence[Any], Sequence[Any]] | None = None, folds: int = 0
) -> Facts:
    """Return all that the page of fitted rules says.

    `test` are the labels of rows that were kept out, and the answers to them. With `folds`, rows
    are also answered without their fold.
    """
    whole = isinstance(folds, int | np.integer) and not isinstance(folds, bool)
    if not whole or folds < 0 or folds == 1:
        raise GnriError(f"folds must be 0, for none, or a whole number from 2 up, got {folds!r}")
    if fitted.codes is None:
        raise GnriError(
            "a report pictures the training rows, and those of a table in parts are not kept; use "
            "to_text() and card(), or fit on a table in memory"
        )
    return Facts(
        fitted,
        test=None if test is None else _count_test(fitted.classes.tolist(), *test),
        folds=int(folds),
        validation=_cross_validate(fitted, int(folds)),
        symmetry=_check_rules(fitted),
        # A classifier that was saved has a page without what takes the training table.
        again=f"{SAME_RULES}{', and this same page' if fitted.values is not None else ''}.",
    )


def describe_columns(fitted: Fitted) -> list[Column]:
    """Return what was made of each column, in words."""
    atoms: dict[str, list[Atom]] = {name: [] for name in fitted.columns}
    for atom in fitted.schema.atoms:
        atoms[atom.column].append(atom)
    return [
        Column(name, *_describe(found), fitted.missing[name] if found else None)
        for name, found in atoms.items()
    ]


def _describe(atoms: list[Atom]) -> tuple[str, str]:
    """Return what a column with these atoms holds, and what it is asked."""
    match atoms:
        case []:
            return "one value, or none", "nothing, as it does not vary"
        case [Above(), *_]:
            cuts = [spell(atom.cut) for atom in atoms if isinstance(atom, Above)]
            return "numbers", f"above {', '.join(cuts)}"
        case [IsTrue(), *_]:
            return "true or false", "is it true"
    values = []
    for atom in atoms:
        if isinstance(atom, Equals):
            values.append(spell(atom.value))
        elif isinstance(atom, OneOf):
            values.append(f"{{{', '.join(map(spell, atom.values))}}}")
    return "categories", ", ".join(values)


def _check_rules(fitted: Fitted) -> dict[str, bool | None] | None:
    if fitted.values is None:
        return None
    tasks = [(episode, fitted.rule_list.rule_of.get(i)) for i, episode in fitted.episodes().items()]
    settings = fitted.settings
    return check_symmetry(tasks[:MOST_CHECKED], settings.learner().rule, settings.negations)


def check_symmetry(
    tasks: Sequence[tuple[Episode, SignedDNF | None]],
    induce: Callable[[Episode], SignedDNF | None],
    negations: bool = True,
) -> dict[str, bool | None]:
    """Return whether `induce(g(episode)) == g(rule)`, for a random g of each kind on each task.

    Without `negations` a clause may not say `not`, so nothing is promised of negated columns.
    """
    kept, rng = dict[str, bool | None](), np.random.default_rng(0)
    for name in CHECKED:
        draw = TRANSFORMS[name] if negations else without_negations(TRANSFORMS[name])
        trials = [(draw(episode, rng=rng), episode, rule) for episode, rule in tasks]
        if negations or name != "negations 1":
            kept[name] = all(induce(g(episode)) == g(rule) for g, episode, rule in trials)
        else:
            kept[name] = None
    return kept


def _count_test(classes: Sequence[Any], labels: Sequence[Any], answers: Sequence[Any]) -> Counts:
    """Count how the answers do on rows that the user kept out."""
    place = {label: i for i, label in enumerate(classes)}
    wanted = np.asarray(labels).tolist()
    unknown = [label for label in wanted if label not in place]
    if unknown:
        raise GnriError(
            f"a test label must be one of the {len(place)} classes, got {unknown[0]!r}; leave "
            "rows of other classes out"
        )
    codes, answered = (np.array([place[label] for label in side]) for side in (wanted, answers))
    return count_answers(codes, answered, len(place))


def _cross_validate(fitted: Fitted, folds: int) -> Counts | None:
    """Count how rules learnt without a row answer it; None where a fold leaves too few to learn."""
    if not folds or fitted.table is None or min(fitted.sizes) < folds:
        return None
    try:
        found = cross_validate(fitted, folds=folds)
    except GnriError:
        return None
    return count_answers(found.codes, found.answers, len(found.classes))
