"""The ways out of a fitted classifier: its rules as text, code, queries and tables.

A scikit-learn classifier whose model is a rule that can be read.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import Tags, assert_all_finite, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from gnri.data.binarizer import Binarizer, check_features
from gnri.data.discretize import STRATEGIES
from gnri.data.encode import encode
from gnri.data.frames import from_frame
from gnri.data.kinds import is_missing
from gnri.data.schema import Schema
from gnri.data.target import code_labels
from gnri.data.value_counts import count_values
from gnri.errors import GnriError
from gnri.estimator.leaf_counts import class_probabilities
from gnri.estimator.learning import fit_rules
from gnri.estimator.statistics import RuleCard
from gnri.estimator.training import CountedRows, TrainingRows
from gnri.formats.explanation import Explanation, explain
from gnri.formats.latex import to_latex
from gnri.formats.literal_frame import to_frame
from gnri.formats.prolog import to_prolog
from gnri.formats.python_source import to_python
from gnri.formats.sql import to_sql
from gnri.formats.text import to_text
from gnri.report.summary import to_text as cards_to_text
from gnri.rules.dnf import SignedDNF
from gnri.rules.documents import ruleset_to_json as to_json
from gnri.rules.rule_list import RuleSet
from gnri.scale.source import is_source, parts_of, source_of
from gnri.search.limits import limits_of

if TYPE_CHECKING:
    from gnri.estimator.learners import ModelLearner
    from gnri.model.load import Model


class Exports:
    """Methods of a classifier that keeps its rules in `ruleset_`, and in `printed_` as short as
    they go; each predicts as it does.
    """

    ruleset_: RuleSet
    printed_: RuleSet
    cards_: tuple[RuleCard, ...]

    def to_text(self) -> str:
        """The rules in words."""
        return to_text(self._fitted_rules())

    def to_json(self) -> str:
        """A document that `gnri.formats.load_ruleset` reads back, with the rules as induced."""
        check_is_fitted(self)
        return to_json(self.ruleset_)

    def to_sql(self, table: str) -> str:
        """A statement that adds the column `prediction` to the rows of `table`."""
        return to_sql(self._fitted_rules(), table)

    def to_python(self) -> str:
        """The source of a function that takes a row and needs no package."""
        return to_python(self._fitted_rules())

    def to_prolog(self) -> str:
        """A Prolog program."""
        return to_prolog(self._fitted_rules())

    def to_latex(self) -> str:
        """The rules as LaTeX lists."""
        return to_latex(self._fitted_rules())

    def to_frame(self) -> Any:
        """A table with one row for each literal: a pandas DataFrame, or a list without pandas."""
        return to_frame(self._fitted_rules())

    def card(self, width: int = 100) -> str:
        """How each rule and clause does on the training rows, as a table of plain text."""
        check_is_fitted(self)
        return cards_to_text(self.cards_, width)

    def _fitted_rules(self) -> RuleSet:
        check_is_fitted(self)
        return self.printed_


class RuleClassifier(Exports, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Classify rows by rules that a pretrained model reads off the table.

    `model` is the name of a bundled model, the folder of a checkpoint, or a loaded model. With
    `refine` a search on the rows goes on from its rule; without, its one pass is the answer.
    `binarize` says how columns become atoms: a strategy of `Binarizer`, or a `Binarizer`.
    Columns may hold numbers, Booleans or text, with missing cells.

    A rule of the search has at most `max_clauses` clauses of at most `max_literals` literals
    each (None: as the search does by itself, 24 and 8; literals that agree on every training row
    count as one). With `negations=False` no clause asks that something is not so: no `!=`, no
    `not`, and no `<=`. A rule may still be read as a complement, `good unless ...`. These three
    bound the search, so they need `refine`.

    Two classes get one rule, `rules_[classes_[1]]`: where it is true, the class is
    `classes_[1]`; where it is false, `classes_[0]`; where missing cells leave it open, or the model
    abstained and it is None, the larger class. More classes are asked for in turn, from the one
    whose first rule is right most often: each gets a rule that tells it from the others on the rows
    that no rule before it took, and the last class gets what is left, without a rule. Of three
    classes or more, one of 60 rows that has less than two fifths of the rows then counts twice.

    After `fit`: `classes_`, `rules_` (label -> `SignedDNF` or None), `atom_names_`, `schema_`
    (what each atom means), `binarizer_`, and `ruleset_`, the rules with all it takes to predict.
    `printed_` is `ruleset_` in fewer literals where that answers the same on every row there
    could be; it is what every export writes, but for `to_json`. `cards_` says how each rule and
    each of its clauses does on the training rows, and which rows those are; `training_` is what
    is kept of the rows.

    Tables past memory are named in place of the rows: `fit("part-*.parquet", "label")`.

    >>> table = [["foul", 1], ["foul", 2], ["none", 1], ["none", 2], ["none", 1], ["none", 2]]
    >>> learnt = RuleClassifier().fit(table, ["bad", "bad", "good", "good", "good", "good"])
    >>> print(learnt.to_text())
    good unless
        x0 != none
    otherwise bad
    where missing values leave it open, good
    >>> learnt.predict([["foul", None]]).tolist()
    ['bad']
    """

    def __init__(
        self,
        model: "str | Path | Model" = "guided",
        *,
        refine: bool = True,
        binarize: str | Binarizer = "auto",
        max_clauses: int | None = None,
        max_literals: int | None = None,
        negations: bool = True,
    ) -> None:
        self.model = model
        self.refine = refine
        self.binarize = binarize
        self.max_clauses = max_clauses
        self.max_literals = max_literals
        self.negations = negations

    training_: TrainingRows | CountedRows

    def fit(
        self, X: Any, y: Any, *, memory: int | str | None = None, scheduler: str | None = None
    ) -> "RuleClassifier":
        """Induce the rules of the classes.

        X may also be a path, a pattern, a folder or a list of paths of CSV or Parquet files, or an
        Arrow dataset, with the name of the target column as y. The rules are those of the same
        rows in memory, but that beyond 65,536 different numbers in a column its cuts may lie a
        little elsewhere. The process takes no more than `memory` for them (such as "2GB", which is
        what it takes if nothing is said); or the workers of a Dask `scheduler` such as
        tcp://host:8786 count. `cards_` then do not say which rows a clause covers.
        """
        self._check_model()
        if is_source(X):
            return self._fit_parts(X, y, memory, scheduler)
        if memory is not None or scheduler is not None:
            raise GnriError(
                "memory and scheduler are for tables in files, got a table that is in memory; "
                "leave them out, or pass the path of the files"
            )
        X = check_features(self, X, reset=True)
        classes, codes = code_labels(check_labels(y))
        table = from_frame(X).decide()
        check_consistent_length(range(table.rows), codes)
        binarizer = self._binarizer()
        check_features(binarizer, X, reset=True)
        binarizer.learn([count_values(column) for column in table.values()], table.rows)
        values = encode(binarizer.schema_, table)
        found = fit_rules(binarizer.schema_, values, classes, codes, self._learner())
        self.ruleset_, self.printed_, self.cards_ = found.ruleset, found.printed, found.cards
        self.training_ = found.training
        self.classes_, self.votes_, self.binarizer_ = classes, found.votes, binarizer
        return self

    def _fit_parts(
        self, X: Any, y: Any, memory: int | str | None, scheduler: str | None
    ) -> "RuleClassifier":
        from gnri.estimator.streaming import fit_parts, place_of

        source = source_of(parts_of(X), y)
        place = place_of(memory, scheduler)
        try:
            fit_parts(self, source, place)
        finally:
            place.close()
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row."""
        values = self._values(X)
        return self.classes_[self.ruleset_.choose(values)]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The probability of each class in each row (rows, classes).

        It is the share of the class among the training rows that the same rule answers, on the
        same side of it if there are two classes: of n rows and t in the class (t + 1) / (n + k)
        for k classes. The class of `predict` is made the likeliest where it is not.
        """
        values = self._values(X)
        return class_probabilities(self.ruleset_, self.votes_, values)

    def explain(self, X: Any) -> list[Explanation]:
        """For each row its class, the reason, and the clauses that hold in it, in words."""
        check_is_fitted(self)
        X = check_features(self, X, reset=False)
        return explain(self.printed_, self.binarizer_.read_columns(X))

    def report(
        self, path: str | Path, *, test: tuple[Any, Any] | None = None, folds: int = 5
    ) -> Path:
        """Write one HTML page about the rules and what speaks for them; it loads nothing.

        `test`, a pair (X, y) of rows that were kept out, is answered and counted there. So is, if
        `folds` is 2 or more, each training row by rules induced without its fold. With the check
        of symmetry this makes a report cost about as much as ten fits. A classifier that was
        saved and read back has no training table any more, and leaves both out.
        """
        from gnri.report.facts import facts_of
        from gnri.report.page import write_page

        check_is_fitted(self)
        return write_page(facts_of(self, test=test, folds=folds), Path(path))

    @property
    def rules_(self) -> dict[Any, SignedDNF | None]:
        """The rule of each class, under `classes_[1]` alone if there are two; None: it has none."""
        ruleset: RuleSet = self.ruleset_
        return {ruleset.owner(i): rule for i, rule in enumerate(ruleset.rules)}

    @property
    def schema_(self) -> Schema:
        """What each atom of the rules means."""
        schema: Schema = self.binarizer_.schema_
        return schema

    @property
    def atom_names_(self) -> list[str]:
        """The name of each atom."""
        return self.schema_.names

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    def _values(self, X: Any) -> NDArray[np.int8]:
        check_is_fitted(self)
        values: NDArray[np.int8] = self.binarizer_.transform(check_features(self, X, reset=False))
        return values

    def _check_model(self) -> None:
        from gnri.model.load import Model

        if not isinstance(self.model, str | Path | Model):
            raise GnriError(
                "model must be the name of a bundled model, the folder of a checkpoint or a loaded "
                f"model, got {self.model!r} of type {type(self.model).__name__}"
            )

    def _binarizer(self) -> Binarizer:
        given = self.binarize
        if not isinstance(given, Binarizer) and given not in STRATEGIES:
            raise GnriError(f"binarize must be 'auto', 'median' or a Binarizer, got {given!r}")
        binarizer = clone(given) if isinstance(given, Binarizer) else Binarizer(given)
        # Whatever output the user set for transformers, here it is an array.
        return binarizer.set_output(transform="default")

    def _learner(self) -> "ModelLearner":
        # Imported here, so that a fitted classifier is unpickled and predicts without torch.
        from gnri.estimator.plain import learner_of

        limits = limits_of(self.max_clauses, self.max_literals, self.negations)
        return learner_of(self.model, self.refine, limits)

    def __getstate__(self) -> dict[str, Any]:
        """What is saved: all but the training table, which only a report would use."""
        state: dict[str, Any] = dict(super().__getstate__())
        if "training_" in state:
            state["training_"] = state["training_"].without_values()
        return state


def check_labels(y: Any) -> NDArray[Any]:
    """Return the labels that a user has, of which every row has one."""
    labels: NDArray[Any] = column_or_1d(y, warn=True)
    if labels.dtype.kind == "f":
        assert_all_finite(labels, input_name="y")
    if labels.dtype.kind == "O":
        missing = [row for row, label in enumerate(labels) if is_missing(label)]
        if missing:
            raise GnriError(f"every row needs a label, got none in row {missing[0]}; drop the row")
    check_classification_targets(labels)
    return labels
