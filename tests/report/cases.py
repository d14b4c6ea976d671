"""Facts for pages, made without fitting anything."""

import numpy as np

from gnri.counts.counter import Counter
from gnri.estimator.statistics import rule_cards
from gnri.report.facts import Column, Confusion, Facts, Verdict
from gnri.rules.rule_list import RuleList

VERDICTS = (
    Verdict("rows in another order", "the same rule", True),
    Verdict("some columns negated", "the same rule, their literals negated", None),
    Verdict("the two labels swapped", "the complement of the rule", False),
)


def facts(rules: RuleList, rows: int = 40, *, seed: int = 0) -> Facts:
    """A page's facts for these rules on random rows."""
    rng = np.random.default_rng(seed)
    values = rng.choice(np.array([-1, 0, 1], np.int8), (rows, len(rules.schema.atoms)))
    codes = rng.integers(len(rules.classes), size=rows).astype(np.int32)
    answers = rules.choose(values).astype(np.int32)
    counts = np.zeros((len(rules.classes),) * 2, np.int64)
    np.add.at(counts, (codes, answers), 1)
    atoms = {
        atom.column: [a for a in rules.schema.atoms if a.column == atom.column]
        for atom in rules.schema.atoms
    }
    return Facts(
        ruleset=rules,
        cards=rule_cards(Counter.from_values(values, codes, len(rules.classes)), rules),
        codes=codes,
        answers=answers,
        confusions=(Confusion("On the training rows", "A note.", counts),),
        columns=(*(Column(n, tuple(a), 3) for n, a in atoms.items()), Column("same", (), None)),
        symmetry=VERDICTS,
        recipe="classifier = RuleClassifier()",
        again="The same table gives the same rules.",
        versions="gnri 1, Python 3",
    )
