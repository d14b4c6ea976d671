"""`guided`: from an episode to scores in the paper's interface, by way of counts."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gnri.counts.spelling import spelt
from gnri.counts.table import Table, tabulate
from gnri.episode import Episode
from gnri.model.guided.architecture import GuidedNetwork
from gnri.model.guided.candidates import Candidate, Judge, choose
from gnri.model.guided.inference import Reading, read
from gnri.model.guided.rule_decoder import CLAUSES, PACES
from gnri.model.threads import one_thread
from gnri.scores import Scores


class Guided:
    """The guided network with its name: `guided(episode)` gives the scores of both rails.

    `sha256` and `recipe` say which weights these are and how they were trained, if they were.
    """

    def __init__(
        self,
        network: GuidedNetwork,
        name: str = "guided",
        sha256: str = "",
        recipe: dict[str, Any] | None = None,
    ) -> None:
        self.network = network.double().eval().requires_grad_(False)
        self.name = name
        self.sha256 = sha256
        self.recipe = recipe

    def judge(self, table: Table) -> Judge:
        """What the network reads in a table, ready to weigh rules for it."""
        return self._judges([table], PACES)[0]

    def glances(self, tables: Sequence[Table]) -> list[Judge | None]:
        """The same from one rule on each rail, written at the decoder's own pace.

        Tables are read side by side; None for one in which there is nothing to tell apart.
        """
        judges = iter(self._judges([one for one in tables if one.decidable], PACES[:1]))
        return [next(judges) if one.decidable else None for one in tables]

    def _judges(self, tables: Sequence[Table], paces: Sequence[float]) -> list[Judge]:
        rails = [rail for table in tables for rail in table.rails]
        with one_thread():
            readings = iter(read(self.network, rails, paces))
        both = zip(readings, readings, strict=True)
        pairs = zip(tables, both, strict=True)
        return [Judge(self.network.critic, table, pair) for table, pair in pairs]

    def __call__(self, episode: Episode) -> Scores:
        """Scores of the rails that read the labels as given and swapped."""
        table = tabulate(episode)
        if not table.decidable:
            return _scores(table, None, [], episode.atoms)
        judge = self.judge(table)
        return _scores(table, choose(judge.written)[0], judge.readings, episode.atoms)


def _scores(
    table: Table, best: Candidate | None, readings: Sequence[Reading], atoms: int
) -> Scores:
    """A rule as scores: its literals above a half, by how surely the decoder chose them."""
    clauses = best.clauses if best else frozenset()
    written = spelt([[table.classes[i] for i in clause] for clause in clauses])
    slots = max(CLAUSES, len(written))
    literals, gates = np.zeros((2, slots, atoms, 2)), np.zeros((2, slots))
    if best is None or not written:
        return Scores(literals, gates)
    lead = max(rule.lead for rule in readings[best.rail].rules if rule.clauses == best.clauses)
    for slot, clause in enumerate(written):
        gates[best.rail, slot] = 1.0
        for literal in clause:
            place = best.rail, slot, literal.atom, 1 - literal.positive
            literals[place] = (1 + np.tanh(lead / 2)) / 2
    return Scores(literals, gates)
