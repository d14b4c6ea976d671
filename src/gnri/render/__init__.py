"""Rules out of the library: words, JSON, SQL, Python, Prolog, LaTeX and tables."""

from gnri.render.classifier import RuleSet
from gnri.render.document import load_ruleset, to_json
from gnri.render.explain import Explanation
from gnri.render.frame import to_frame
from gnri.render.latex import to_latex
from gnri.render.prolog import to_prolog
from gnri.render.python import to_python
from gnri.render.saved import read_ruleset, save_ruleset
from gnri.render.shorten import shortened
from gnri.render.sql import to_sql
from gnri.render.text import to_text

__all__ = [
    "Explanation",
    "RuleSet",
    "load_ruleset",
    "read_ruleset",
    "save_ruleset",
    "shortened",
    "to_frame",
    "to_json",
    "to_latex",
    "to_prolog",
    "to_python",
    "to_sql",
    "to_text",
]
