"""Logic rules from labelled tables: zero-shot, readable, and exactly symmetric."""

from importlib import import_module
from typing import Any

_HOME = {
    "Episode": "gnri.episodes.episode",
    "Literal": "gnri.logic.formula",
    "SignedDNF": "gnri.logic.formula",
    "Symmetry": "gnri.symmetry.group",
    "equivalent": "gnri.logic.equivalence",
    "parse": "gnri.logic.text",
}

__all__ = sorted(_HOME)  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    """Import a public name on first use, so that `import gnri` loads neither torch nor sklearn."""
    if name not in _HOME:
        raise AttributeError(f"module 'gnri' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
