"""The paper's tables and figures again, ours beside the paper's, from committed rows."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from gnri.errors import GnriError
from studies import read_data

if TYPE_CHECKING:
    from studies.study import Study

PUBLISHED: dict[str, Any] = read_data("studies.paper", "published.toml")  # the paper's own figures
NOT_ORIGINAL = ("mutag", "clevr-hans3")  # tables whose atoms are not the paper's
MODULES = (
    *("rule_equality", "scorers", "drift", "native_forward", "scaling", "readouts", "cost"),
    *("capability", "rule_quality", "stress", "headline"),
)
LEFT_OUT = "car"  # the table that must be left out for the paper's numbers of tables to come out


def studies() -> "dict[str, Study]":
    """Return the studies in the order of the paper; those that read others' rows stand last."""
    from studies.study import Study

    modules = (vars(import_module(f"studies.paper.{name}")) for name in MODULES)
    found = (value for module in modules for value in module.values() if isinstance(value, Study))
    return {study.name: study for study in found}


def study_named(name: str) -> "Study":
    """Return one of the studies."""
    found = studies()
    if name not in found:
        raise GnriError(f"the studies are {', '.join(found)}, got {name!r}")
    return found[name]
