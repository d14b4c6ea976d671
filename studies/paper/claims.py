"""What the paper claims, each with the statistic of our rows that decides it."""

from operator import eq, le, lt

from studies import read_data
from studies.paper import claim_statistics
from studies.study import Context

COMPARISONS = {"=": eq, "<": lt, "<=": le}
HEAD = ("claim", "decided by", "found", "verdict")


def claims_table(context: Context) -> str:
    """Return every claim with its verdict, by research question."""
    parts = ["# Claims\n"]
    for question, claims in read_data("studies.paper", "claims.toml").items():
        lines = [HEAD, ["---"] * 4]
        lines += [[claim["claim"], claim["test"], *_verdict(claim, context)] for claim in claims]
        parts += [f"## {question}\n", *(f"| {' | '.join(line)} |" for line in lines), ""]
    return "\n".join(parts)


def _verdict(claim: dict[str, str], context: Context) -> tuple[str, str]:
    """Return what was found, and whether it is what the claim asks for."""
    statistic = getattr(claim_statistics, claim["statistic"])
    found = statistic(context, claim["of"]) if "of" in claim else statistic(context)
    if found is None:
        return "-", "not measured yet"
    comparison, bound = claim["must_be"].split()
    holds = COMPARISONS[comparison](found[0], float(bound))
    return found[1], "confirmed" if holds else "**not confirmed**"
