"""Rules out of the library: words, JSON, SQL, Python, Prolog, LaTeX and tables."""

from gnri.formats.explanation import Explanation
from gnri.formats.latex import to_latex
from gnri.formats.literal_frame import to_frame
from gnri.formats.prolog import to_prolog
from gnri.formats.python_source import to_python
from gnri.formats.sql import to_sql
from gnri.formats.text import to_text
from gnri.rules.minimize import shortened
from gnri.rules.rule_list import RuleSet
from gnri.rules.rule_list_documents import load_ruleset, read_ruleset, save_ruleset, to_json

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
