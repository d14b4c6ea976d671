"""What the rows say of each rule and of each of its clauses."""

from gnri.cards.card import ClauseCard, RuleCard
from gnri.cards.figures import Figures
from gnri.cards.make import rule_cards
from gnri.cards.text import to_text

__all__ = ["ClauseCard", "Figures", "RuleCard", "rule_cards", "to_text"]
