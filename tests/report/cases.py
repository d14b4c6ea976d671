"""Facts for pages, made without fitting anything."""

import numpy as np

from gnri.counts.counter import Counter
from gnri.data.target import Target
from gnri.estimator.fitting import Fitted
from gnri.estimator.leaf_counts import LeafCounts
from gnri.estimator.settings import FitSettings
from gnri.estimator.statistics import measure_rules
from gnri.report.facts import Facts
from gnri.rules.rule_list import RuleList

SYMMETRY = {"rows 1": True, "negations 1": None, "label": False}


def facts(rules: RuleList, rows: int = 40, *, seed: int = 0) -> Facts:
    """A page's facts for these rules on random rows."""
    rng = np.random.default_rng(seed)
    values = rng.choice(np.array([-1, 0, 1], np.int8), (rows, len(rules.schema.atoms)))
    codes = rng.integers(len(rules.classes), size=rows).astype(np.int32)
    counter = Counter.from_values(values, codes, len(rules.classes))
    missing = {**dict.fromkeys((atom.column for atom in rules.schema.atoms), 3), "same": 0}
    fitted = Fitted(
        settings=FitSettings(),
        target=Target("class", np.array(rules.classes), {}, rows),
        columns=tuple(missing),
        learnt=rules,
        rule_list=rules,
        minimized=rules,
        groups=((1,),),
        leaf_counts=LeafCounts((), ()),
        statistics=measure_rules(counter, rules),
        sizes=tuple(map(int, counter.rows)),
        missing=missing,
        seconds=0.0,
        codes=codes,
        answers=rules.choose(values).astype(np.int32),
    )
    return Facts(fitted, None, "not asked for", SYMMETRY, "The same table gives the same rules.")
