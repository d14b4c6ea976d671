"""Every claim has a verdict, a reason and the rows that decide it."""

import re
from inspect import signature
from pathlib import Path

import pytest

from studies.paper import studies
from studies.paper.claim_figures import NotMeasuredError, by_group, chosen, figure, gap, paired
from studies.paper.claims import (
    COMPARISONS,
    QUESTIONS,
    claims_of,
    claims_page,
    statistic_named,
    verdict_on,
)
from studies.study import Context, Protocol, load_protocol
from tests.studies.paper.public_rows import capability_row, write

ROOT = Path(__file__).parents[3]
EVERY = [claim for question in QUESTIONS for claim in claims_of(question)]
PAGE = (ROOT / "docs" / "reproduction.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("claim", EVERY, ids=[claim["claim"][:60] for claim in EVERY])
def test_a_claim_says_what_decides_it(claim: dict) -> None:
    assert claim["claim"] and claim["paper"] and claim["why"]
    assert not any("|" in str(claim[key]) for key in ("claim", "paper", "why"))
    if "verdict" in claim:
        assert set(claim) == {"claim", "paper", "ours", "verdict", "why"}
        return
    assert claim["study"] in (*studies(), "")
    comparison, bound = claim["is"].split()
    assert comparison in COMPARISONS and float(bound) is not None
    signature(statistic_named(claim["by"])).bind(None, [], **claim.get("of", {}))


@pytest.mark.parametrize("claim", EVERY, ids=[claim["claim"][:60] for claim in EVERY])
def test_a_claim_is_decided_by_committed_rows(claim: dict) -> None:
    context = Context(ROOT / "results", protocol=load_protocol())
    ours, verdict = verdict_on(claim, context)
    assert verdict.strip("*") in ("confirmed", "not confirmed", "not testable") or "](" in verdict
    assert ours and "|" not in ours


def test_the_page_opens_with_the_claims_and_has_every_study() -> None:
    opening = PAGE[: PAGE.index("\n## ")]
    assert "<!-- end claims -->" in opening
    for number, claim in enumerate(claims_of("RQ2"), 1):
        assert f"| RQ2.{number} | {claim['claim']} |" in opening
    for name in studies():
        assert f"<!-- begin {name} -->" in PAGE


def test_no_claim_twice() -> None:
    assert len({claim["claim"] for claim in EVERY}) == len(EVERY)


def test_sections_that_the_reasons_name_are_there() -> None:
    decisions = (ROOT / "docs" / "decisions.md").read_text(encoding="utf-8")
    anchors = {
        re.sub(r"[^a-z -]", "", title.lower()).replace(" ", "-")
        for title in re.findall(r"^## (.*)$", decisions, re.MULTILINE)
    }
    named = re.findall(r"decisions\.md#([a-z-]+)", " ".join(claim["why"] for claim in EVERY))
    assert named and set(named) <= anchors


def rows_in(folder: Path, values: dict[str, list[float]]) -> Context:
    """A study of two conditions: a figure for each seed, the same at two widths."""
    context = Context(folder, protocol=Protocol({"scaling": {}}))
    rows = [
        {"condition": name, "seed": seed, "atoms": atoms, "share": value}
        for name, some in values.items()
        for seed, value in zip(("42", "43", "44", "45", "46", "shipped"), some, strict=False)
        for atoms in (6, 12)
    ]
    write(context, "scaling", rows)
    return context


def test_figures_gaps_and_paired_tests(tmp_path: Path) -> None:
    context = rows_in(tmp_path, {"a": [0.5, 0.6, 0.7, 0.8, 0.9, 0.0], "b": [0.4] * 5 + [1.0]})
    rows = context.rows("scaling")
    first, second = {"condition": "a"}, {"condition": "b"}
    assert figure(context, rows, "share", first)[0] == pytest.approx(0.7)
    assert figure(context, rows, "share", {"seed": "shipped"}, "most")[0] == 1
    assert figure(context, rows, "share", {}, "least", per="condition")[0] == 0.5
    number, said = gap(context, rows, "share", first, second, per="atoms")
    assert number == pytest.approx(0.3) and said == "+0.300 at 6, +0.300 at 12"
    assert paired(context, rows, "share", first, second, per="atoms")[0] == 2 / 32
    assert paired(context, rows, "share", first, second, per="atoms", lower=True)[0] == 1
    assert by_group(rows, "share", second, "seed") == {(str(s),): 0.4 for s in range(42, 47)}
    assert {row["atoms"] for row in chosen(rows, {"atoms": ["1?"]})} == {"12"}


def test_what_is_not_measured_decides_nothing(tmp_path: Path) -> None:
    context = Context(tmp_path, protocol=load_protocol())
    with pytest.raises(NotMeasuredError):
        figure(context, context.rows("scaling"), "support_accuracy", {})
    decided = [claim for claim in EVERY if claim.get("study")]
    assert claims_page(context).count("not measured yet") == len(decided)


def test_a_table_that_is_not_measured_decides_nothing(tmp_path: Path) -> None:
    context = Context(tmp_path, protocol=load_protocol())
    write(context, "capability", [capability_row("vote", c, 0.9) for c in ("nri", "gnri", "cart")])
    (line,) = (
        line for line in claims_page(context).splitlines() if "each table most on car" in line
    )
    assert "| not measured yet |" in line
