"""Logic rules from labelled tables: zero-shot, readable, and exactly symmetric."""

from importlib import import_module
from typing import Any

_MODULES = {
    "gnri.classifier": ("RuleClassifier",),
    "gnri.data.binarizer": ("Binarizer",),
    "gnri.data.schema": ("Schema",),
    "gnri.episode": ("Episode",),
    "gnri.estimator.statistics": ("ClauseStatistics", "RuleStatistics"),
    "gnri.formats.explanation": ("Explanation",),
    "gnri.induction": ("Induction", "induce"),
    "gnri.model.load": ("load_model",),
    "gnri.model.paper_export": ("ExportResult", "canonical_export"),
    "gnri.rules.dnf": ("Literal", "SignedDNF"),
    "gnri.rules.documents": ("load_rules", "save_rules"),
    "gnri.rules.equivalence": ("equivalent",),
    "gnri.rules.rule_list": ("RuleList", "Step"),
    "gnri.rules.scorecard": ("Scorecard",),
    "gnri.rules.syntax": ("parse",),
    "gnri.scores": ("Scores",),
    "gnri.symmetry.audit": ("audit",),
    "gnri.symmetry.audit_report": ("AuditReport",),
    "gnri.symmetry.group": ("Symmetry",),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}

__all__ = ["__version__", *_MODULE_OF]


def __getattr__(name: str) -> Any:
    """Import a public name on first use, so that `import gnri` is fast."""
    if name == "__version__":
        from importlib.metadata import version

        return version("gnri")
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'gnri' has no attribute {name!r}")
    return getattr(import_module(_MODULE_OF[name]), name)


def __dir__() -> list[str]:
    """Return the public names as well, which are not imported yet."""
    return [*globals(), *__all__]
