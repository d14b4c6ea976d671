"""A rule for each class against the rest, against plain argmax over fractions."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gnri.rules.dnf import SignedDNF
from studies.benchmarks.one_against_rest import one_against_rest

ATOMS = 3
LITERALS = st.tuples(st.integers(0, ATOMS - 1), st.booleans())
RULES = st.one_of(
    st.none(),
    st.builds(SignedDNF, st.lists(st.lists(LITERALS, max_size=2), max_size=2), st.booleans()),
)
ROWS = st.lists(st.tuples(*[st.integers(-1, 1)] * ATOMS, st.integers(0, 3)), min_size=8)


@given(ROWS, st.integers(2, 4), st.lists(RULES, min_size=4, max_size=4))
def test_the_class_of_the_best_score_is_answered(rows, classes: int, rules) -> None:
    table = np.array(rows, np.int8)
    values, codes = table[:, :ATOMS], table[:, ATOMS].astype(np.intp) % classes
    codes[:classes] = range(classes)
    given = iter(rules)
    fitted = one_against_rest(lambda _: next(given))(values, codes)
    slow = [_slowly(row, values, codes, fitted.rules) for row in values]
    assert fitted.predict(values).tolist() == slow


def _slowly(row, values, codes, rules) -> int:
    """The best (t + 1) / (n + 2), then the larger class, then the first."""
    truths = [0 if rule is None else int(rule.evaluate(row[None])[0]) for rule in rules]
    if len(rules) == 1:
        return {1: 1, -1: 0, 0: int(2 * sum(codes) > len(codes))}[truths[0]]
    keys = []
    for kind, (rule, truth) in enumerate(zip(rules, truths, strict=True)):
        side = [truth == 0 or rule.evaluate(other[None])[0] == truth for other in values]
        members = int(np.sum((codes == kind) & side))
        keys.append((Fraction(members + 1, sum(side) + 2), int(np.sum(codes == kind)), -kind))
    return keys.index(max(keys))
