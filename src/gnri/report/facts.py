"""What a page says, gathered from fitted rules."""

import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.data.schema import Above, Atom, Equals, IsTrue, OneOf
from gnri.episode import Episode
from gnri.errors import GnriError
from gnri.estimator.cross_validation import count_answers, cross_validate
from gnri.estimator.fitting import Fitted
from gnri.estimator.statistics import Figures, RuleCard
from gnri.formats.conditions import spell
from gnri.report.snippet import write_snippet
from gnri.rules.dnf import SignedDNF
from gnri.rules.rule_list import RuleSet
from gnri.symmetry.transforms import TRANSFORMS, without_negations

MOST_CHECKED = 3
"""Of so many rules, the first ones, each is induced again for the check of symmetry."""

MISTAKES = 20
"""So many of the most frequent mistakes are listed."""

CHANGES = {
    "rows 1": ("rows in another order", "the same rule"),
    "atoms 1": ("columns in another order", "the same rule, its columns moved along"),
    "negations 1": ("some columns negated", "the same rule, their literals negated"),
    "label": ("the two labels swapped", "the complement of the rule"),
    "everything": ("all of this at once", "the rule, changed in all these ways"),
}
"""The transforms of the audit that a page shows: what each changes, and what must come out."""

SAME_RULES = (
    "The model is not trained on the table and nothing in it is random: the same table gives the "
    "same rules"
)
UNCHECKED = (
    "Whether the rules follow every reordering, negation and label swap of the table was not "
    "checked here: this takes the training table, which a saved classifier leaves out. Fit it "
    "again to see the check."
)
TRAINING = "The rules were found on these very rows, so expect less on new ones."
CROSS_VALIDATED = (
    "Each row is answered by rules induced without it and its fold, cut points and categories "
    "included, so these figures are what to expect on new rows of the same kind."
)


@dataclass(frozen=True, eq=False)
class Confusion:
    """How many rows of each class (first axis) got each answer (second), and on which rows."""

    title: str
    note: str
    counts: NDArray[np.int64]

    @property
    def cells(self) -> list[list[int]]:
        cells: list[list[int]] = self.counts.tolist()
        return cells

    @property
    def figures(self) -> Figures:
        """The rows that are answered right, among all."""
        rows = int(self.counts.sum())
        return Figures(rows, int(np.trace(self.counts)), rows, rows)

    @property
    def mistakes(self) -> list[tuple[int, int, int]]:
        """The class, the answer and the count of the most frequent mistakes."""
        wrong = self.counts - np.diag(np.diag(self.counts))
        worst = np.argsort(-wrong, axis=None, kind="stable")[:MISTAKES]
        pairs = [divmod(int(i), len(wrong)) for i in worst]
        return [(i, j, int(wrong[i, j])) for i, j in pairs if wrong[i, j]]


@dataclass(frozen=True, slots=True)
class Column:
    """A column, the atoms it gave, and in how many training rows its cell is missing."""

    name: str
    atoms: tuple[Atom, ...]
    missing: int | None  # None for a column that gave no atoms

    @property
    def holds(self) -> str:
        """What is in the column, in words."""
        match self.atoms[:1]:
            case (Above(),):
                return "numbers"
            case (IsTrue(),):
                return "true or false"
            case (Equals() | OneOf(),):
                return "categories"
        return "one value, or none"

    @property
    def asked(self) -> str:
        """The questions it is asked, in words."""
        cuts = [spell(atom.cut) for atom in self.atoms if isinstance(atom, Above)]
        if cuts:
            return f"above {', '.join(cuts)}"
        values = [_values(atom) for atom in self.atoms if isinstance(atom, Equals | OneOf)]
        if values:
            return ", ".join(values)
        return "is it true" if self.atoms else "nothing, as it does not vary"


@dataclass(frozen=True, slots=True)
class Verdict:
    """A change of the table, and whether the rules came out changed in the same way alone."""

    change: str
    promise: str
    kept: bool | None  # None where nothing is promised


@dataclass(frozen=True, eq=False)
class Facts:
    """All a page says. `symmetry` is a sentence where the check was left out."""

    ruleset: RuleSet  # in the form that is printed
    cards: tuple[RuleCard, ...]
    codes: NDArray[np.intp]  # the class of each training row
    answers: NDArray[np.intp]
    confusions: tuple[Confusion, ...]
    columns: tuple[Column, ...]
    symmetry: tuple[Verdict, ...] | str
    recipe: str  # Python that makes the classifier again
    again: str  # what comes out then
    versions: str


def facts_of(
    fitted: Fitted, *, test: tuple[Sequence[Any], Sequence[Any]] | None = None, folds: int = 0
) -> Facts:
    """Return all that the page of fitted rules says.

    `test` are the labels of rows that were kept out, and the answers to them. With `folds`, rows
    are also answered without their fold.
    """
    _check_folds(folds)
    if fitted.codes is None or fitted.answers is None:
        raise GnriError(
            "a report pictures the training rows, and those of a table in parts are not kept; use "
            "to_text() and card(), or fit on a table in memory"
        )
    counts = count_answers(fitted.codes, fitted.answers, len(fitted.classes))
    confusions = [Confusion("On the training rows", TRAINING, counts)]
    if test is not None:
        confusions.append(_count_test(fitted.classes.tolist(), *test))
    if folds:
        confusions += _cross_validate(fitted, int(folds))
    shape = len(fitted.codes), len(fitted.columns)
    return Facts(
        ruleset=fitted.printed,
        cards=fitted.cards,
        codes=fitted.codes,
        answers=fitted.answers,
        confusions=tuple(confusions),
        columns=_columns(fitted),
        symmetry=_symmetry(fitted),
        recipe=write_snippet(fitted.settings, shape, test=test is not None, folds=int(folds)),
        # A classifier that was saved has a page without what takes the training table.
        again=f"{SAME_RULES}{', and this same page' if fitted.values is not None else ''}.",
        versions=_versions(),
    )


def check_symmetry(
    episodes: Sequence[Episode],
    rules: Sequence[SignedDNF | None],
    induce: Callable[[Episode], SignedDNF | None],
    *,
    negations: bool = True,
    rng: np.random.Generator,
) -> tuple[Verdict, ...]:
    """Return whether `induce(g(episode)) == g(rule)`, for a random g of each kind on each episode.

    Without `negations` a clause may not say `not`, so nothing is promised of negated columns.
    """
    verdicts = []
    for name, words in CHANGES.items():
        draw = TRANSFORMS[name] if negations else without_negations(TRANSFORMS[name])
        trials = [(draw(episode, rng=rng), episode) for episode in episodes]
        promised = negations or name != "negations 1"
        pairs = zip(trials, rules, strict=True)
        kept = promised and all(induce(g(episode)) == g(rule) for (g, episode), rule in pairs)
        verdicts.append(Verdict(*words, kept if promised else None))
    return tuple(verdicts)


def _check_folds(folds: object) -> None:
    whole = isinstance(folds, Integral) and not isinstance(folds, bool)
    if not whole or folds < 0 or folds == 1:  # type: ignore[operator]
        raise GnriError(f"folds must be 0, for none, or a whole number from 2 up, got {folds!r}")


def _count_test(classes: Sequence[Any], labels: Sequence[Any], answers: Sequence[Any]) -> Confusion:
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
    return Confusion(
        "On rows kept out",
        "These rows were passed as a test and had no part in the rules.",
        count_answers(codes, answered, len(place)),
    )


def _cross_validate(fitted: Fitted, folds: int) -> list[Confusion]:
    """Count how rules learnt without a row answer it; not where a fold leaves too few to learn."""
    if fitted.table is None or min(fitted.sizes) < folds:
        return []
    try:
        found = cross_validate(fitted, folds=folds)
    except GnriError:
        return []
    counts = count_answers(found.codes, found.answers, len(found.classes))
    return [Confusion(f"In {folds}-fold cross-validation", CROSS_VALIDATED, counts)]


def _columns(fitted: Fitted) -> tuple[Column, ...]:
    atoms: dict[str, list[Atom]] = {name: [] for name in fitted.columns}
    for atom in fitted.schema.atoms:
        atoms[atom.column].append(atom)
    return tuple(
        Column(name, tuple(found), fitted.missing[name] if found else None)
        for name, found in atoms.items()
    )


def _symmetry(fitted: Fitted) -> tuple[Verdict, ...] | str:
    if fitted.values is None:
        return UNCHECKED
    episodes = fitted.episodes()
    checked = list(episodes)[:MOST_CHECKED]
    return check_symmetry(
        [episodes[i] for i in checked],
        [fitted.ruleset.rules[i] for i in checked],
        fitted.settings.learner().rule,
        negations=fitted.settings.negations,
        rng=np.random.default_rng(0),
    )


def _values(atom: Equals | OneOf) -> str:
    if isinstance(atom, Equals):
        return spell(atom.value)
    return f"{{{', '.join(map(spell, atom.values))}}}"


def _versions() -> str:
    packages = ("gnri", "numpy", "scikit-learn", "torch")
    found = ", ".join(f"{name} {version(name)}" for name in packages)
    return f"{found}, Python {platform.python_version()}"
