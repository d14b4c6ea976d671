"""Logic rules from labelled tables: zero-shot, readable, and exactly symmetric."""

from importlib import import_module
from typing import Any

_HOME = {
    "Binarizer": "gnri.data.binarizer",
    "Episode": "gnri.episode",
    "Induction": "gnri.induction",
    "Literal": "gnri.rules.dnf",
    "RuleClassifier": "gnri.classifier",
    "SignedDNF": "gnri.rules.dnf",
    "Symmetry": "gnri.symmetry.group",
    "audit": "gnri.symmetry.audit",
    "equivalent": "gnri.rules.equivalence",
    "induce": "gnri.induction",
    "load_model": "gnri.model.load",
    "parse": "gnri.rules.syntax",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    """Import a public name on first use, so that `import gnri` loads neither torch nor sklearn."""
    if name not in _HOME:
        raise AttributeError(f"module 'gnri' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
