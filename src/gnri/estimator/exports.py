"""The ways out of a fitted classifier: its rules as text, code, queries and tables."""

from typing import Any

from sklearn.utils.validation import check_is_fitted

from gnri.cards.card import RuleCard
from gnri.cards.text import to_text as cards_to_text
from gnri.render.classifier import RuleSet
from gnri.render.document import to_json
from gnri.render.frame import to_frame
from gnri.render.latex import to_latex
from gnri.render.prolog import to_prolog
from gnri.render.python import to_python
from gnri.render.sql import to_sql
from gnri.render.text import to_text


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
        """A document that `gnri.render.load_ruleset` reads back, with the rules as induced."""
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
