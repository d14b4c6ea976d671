"""`RuleClassifier`, a scikit-learn classifier whose model is a list of readable rules."""

import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import Tags, check_consistent_length
from sklearn.utils.validation import check_is_fitted

from gnri.data.binarizer import Binarizer, check_features, check_target
from gnri.data.discretize import STRATEGIES
from gnri.data.encode import encode
from gnri.data.frames import from_frame
from gnri.data.schema import Schema
from gnri.data.sources import TableSource, open_source, read_missing
from gnri.data.structure import TextFormat
from gnri.data.table import Table, check_has, number_column
from gnri.data.target import add_labels, make_target
from gnri.errors import GnriError, plural
from gnri.estimator.fitting import Fitted, fit
from gnri.estimator.leaf_counts import class_probabilities
from gnri.estimator.settings import FitSettings
from gnri.estimator.statistics import RuleStatistics
from gnri.estimator.weighting import check_weights, weigh_source
from gnri.formats.explanation import Explanation, explain
from gnri.report.inspection import LONG, Inspection, show_progress
from gnri.rules.rule_list import RuleList, classes_to_learn
from gnri.rules.scorecard import AnyRule

if TYPE_CHECKING:
    from gnri.model.load import Model


@dataclass(eq=False, repr=False)
class RuleClassifier(Inspection, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Classify rows by a list of logic rules.

    `model` is the name of a bundled model, the folder of a checkpoint, or a loaded model. With
    `refine`, a search on the rows improves the model's rule. `binarize` says how columns become
    atoms, which are yes-or-no questions: a strategy of `Binarizer`, or a `Binarizer`. Columns may
    hold numbers, Booleans or text, with missing cells.

    A rule has at most `max_clauses` clauses of at most `max_literals` literals each (None: 24 and
    8), and at most `max_conditions` in all; literals that agree on every training row count as
    one. With `negations=False` no clause has `!=`, `not` or `<=`; a rule may still be a complement,
    `good unless ...`. These limit the search, so they need `refine`.

    With `form="dnf"` the rules are clauses. With "scorecard" they are a point table: whole points
    for the ranges or values of columns and for clauses, at most `max_lines` of these together
    (None: 12), and a threshold. Two classes have one scorecard. More classes have one each, and the
    class with the most points is predicted. A missing cell gets half-way points. In a "checklist"
    every condition has one point. "auto" takes points where they get at least one row in 200
    more right than clauses, of training rows and rows held out together; with `max_clauses`,
    `keep`, `negations=False` or `refine=False` it always takes clauses.

    Columns that are the same on every training row, or each other's negation, are twins: the one
    with the shortest name is learnt from, then the first in the alphabet. `keep_twins=True` learns
    from all of them; `statistics_` list them. Columns that no rule can be made of, such as free
    text, identifiers and dates, are ignored with a warning; `ignored_columns_` has the reasons. A
    column in `use` is never ignored.

    `class_weight` is a weight above 0 for each class, {class: weight}, or "balanced": weights with
    which all classes weigh the same, rounded as in `fit`. Repeating all rows of one class then does
    not change the rules. Weights of classes are no evidence: the more copies a row has, the more a
    condition has to gain.

    `objective` is "accuracy", "balanced_accuracy" or "f1": that of the rarer class of two, or the
    mean of several. `min_precision` and `min_recall`, numbers or {class: number}, are floors on
    rows held out; a number is for the rarer class of two. With a floor for precision the recall is
    as high as that allows, and the other way round. `costs` are those of errors, as
    {(actual, answered): cost}, 1 where not given; with three or more classes a cost may depend on
    the actual class only. `operating_points()` lists what could be had. Such a fit takes about
    ten times as long.

    Seven parameters are constraints; `docs/tutorials/constraints.md` explains them. No rule reads
    the columns in `forbid`, and the rules read those in `require`. With `monotone={"age": +1}`
    larger values of a column only speak for `classes_[1]`, with ("yes", +1) for the class "yes".
    `thresholds={"age": [18, 65]}` are your own, `special={"income": [-9]}` are codes that are no
    numbers, `prices={"scan": 3}` makes conditions on a column cost three times as much, and the
    clauses of `keep`, a file of rules, a rule list or text, stay.

    Two classes get one rule, `rules_[classes_[1]]`. Where it is true, the class is `classes_[1]`;
    where it is false, `classes_[0]`; where missing cells leave it open, or there is no rule, the
    larger class. More classes get a decision list: first the class whose quick rule is most
    precise, then each class on the rows that no earlier rule covers; the last class needs no rule.

    After `fit`: `classes_`, `rules_` (label -> `SignedDNF`, `Scorecard` or None), `atom_names_`,
    `schema_` (what each atom means), `binarizer_`, and `rule_list_`, the rules with all that
    `predict` needs. All exports but `to_json` write `rule_list_.minimized()`: fewer words, with the
    same answer on every possible row. `statistics_` has the figures of each rule and clause on the
    training rows, and the rows that a clause covers. `fitted_` has everything that was learnt.

    `fit_files("part-*.parquet", "label")` reads tables larger than memory.

    >>> table = [["foul", 1], ["foul", 2], ["none", 1], ["none", 2], ["none", 1], ["none", 2]]
    >>> classifier = RuleClassifier().fit(table, ["bad", "bad", "good", "good", "good", "good"])
    >>> print(classifier.to_text())
    good if
        x0 = none
    otherwise bad
    where missing values leave it open, good
    >>> classifier.predict([["foul", None]]).tolist()
    ['bad']
    """

    model: "str | Path | Model" = "guided"
    _: KW_ONLY
    refine: bool = True
    binarize: str | Binarizer = "auto"
    max_clauses: int | None = None
    max_literals: int | None = None
    negations: bool = True
    form: str = "auto"
    max_lines: int | None = None
    max_conditions: int | None = None
    keep_twins: bool = False
    class_weight: Mapping[Any, float] | str | None = None
    use: Collection[str] = ()
    objective: str = "accuracy"
    min_precision: float | Mapping[Any, float] | None = None
    min_recall: float | Mapping[Any, float] | None = None
    costs: Mapping[tuple[Any, Any], float] | None = None
    forbid: Sequence[str] | None = None
    require: Sequence[str] | None = None
    monotone: Mapping[str, Any] | None = None
    thresholds: Mapping[str, Sequence[float]] | None = None
    special: Mapping[str, Sequence[float]] | None = None
    prices: Mapping[str, Any] | None = None
    keep: "str | Path | RuleList | None" = None

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "RuleClassifier":
        """Learn the rules of the labels `y` from the rows of a frame, array or list.

        Every row needs a label, as in scikit-learn. A row of weight w in `sample_weight` counts as
        w copies; a row of weight 0 is left out, and the row numbers in `statistics_` pass over it.
        Weights that are not whole are scaled by the smallest of them and rounded: within 20 %,
        unless that takes more than 16 copies for each row on average. `class_weight` multiplies the
        weights of a class. Rules and probabilities are learnt from the copies; all other figures
        count each row once.
        """
        X = check_features(self, X, reset=True)
        labels, table, weights = check_target(y), from_frame(X), None
        check_consistent_length(range(table.rows), labels)
        if sample_weight is not None:
            weights = check_weights(sample_weight, table.rows)
            kept = weights > 0
            table, labels, weights = table.take(kept), labels[kept], weights[kept]
        table, target = add_labels(table, labels)
        with show_progress("learning the rules", LONG):
            fitted = fit(TableSource.of(table, weights), target, self._settings())
        return self._keep(fitted, X)

    def fit_files(  # noqa: PLR0913 - how to read, and how to count
        self,
        source: Any,
        target: str,
        *,
        bins: int | None = None,
        threshold: float | None = None,
        decimal: str = ".",
        encoding: str = "utf-8",
        na_values: Collection[Any] = (),
        weight: str | None = None,
        memory: int | str | None = None,
        scheduler: str | None = None,
    ) -> "RuleClassifier":
        """Learn the rules of the column `target` from files of any size.

        `source` is a path, a pattern, a folder or a list of paths of CSV, Parquet or Excel files,
        or an Arrow dataset; `weight` names a column with the weight of each row. Rows without a
        label are left out. A target of numbers is cut above a `threshold`, or into `bins` of
        equally many rows (2: above the median or not). `decimal` and `encoding` say how text is
        written; `na_values` are texts that mean missing besides the usual ones, also in `predict`.
        The rules are those of the same rows in memory, except that a column of more than
        65,536 different numbers may get slightly different thresholds. This process counts rows in
        at most `memory`, "2GB" by default; or the workers of a Dask `scheduler`, such as
        tcp://host:8786, count. `statistics_` then do not say which rows a clause covers. With
        weights, the files are read up to five times more.
        """
        from gnri.counts.executors import make_executor

        label = make_target(target, bins, threshold)
        opened = open_source(source, TextFormat(decimal, encoding, na_values))
        if weight is not None:
            opened = weigh_source(opened, weight)
        executor = make_executor(memory, scheduler)
        try:
            with show_progress("learning the rules", LONG):
                fitted = fit(opened, label, self._settings(), executor)
        finally:
            executor.close()
        names = Table({name: number_column(name, np.zeros(2)) for name in fitted.columns})
        check_features(self, names, reset=True)
        return self._keep(fitted, names)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row."""
        values = self._values(X)
        return self.classes_[self.rule_list_.choose(values)]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class in each row (rows, classes).

        Let n be the number of training rows that are answered by the same step of the rule list,
        t of them of the class, and k the number of classes: the probability is (t + 1) / (n + k).
        For two classes it is refined by the training rows on which as many clauses hold, or as few
        conditions fail. In a point table it comes from the points. The class that `predict` returns
        always has the largest probability.
        """
        values = self._values(X)
        return class_probabilities(self.rule_list_, self.fitted_.leaf_counts, values)

    def explain(
        self, X: Any, changeable: Collection[str] | None = None, *, towards: Any = None
    ) -> list[Explanation]:
        """Return for each row its class, the reason, and the clauses that are true, in words.

        With `changeable`, the names of columns, each explanation has in `changes` the smallest
        changes of cells in these columns that change the class, or that change it to `towards`:
        fewest columns first, then the least movement. A number moves by the share of the
        thresholds in `schema_` that it crosses, and anything else by 1.
        """
        columns = self._columns(X)
        names = [] if changeable is None or isinstance(changeable, str) else changeable
        for name in names:
            check_has(name, list(self.fitted_.columns), "the table")
        return explain(self.fitted_.minimized, columns, changeable, towards)

    @property
    def rule_list_(self) -> RuleList:
        """The rules as induced, with all that `predict` needs."""
        return self.fitted_.rule_list

    @property
    def statistics_(self) -> tuple[RuleStatistics, ...]:
        """The statistics of each rule and clause on the training rows."""
        return self.fitted_.statistics

    @property
    def ignored_columns_(self) -> dict[str, str]:
        """The columns that no rule could be made of, each with the reason."""
        return dict(self.fitted_.ignored)

    @property
    def rules_(self) -> dict[Any, AnyRule | None]:
        """The rule of each class, or None without one; two classes have one, of `classes_[1]`."""
        classes, rule_of = self.rule_list_.classes, self.rule_list_.rule_of
        return {classes[i]: rule_of.get(i) for i in classes_to_learn(classes)}

    @property
    def schema_(self) -> Schema:
        """What each atom of the rules means."""
        return self.binarizer_.schema_

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
        columns = self._columns(X)  # first, as it raises if this is not fitted
        return encode(self.schema_, columns)

    def _columns(self, X: Any) -> Table:
        """Return the columns that rules may read, under the names they had in `fit`."""
        check_is_fitted(self)
        X = check_features(self, X, reset=False)
        found = from_frame(X, self.binarizer_.columns_, only=set(self.schema_.columns))
        return read_missing(found, self.rule_list_.na_values)

    def _binarizer(self) -> Binarizer:
        given = self.binarize
        if not isinstance(given, Binarizer) and given not in STRATEGIES:
            raise GnriError(f"binarize must be 'auto', 'median' or a Binarizer, got {given!r}")
        binarizer = clone(given) if isinstance(given, Binarizer) else Binarizer(given)
        # `binarizer_` returns an array, whatever output the user set for transformers.
        return binarizer.set_output(transform="default")

    def _keep(self, fitted: Fitted, X: Any) -> "RuleClassifier":
        """Set the fitted attributes, with a binarizer that computes the atoms of the rules."""
        binarizer = self._binarizer()
        check_features(binarizer, X, reset=True)
        binarizer.columns_, binarizer.schema_ = list(fitted.columns), fitted.schema
        self.binarizer_, self.fitted_, self.classes_ = binarizer, fitted, fitted.classes
        if fitted.ignored:
            reasons = "; ".join(f"{name!r} {why}" for name, why in fitted.ignored.items())
            warnings.warn(f"columns are ignored: {reasons}", UserWarning, stacklevel=3)
        if fitted.target.unlabelled:
            left_out = plural(fitted.target.unlabelled, "row")
            warnings.warn(f"{left_out} without a label left out", UserWarning, stacklevel=3)
        return self

    def _settings(self) -> FitSettings:
        if not isinstance(self.model, str | Path) and not hasattr(self.model, "sha256"):
            raise GnriError(
                "model must be the name of a bundled model, the folder of a checkpoint or a loaded "
                f"model, got {self.model!r} of type {type(self.model).__name__}"
            )
        given = {**self.get_params(deep=False), **self._binarizer().get_params(deep=False)}
        if self.thresholds is not None and given["thresholds"] is not None:
            raise GnriError(
                "thresholds are given twice, to the classifier and to its Binarizer; leave one out"
            )
        given["thresholds"] = given["thresholds"] or self.thresholds
        return FitSettings(**{one.name: given[one.name] for one in fields(FitSettings)})
