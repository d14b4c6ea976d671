"""A scikit-learn classifier whose model is a rule that can be read."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import Tags, check_consistent_length
from sklearn.utils.validation import check_is_fitted

from gnri.binarizer.table import checked
from gnri.binarizer.transformer import STRATEGIES, Binarizer
from gnri.episodes.episode import Episode
from gnri.errors import GnriError
from gnri.estimator.exports import Exports
from gnri.estimator.labels import classes_of
from gnri.estimator.votes import Vote, class_probabilities, vote
from gnri.logic.formula import SignedDNF
from gnri.render.classifier import RuleSet
from gnri.render.decisions import ranks_from_counts
from gnri.render.explain import Explanation
from gnri.schema import Schema

if TYPE_CHECKING:
    from gnri.model.inducer import Inducer


class RuleClassifier(Exports, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Classify rows by rules that a pretrained model reads off the table.

    `model` is the name of a bundled model, the folder of a checkpoint, or a loaded model. With
    `refine` a search on the rows goes on from its rule; without, its one pass is the answer.
    `binarize` says how columns become atoms: a strategy of `Binarizer`, or a `Binarizer`.
    Columns may hold numbers, Booleans or text, with missing cells.

    Two classes get one rule, `rules_[classes_[1]]`: where it is true, the class is
    `classes_[1]`; where it is false, `classes_[0]`. More classes get a rule each, one class
    against the rest, and the class that is likeliest by what its rule says wins. Where missing
    cells leave a rule undecided, or the model abstained and the rule is None, the share of the
    class in the training rows speaks in its place.

    After `fit`: `classes_`, `rules_` (label -> `SignedDNF` or None), `atom_names_`, `schema_`
    (what each atom means), `binarizer_`, and `ruleset_`, the rules with all it takes to predict.

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
        model: "str | Path | Inducer" = "gnri",
        *,
        refine: bool = True,
        binarize: str | Binarizer = "auto",
    ) -> None:
        self.model = model
        self.refine = refine
        self.binarize = binarize

    def fit(self, X: Any, y: Any) -> "RuleClassifier":
        """Induce the rules of the classes."""
        X = checked(self, X, reset=True)
        classes, codes = classes_of(y)
        check_consistent_length(X, codes)
        binarizer = self._binarizer().fit(X)
        values = binarizer.transform(X)
        members = [codes == 1] if len(classes) == 2 else [codes == i for i in range(len(classes))]
        rules = self._induce([Episode(values, np.where(member, 1, -1)) for member in members])
        votes = [vote(rule, values, member) for rule, member in zip(rules, members, strict=True)]
        self.ruleset_ = _ruleset(binarizer.schema_, classes, rules, votes)
        self.classes_, self.votes_, self.binarizer_ = classes, votes, binarizer
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row."""
        values = self._values(X)
        return self.classes_[self.ruleset_.choose(values)]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The probability of each class in each row (rows, classes).

        It is the share of the class among the training rows on the same side of its rule, of n
        rows and t in the class (t + 1) / (n + 2). The likeliest class is the one of `predict`.
        """
        values = self._values(X)
        return class_probabilities(self.ruleset_, self.votes_, values)

    def explain(self, X: Any) -> list[Explanation]:
        """For each row its class, the reason, and the clauses that hold in it, in words."""
        check_is_fitted(self)
        X = checked(self, X, reset=False)
        return self.ruleset_.explain(self.binarizer_.read_columns(X))

    @property
    def rules_(self) -> dict[Any, SignedDNF | None]:
        """The rule of each class, under `classes_[1]` alone if there are two; None: abstained."""
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
        values: NDArray[np.int8] = self.binarizer_.transform(checked(self, X, reset=False))
        return values

    def _binarizer(self) -> Binarizer:
        given = self.binarize
        if not isinstance(given, Binarizer) and given not in STRATEGIES:
            raise GnriError(f"binarize must be 'auto', 'median' or a Binarizer, got {given!r}")
        binarizer = clone(given) if isinstance(given, Binarizer) else Binarizer(given)
        # Whatever output the user set for transformers, here it is an array.
        return binarizer.set_output(transform="default")

    def _induce(self, episodes: list[Episode]) -> list[SignedDNF | None]:
        # Imported here, so that a fitted classifier is unpickled and predicts without torch.
        from gnri.induction import induce
        from gnri.model.loading import load_model

        model = load_model(self.model) if isinstance(self.model, str | Path) else self.model
        return [induce(episode, model, self.refine).rule for episode in episodes]


def _ruleset(
    schema: Schema, classes: NDArray[Any], rules: list[SignedDNF | None], votes: list[Vote]
) -> RuleSet:
    labels = tuple(classes.tolist())
    if len(labels) == 2:
        members, rows = votes[0].overall
        return RuleSet(schema, labels, tuple(rules), majority=int(2 * members > rows))
    sizes = [one.overall[0] for one in votes]
    hits, misses = [one.when_true for one in votes], [one.when_false for one in votes]
    ranks = ranks_from_counts(hits, misses, sizes)
    return RuleSet(schema, labels, tuple(rules), sizes.index(max(sizes)), ranks)
