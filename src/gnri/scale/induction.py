"""The rule of a table that is counted where it is: as `induce` finds it for one in memory."""

from collections.abc import Sequence
from dataclasses import replace

from gnri.counts.counted import Counter
from gnri.counts.rail import Clause
from gnri.counts.table import Table
from gnri.induction import best_rule, candidates, written
from gnri.model.guided.candidates import Candidate, Judge
from gnri.model.guided.guided import Guided
from gnri.rules.dnf import SignedDNF
from gnri.rules.row_expression import NOTHING, Rows
from gnri.search.limits import Limits


class CountingJudge(Judge):
    """A judge that knows rules with the same answers by a digest of the rows they cover."""

    def weigh(self, rules: Sequence[tuple[int, frozenset[Clause]]]) -> list[Candidate]:
        weighed = super().weigh(rules)
        covered = [self._covered(*rule) for rule in rules]
        found = _counter(self.table).answers(covered)
        return [replace(one, says=says) for one, says in zip(weighed, found, strict=True)]

    def _covered(self, number: int, clauses: frozenset[Clause]) -> Rows:
        """Where the rule says yes: on rail 1, where none of its clauses holds."""
        rail = self.table.rails[number]
        rows: Rows = NOTHING
        for clause in clauses:
            rows = rows | rail.cover(clause)[0]
        return ~rows if number else rows


def induce_table(inducer: Guided, table: Table, limits: Limits) -> SignedDNF | None:
    """The best of what the model wrote and of what the search made of it."""
    if not table.decidable:
        return None
    return best_rule(table, candidates(_counting(inducer.judge(table)), limits), limits)


def glance_tables(
    inducer: Guided, tables: Sequence[Table], limits: Limits
) -> list[SignedDNF | None]:
    """The model's rules before any search."""
    judges = inducer.glances(tables)
    return [None if one is None else written(_counting(one), limits) for one in judges]


def _counting(judge: Judge) -> CountingJudge:
    return CountingJudge(judge.critic, judge.table, judge.readings)


def _counter(table: Table) -> Counter:
    counter: Counter = table.rails[0].counter  # type: ignore[attr-defined]
    return counter
