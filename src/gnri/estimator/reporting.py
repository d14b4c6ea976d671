"""The report of a fitted classifier."""

import platform
from importlib.metadata import version
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from gnri.data.schema import Atom
from gnri.errors import GnriError
from gnri.estimator.learning import episodes_in_turn, learn_rules
from gnri.estimator.training import CountedRows, TrainingRows
from gnri.report import Column, Confusion, Facts, Verdict, check_symmetry
from gnri.report.snippet import recipe

if TYPE_CHECKING:
    from gnri.classifier import RuleClassifier

MOST_CHECKED = 3
"""Of so many rules, the first ones, each is induced again for the check of symmetry."""


SAME_RULES = (
    "The model is not trained on the table and nothing in it is random: the same table gives the "
    "same rules"
)
SAME_PAGE = f"{SAME_RULES}, and this same page."


def facts_of(
    learnt: "RuleClassifier", confusions: list[Confusion], *, test: bool, folds: int
) -> Facts:
    """All that the report of a classifier says, asked for with a test and so many folds."""
    training = rows_of(learnt)
    return Facts(
        ruleset=learnt.printed_,
        cards=learnt.cards_,
        codes=training.codes,
        answers=training.answers,
        confusions=(_on_training(learnt), *confusions),
        columns=_columns(learnt),
        symmetry=_symmetry(learnt),
        recipe=recipe(learnt, len(training.codes), test=test, folds=folds),
        # A classifier that was saved has a page without what takes the training table.
        again=SAME_PAGE if training.values is not None else f"{SAME_RULES}.",
        versions=_versions(),
    )


def rows_of(learnt: "RuleClassifier") -> TrainingRows:
    """The training rows, or an error where they were read in parts and not kept."""
    if isinstance(learnt.training_, CountedRows):
        raise GnriError(
            "a report pictures the training rows, and those of a table in parts are not kept; use "
            "to_text() and card(), or fit on a table in memory"
        )
    return learnt.training_


def confusions_of(
    learnt: "RuleClassifier", test: tuple[Any, Any] | None, folds: int
) -> list[Confusion]:
    """The counts beside those of the training rows: on a test, and in cross-validation."""
    if not _is_whole(folds) or folds < 0 or folds == 1:
        raise GnriError(f"folds must be 0, for none, or a whole number from 2 up, got {folds!r}")
    found = [] if test is None else [_on_test(learnt, *test)]
    return [*found, *(_cross_validated(learnt, int(folds)) if folds else [])]


def _on_test(learnt: "RuleClassifier", X: Any, y: Any) -> Confusion:
    """How the answers do on rows that the user kept out."""
    labels, answers = np.asarray(y), learnt.predict(X)
    place = {label: i for i, label in enumerate(learnt.classes_.tolist())}
    unknown = [label for label in labels.tolist() if label not in place]
    if unknown:
        raise GnriError(
            f"a test label must be one of the {len(place)} classes, got {unknown[0]!r}; leave "
            "rows of other classes out"
        )
    codes = np.array([place[label] for label in labels.tolist()])
    return Confusion(
        "On rows kept out",
        "These rows were passed as a test and had no part in the rules.",
        _counts(codes, np.searchsorted(learnt.classes_, answers), len(place)),
    )


def _cross_validated(learnt: "RuleClassifier", folds: int) -> list[Confusion]:
    """How rules learnt without a row answer it; none where a class has fewer rows than folds."""
    training, classes = rows_of(learnt), learnt.classes_
    values, codes = training.values, training.codes.astype(np.intp)
    if values is None or np.bincount(codes).min() < folds:
        return []
    answers, learner = np.empty_like(codes), learnt._learner()
    split = StratifiedKFold(folds, shuffle=True, random_state=0).split(values, codes)
    for seen, kept_out in split:
        ruleset = learn_rules(learnt.schema_, values[seen], classes, codes[seen], learner)
        answers[kept_out] = ruleset.choose(values[kept_out])
    note = (
        "Each row is answered by rules induced without it and its fold, so these figures are "
        "what to expect on new rows of the same kind. Cut points and categories, which never look "
        "at labels, are those of the whole table."
    )
    counts = _counts(codes, answers, len(classes))
    return [Confusion(f"In {folds}-fold cross-validation", note, counts)]


def _on_training(learnt: "RuleClassifier") -> Confusion:
    training = rows_of(learnt)
    return Confusion(
        "On the training rows",
        "The rules were found on these very rows, so expect less on new ones.",
        _counts(training.codes, training.answers, len(learnt.classes_)),
    )


def _counts(codes: NDArray[Any], answers: NDArray[Any], classes: int) -> NDArray[np.int64]:
    counts = np.zeros((classes, classes), np.int64)
    np.add.at(counts, (codes, answers), 1)
    return counts


def _columns(learnt: "RuleClassifier") -> tuple[Column, ...]:
    atoms: dict[str, list[Atom]] = {name: [] for name in learnt.binarizer_.columns_}
    for atom in learnt.schema_.atoms:
        atoms[atom.column].append(atom)
    missing = rows_of(learnt).missing
    return tuple(Column(name, tuple(found), missing.get(name)) for name, found in atoms.items())


def _symmetry(learnt: "RuleClassifier") -> tuple[Verdict, ...] | str:
    training = rows_of(learnt)
    values = training.values
    if values is None:
        return (
            "Whether the rules follow every reordering, negation and label swap of the table was "
            "not checked here: this takes the training table, which a saved classifier leaves out. "
            "Fit it again to see the check."
        )
    episodes = episodes_in_turn(learnt.ruleset_, values, training.codes.astype(np.intp))
    checked = list(episodes)[:MOST_CHECKED]
    return check_symmetry(
        [episodes[i] for i in checked],
        [learnt.ruleset_.rules[i] for i in checked],
        learnt._learner().rule,
        negations=learnt.negations,
        rng=np.random.default_rng(0),
    )


def _is_whole(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def _versions() -> str:
    packages = ("gnri", "numpy", "scikit-learn", "torch")
    found = ", ".join(f"{name} {version(name)}" for name in packages)
    return f"{found}, Python {platform.python_version()}"
