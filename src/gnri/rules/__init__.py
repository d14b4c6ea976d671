"""Boolean rules: what they are, what they mean, how they are compared, written and read."""

from gnri.rules.dnf import Clause, Literal, SignedDNF, clause, coverage, evaluate
from gnri.rules.documents import from_json, to_json
from gnri.rules.equivalence import equivalent
from gnri.rules.simplify import absorb, blake, drop_contradictions, simplify
from gnri.rules.syntax import parse, render

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
