"""A scikit-learn classifier whose model is a rule that can be read, and its ways out."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import Tags, assert_all_finite, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from gnri.counts.executors import make_executor
from gnri.data.binarizer import Binarizer, check_features
from gnri.data.column import Column, number_column
from gnri.data.discretize import STRATEGIES
from gnri.data.frames import from_frame
from gnri.data.kinds import ColumnKind, is_missing
from gnri.data.schema import Schema
from gnri.data.sources import TableSource, is_source, open_source
from gnri.data.table import Table
from gnri.data.target import Target, code_labels
from gnri.errors import GnriError
from gnri.estimator.fitting import Fitted, fit
from gnri.estimator.leaf_counts import class_probabilities
from gnri.estimator.settings import FitSettings
from gnri.estimator.statistics import RuleCard
from gnri.formats.explanation import Explanation, explain
from gnri.formats.latex import to_latex
from gnri.formats.literal_frame import to_frame
from gnri.formats.prolog import to_prolog
from gnri.formats.python_source import to_python
from gnri.formats.sql import to_sql
from gnri.formats.text import to_text
from gnri.report.summary import to_text as cards_to_text
from gnri.rules.dnf import SignedDNF
from gnri.rules.documents import to_json
from gnri.rules.rule_list import RuleList

if TYPE_CHECKING:
    from gnri.model.load import Model


class Exports:
    """Methods of a classifier that keeps what it learnt in `fitted_`; each predicts as it does."""

    fitted_: Fitted

    @property
    def ruleset_(self) -> RuleList:
        """The rules as induced, with all it takes to predict."""
        return self.fitted_.ruleset

    @property
    def printed_(self) -> RuleList:
        """The same rules in fewer literals."""
        return self.fitted_.printed

    @property
    def cards_(self) -> tuple[RuleCard, ...]:
        """How each rule and each of its clauses does on the training rows."""
        return self.fitted_.cards

    def to_text(self) -> str:
        """Return the rules in words."""
        return to_text(self._fitted_rules())

    def to_json(self) -> str:
        """Return the rules as induced, for `gnri.rules.documents.from_json` to read back."""
        check_is_fitted(self)
        return to_json(self.ruleset_)

    def to_sql(self, table: str) -> str:
        """Return a statement that adds the column `prediction` to the rows of `table`."""
        return to_sql(self._fitted_rules(), table)

    def to_python(self) -> str:
        """Return the source of a function that takes a row and needs no package."""
        return to_python(self._fitted_rules())

    def to_prolog(self) -> str:
        """Return a Prolog program."""
        return to_prolog(self._fitted_rules())

    def to_latex(self) -> str:
        """Return the rules as LaTeX lists."""
        return to_latex(self._fitted_rules())

    def to_frame(self) -> Any:
        """Return a row for each literal, as a pandas DataFrame, or as a list without pandas."""
        return to_frame(self._fitted_rules())

    def card(self, width: int = 100) -> str:
        """Return how each rule and clause does on the training rows, as a table of plain text."""
        check_is_fitted(self)
        return cards_to_text(self.cards_, width)

    def _fitted_rules(self) -> RuleList:
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
    each of its clauses does on the training rows, and which rows those are; `fitted_` has all that
    was learnt and counted.

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
            return self._fit_files(X, y, memory, scheduler)
        if memory is not None or scheduler is not None:
            raise GnriError(
                "memory and scheduler are for tables in files, got a table that is in memory; "
                "leave them out, or pass the path of the files"
            )
        X = check_features(self, X, reset=True)
        classes, codes = code_labels(check_labels(y))
        table = from_frame(X)
        check_consistent_length(range(table.rows), codes)
        name, labels = _unused_name(table), tuple(classes.tolist())
        label = Column(name, ColumnKind.CATEGORY, codes, None, labels)
        source = TableSource.of(Table({**table, name: label}, table.origin, table.rows))
        places = {value: i for i, value in enumerate(labels)}
        target = Target(name, classes, places, table.rows)
        self.fitted_ = fit(source, target, self._settings())
        self.classes_ = classes
        self._keep_binarizer(X)
        return self

    def _fit_files(
        self, X: Any, y: Any, memory: int | str | None, scheduler: str | None
    ) -> "RuleClassifier":
        source = open_source(X)
        executor = make_executor(memory, scheduler)
        try:
            self.fitted_ = fit(source, y, self._settings(), executor)
        finally:
            executor.close()
        self.classes_ = self.fitted_.classes
        empty = {name: number_column(name, np.zeros(2)) for name in self.fitted_.columns}
        check_features(self, Table(empty), reset=True)
        self._keep_binarizer(Table(empty))
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row."""
        values = self._values(X)
        return self.classes_[self.ruleset_.choose(values)]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class in each row (rows, classes).

        It is the share of the class among the training rows that the same rule answers, on the
        same side of it if there are two classes: of n rows and t in the class (t + 1) / (n + k)
        for k classes. The class of `predict` is made the likeliest where it is not.
        """
        values = self._values(X)
        return class_probabilities(self.ruleset_, self.fitted_.votes, values)

    def explain(self, X: Any) -> list[Explanation]:
        """Return for each row its class, the reason, and the clauses that hold in it, in words."""
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
        answered = None
        if test is not None:
            answered = np.asarray(test[1]).tolist(), self.predict(test[0]).tolist()
        facts = facts_of(self.fitted_, test=answered, folds=folds)
        return write_page(facts, Path(path))

    @property
    def rules_(self) -> dict[Any, SignedDNF | None]:
        """The rule of each class, under `classes_[1]` alone if there are two; None: it has none."""
        rules: RuleList = self.ruleset_
        asked = range(len(rules.classes)) if len(rules.classes) > 2 else (1,)
        return {rules.classes[kind]: rules.rule_of.get(kind) for kind in asked}

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
        if not isinstance(self.model, str | Path) and not hasattr(self.model, "sha256"):
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

    def _keep_binarizer(self, X: Any) -> None:
        """Keep a binarizer that was fitted as the rules were."""
        binarizer = self._binarizer()
        check_features(binarizer, X, reset=True)
        binarizer.columns_, binarizer.schema_ = list(self.fitted_.columns), self.fitted_.schema
        self.binarizer_ = binarizer

    def _settings(self) -> FitSettings:
        atoms = self._binarizer()
        return FitSettings(
            model=self.model,
            refine=self.refine,
            strategy=atoms.strategy,
            cuts=atoms.cuts,
            max_categories=atoms.max_categories,
            min_share=atoms.min_share,
            thresholds=atoms.given_cuts,
            max_clauses=self.max_clauses,
            max_literals=self.max_literals,
            negations=self.negations,
        )


def _unused_name(table: Table) -> str:
    """Return a name that no column has, for the labels."""
    name = "y"
    while name in table:
        name += "'"
    return name


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
