"""RQ1: is the exported rule exactly equivariant?"""

from typing import NamedTuple


class RuleEq(NamedTuple):
    """A row of tab:ruleeq: the worst case over the transforms; None where the paper has none."""

    rule_eq: float | None
    rule_eq_ne: float | None
    coverage: float | None


RULE_EQ = {
    "gnri": RuleEq(1.000, 1.000, 0.817),
    "native forward": RuleEq(0.967, 0.966, None),
    "dual rail": RuleEq(0.35, None, None),  # Appendix A: "approximately"
}
"""Rule-level equivariance (tab:ruleeq), the synthetic rows; and one ablation of Appendix A."""

REAL_RULE_EQ = {
    "17 of 19": RuleEq(1.000, 1.000, 1.000),
    "mushroom, mutag": RuleEq(0.785, 0.785, 0.867),
}
"""Rule-level equivariance (tab:ruleeq), the real rows, on raw transforms."""


class Schema(NamedTuple):
    """A row of the table of schema groups (tab:schema-ruleeq)."""

    atoms: int
    blocks: int
    log_order: float
    schema_rule_eq: float
    raw_rule_eq: float


SCHEMAS = {
    "adult": Schema(105, 8, 87.33, 1.0, 1.0),
    "mushroom": Schema(116, 21, 58.16, 1.0, 0.905),
    "german-credit": Schema(61, 13, 21.25, 1.0, 1.0),
    "credit-approval": Schema(46, 9, 20.04, 1.0, 1.0),
    "kr-vs-kp": Schema(73, 36, 11.31, 1.0, 1.0),
    "nursery": Schema(27, 8, 8.25, 1.0, 1.0),
    "tic-tac-toe": Schema(27, 9, 7.00, 1.0, 1.0),
    "car": Schema(21, 6, 6.48, 1.0, 1.0),
    "vote": Schema(32, 16, 4.82, 1.0, 1.0),
    "monks-1": Schema(17, 6, 4.32, 1.0, 1.0),
    "monks-2": Schema(17, 6, 4.32, 1.0, 1.0),
    "monks-3": Schema(17, 6, 4.32, 1.0, 1.0),
    "hepatitis": Schema(32, 13, 3.91, 1.0, 1.0),
    "breast-cancer-wisconsin": Schema(9, 0, 0.0, 1.0, 1.0),
    "clevr-hans3": Schema(105, 0, 0.0, 1.0, 1.0),
    "diabetes": Schema(8, 0, 0.0, 1.0, 1.0),
    "ionosphere": Schema(34, 0, 0.0, 1.0, 1.0),
    "mutag": Schema(51, 0, 0.0, 1.0, 0.875),
    "spambase": Schema(57, 0, 0.0, 1.0, 1.0),
}
