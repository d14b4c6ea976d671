"""Every kind of change at once: the audit of the library on the person's table."""

import json
from collections.abc import Callable
from typing import Any

from gnri.episode import Episode
from gnri.errors import GnriError
from gnri.estimator.baselines import cart, greedy
from gnri.rules.dnf import SignedDNF
from gnri.symmetry.audit import audit
from gnri.symmetry.transforms import TRANSFORMS
from gnri.web.work import Report
from gnri.web.work.induce import rule_of
from gnri.web.work.learnt import Learnt

LEARNERS: dict[str, Callable[[Episode], SignedDNF | None]] = {
    "rule": rule_of,
    "tree": cart(),
    "greedy": greedy,
}
MOST_RULES = 3
"""Of more rules than these, the first ones are tried."""


def run_audit(learnt: Learnt, learner: str, seed: int, report: Report) -> dict[str, Any]:
    """The report of the audit, with what it was made on."""
    if learner not in LEARNERS:
        raise GnriError(f"a learner is one of {', '.join(LEARNERS)}; got {learner!r}")
    episodes = list(learnt.episodes.values())[:MOST_RULES]
    steps, done = len(episodes) * (1 + len(TRANSFORMS)), 0

    def counted(episode: Episode) -> SignedDNF | None:
        nonlocal done
        rule = LEARNERS[learner](episode)
        done += 1
        report(done / steps, f"{done} of {steps} rules induced")
        return rule

    found: dict[str, Any] = json.loads(audit(counted, episodes, seed=seed).to_json())
    return found
