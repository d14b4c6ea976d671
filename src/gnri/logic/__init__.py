"""Boolean rules: what they are, what they mean, how they are compared, written and read."""

from gnri.logic.document import from_json, to_json
from gnri.logic.equivalence import equivalent
from gnri.logic.evaluate import coverage, evaluate
from gnri.logic.formula import Clause, Literal, SignedDNF, clause
from gnri.logic.simplify import absorb, blake, drop_contradictions, simplify
from gnri.logic.text import parse, render

__all__ = [
    "Clause",
    "Literal",
    "SignedDNF",
    "absorb",
    "blake",
    "clause",
    "coverage",
    "drop_contradictions",
    "equivalent",
    "evaluate",
    "from_json",
    "parse",
    "render",
    "simplify",
    "to_json",
]
