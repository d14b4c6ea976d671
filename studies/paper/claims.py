"""What the paper claims, each with the test that decides it on our rows."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from studies.paper.study import Results

LEVEL = 0.05


class Found(NamedTuple):
    """What a test gave, and whether the claim holds by it."""

    holds: bool
    figures: str


class Claim(NamedTuple):
    """A claim of the paper in short, how it is decided, and the deciding itself.

    `decide` answers None where the rows it needs are not all there.
    """

    says: str
    test: str
    decide: Callable[[Results], Found | None]


def claims_table(results: Results) -> str:
    """Every claim with its verdict, by research question."""
    from studies.paper.claims_rq1 import RQ1
    from studies.paper.claims_rq2 import RQ2
    from studies.paper.claims_rq3 import RQ3

    parts = ["# Claims\n"]
    questions: dict[str, Sequence[Claim]] = {"RQ1": RQ1, "RQ2": RQ2, "RQ3": RQ3}
    for question, claims in questions.items():
        body = [[claim.says, claim.test, *_verdict(claim.decide(results))] for claim in claims]
        parts += [f"## {question}\n", _table(["claim", "decided by", "found", "verdict"], body)]
    return "\n".join(parts)


def _table(head: list[str], body: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *body]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def _verdict(found: Found | None) -> tuple[str, str]:
    if found is None:
        return "-", "not measured yet"
    return found.figures, "confirmed" if found.holds else "**not confirmed**"


def p_value(p: float) -> str:
    """A p-value as it is said in a sentence."""
    return "p < 0.0001" if p < 1e-4 else f"p = {p:.4f}"
