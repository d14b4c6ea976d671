"""Every study by name."""

from gnri.errors import GnriError
from gnri.reproduce.study import Study


def studies() -> dict[str, Study]:
    """The studies in the order of the paper; those that read others' rows come after them."""
    from gnri.reproduce import (
        cost,
        decomposition,
        drift,
        rule_eq,
        scaling,
        schema_rule_eq,
    )

    modules = (
        rule_eq,
        schema_rule_eq,
        drift,
        scaling,
        decomposition,
        cost,
    )
    return {module.STUDY.name: module.STUDY for module in modules}


def study_named(name: str) -> Study:
    """One of the studies."""
    found = studies()
    if name not in found:
        raise GnriError(f"the studies are {', '.join(found)}, got {name!r}")
    return found[name]
