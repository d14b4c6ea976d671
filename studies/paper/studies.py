"""Every study by name."""

from gnri.errors import GnriError
from studies.paper.study import Study


def studies() -> dict[str, Study]:
    """The studies in the order of the paper; those that read others' rows come after them."""
    from studies.paper import (
        capability,
        cost,
        decomposition,
        drift,
        headline_stats,
        lift,
        rule_eq,
        rule_examples,
        rule_quality,
        scaling,
        schema_rule_eq,
        stress,
    )

    modules = (
        rule_eq,
        schema_rule_eq,
        drift,
        scaling,
        decomposition,
        cost,
        capability,
        lift,
        rule_quality,
        rule_examples,
        stress,
        headline_stats,
    )
    return {module.STUDY.name: module.STUDY for module in modules}


def study_named(name: str) -> Study:
    """One of the studies."""
    found = studies()
    if name not in found:
        raise GnriError(f"the studies are {', '.join(found)}, got {name!r}")
    return found[name]
