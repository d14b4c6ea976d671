"""`FitSettings`: how to learn, from the atoms of columns to the rules of counted rows."""

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from gnri.counts.counter import Counter
from gnri.data.discretize import (
    MAX_CATEGORIES,
    MIN_FREQUENCY,
    BinarizerSettings,
    find_unusable,
    learn_schema,
    make_settings,
)
from gnri.data.schema import Schema
from gnri.data.table import check_has
from gnri.data.value_counts import ValueCounts
from gnri.errors import GnriError, shorten
from gnri.estimator.leaf_counts import count_errors
from gnri.estimator.multiclass import LearntRules, fit_rule_list
from gnri.estimator.point_tables import choose_rules
from gnri.estimator.thresholds import Move, Pack, move_thresholds
from gnri.rules.rule_list import RuleList
from gnri.search.limits import DEFAULT, check_size, make_limits

if TYPE_CHECKING:
    from gnri.estimator.constraints import Bounds, Constraints
    from gnri.estimator.learners import ModelLearner
    from gnri.model.load import Model


def find_class(label: Any, classes: Sequence[Any], option: str | None = None) -> int | None:
    """Return the index of a class, which may be named by its text.

    Where there is none, return None, or raise if the `option` that names it is given.
    """
    texts = [str(one) for one in classes]
    for names in (classes, texts, [text.lower() for text in texts]):
        if label in names:
            return names.index(label)
    if option is None:
        return None
    raise GnriError(
        f"{option} names the class {shorten(label)}, but the classes are {shorten(list(classes))}; "
        "name one of these"
    )


def read_option(option: str, given: Any) -> Any:
    """Return the columns that an option names, in a list or each with a value; raise otherwise."""
    if given is None:
        return {}
    if option not in ("use", "forbid", "require"):
        if not isinstance(given, Mapping):
            raise GnriError(f"{option} must be a value for each column, got {shorten(given)}")
        return given
    lists = Collection if option == "use" else (list, tuple, set, frozenset)
    named = isinstance(given, lists) and not isinstance(given, str | bytes)
    if not named or not all(isinstance(one, Hashable) for one in given):
        raise GnriError(
            f"{option} must be a list of columns, such as ['age'], got {shorten(given)}"
        )
    return given


@dataclass(frozen=True, slots=True)
class FitSettings:
    """Settings of model, search and atoms; they are checked when they are used."""

    model: "str | Path | Model" = "guided"
    refine: bool = True
    strategy: str = "auto"
    n_bins: int | None = None
    max_categories: int = MAX_CATEGORIES
    min_frequency: float = MIN_FREQUENCY
    thresholds: Mapping[str, Sequence[float]] | None = None
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
    special: Mapping[str, Sequence[float]] | None = None
    prices: Mapping[str, Any] | None = None
    keep: str | Path | RuleList | None = None

    @property
    def wanted_form(self) -> str:
        """The form to learn: "auto" means clauses if a setting is about clauses only."""
        clauses = self.max_clauses is not None or not self.negations or not self.refine
        clauses = clauses or self.keep is not None
        return "dnf" if self.form == "auto" and clauses else self.form

    @property
    def points_only(self) -> bool:
        """Whether the form is that of a point table."""
        return self.form in ("scorecard", "checklist")

    @property
    def has_target(self) -> bool:
        """Whether an objective, floors or costs are set."""
        floors = self.min_precision is not None or self.min_recall is not None
        return self.objective != "accuracy" or floors or self.costs is not None

    @property
    def copied_weight(self) -> Mapping[Any, float] | str | None:
        """The class weights that copy rows; None if `has_target`, which handles them itself."""
        return None if self.has_target else self.class_weight

    def without_target(self) -> "FitSettings":
        """Return the settings without target and class weights."""
        plain = {"objective": "accuracy", "min_precision": None, "min_recall": None, "costs": None}
        return replace(self, class_weight=None, **plain)  # type: ignore[arg-type]

    def select_usable(
        self, counts: Sequence[ValueCounts]
    ) -> tuple[list[ValueCounts], dict[str, str]]:
        """Return the columns to use, and the ignored ones with the reason.

        A column named by `use`, `thresholds`, `require`, `monotone`, `special` or `prices` is not
        ignored. Forbidden columns are returned too; they are left out when atoms are learnt.
        """
        names = ("use", "thresholds", "require", "monotone", "special", "prices", "forbid")
        use, *limits, forbidden = (read_option(name, getattr(self, name)) for name in names)
        for name in use:
            check_has(name, [one.name for one in counts], "the table")
        used = {*use, *(name for some in limits for name in some)}
        allowed = [one for one in counts if one.name not in forbidden]
        found = find_unusable(allowed, self.binarizer_settings(len(counts)), used)
        ignored = {name: f"{why.said}; {why.advice}" for name, why in found.items()}
        return [one for one in counts if one.name not in ignored], ignored

    def read_constraints(
        self, counts: Sequence[ValueCounts], names: Sequence[str], classes: NDArray[Any]
    ) -> "Constraints | None":
        """Return the constraints on rules, if there are any; raise if they cannot be met together.

        `counts` are those of the columns that can be used, and `names` of all.
        """
        given = self.forbid, self.require, self.monotone, self.special, self.prices, self.keep
        if all(one is None for one in given):
            return None
        from gnri.estimator.constraint_options import read_constraints

        return read_constraints(self, counts, names, classes.tolist())

    def binarizer_settings(self, columns: int) -> BinarizerSettings:
        """Return how finely so many columns are turned into atoms."""
        return make_settings(
            self.strategy,
            columns,
            n_bins=self.n_bins,
            max_categories=self.max_categories,
            min_frequency=self.min_frequency,
        )

    def learn_atoms(
        self, counts: Sequence[ValueCounts], limits: "Constraints | None" = None
    ) -> Schema:
        """Return the atoms of columns with these value counts, whose kinds are decided."""
        if limits is not None:
            return limits.learn_atoms(counts, self)
        finely = self.binarizer_settings(len(counts))
        return learn_schema(counts, counts[0].rows, finely, self.thresholds)

    def learn_rules(
        self,
        schema: Schema,
        classes: NDArray[Any],
        counter: Counter,
        learner: "ModelLearner",
        move: Move | None = None,
        bounds: "Bounds | None" = None,
    ) -> LearntRules:
        """Return the rules of counted rows; `move` finds better thresholds for clauses.

        If the rules do not read a required column, they are learnt again and made to read it.
        """
        if self.has_target:
            from gnri.estimator.targets import TargetLearner, learn_at_target

            target = TargetLearner(self, schema, classes, counter, learner, bounds)
            return learn_at_target(target, move)
        bounded = learner if bounds is None else replace(learner, bounds=bounds)
        learn = partial(fit_rule_list, schema, classes, learner=bounded)
        rules, groups = learn(counter)
        moved, spared = move(rules) if move else (rules, 0)
        found = LearntRules(rules, moved, groups, count_errors(counter, rules) - spared)
        if self.wanted_form != "dnf":
            found = choose_rules(self, found, counter, bounds, learn)
        if bounds is None or bounds.forced or not bounds.missing(found.rules):
            return found
        bounds = bounds.force(found.rules)
        return self.learn_rules(schema, classes, counter, learner, move, bounds)

    def make_mover(
        self, counts: Sequence[ValueCounts], pack: Pack, limits: "Constraints | None"
    ) -> Move | None:
        """Return the function that moves the thresholds of clauses, or None if they must not move.

        That is so for point tables, without `refine`, with `n_bins` and with "median".
        """
        if self.points_only or not self.refine or self.strategy == "median" or self.n_bins:
            return None
        given = set(self.thresholds or ())
        numbers = {one.name: one.numbers for one in counts if one.name not in given}
        if limits is not None:
            numbers = limits.movable_numbers(numbers)
        return partial(move_thresholds, numbers=numbers, pack=pack)

    def learner(self) -> "ModelLearner":
        """Load the model and return it as a learner."""
        # Imported here, so that a fitted classifier predicts without the networks.
        from gnri.estimator.learners import ModelLearner
        from gnri.model.load import load_model

        if self.points_only and self.max_clauses is not None:
            raise GnriError(
                f"max_clauses bounds rules of clauses, and form={self.form!r} makes a point table; "
                "give max_lines instead"
            )
        lines = check_size("max_lines", self.max_lines, DEFAULT.max_clauses)
        most = lines if self.max_clauses is None else self.max_clauses
        # `max_conditions` limits a point table, but not the clauses that are offered as its lines.
        conditions = self.max_conditions if self.form in ("auto", "dnf") else None
        limits = make_limits(most, self.max_literals, self.negations, conditions)
        if self.points_only and self.max_literals == 1:
            limits = replace(limits, max_clauses=0)  # no clause may be a line
        loaded = load_model(self.model) if isinstance(self.model, str | Path) else self.model
        return ModelLearner(loaded, self.refine, limits)
