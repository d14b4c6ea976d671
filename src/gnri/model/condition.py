"""The paper's conditions, as switches on one implementation."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Condition:
    """Which of the paper's five components are in force.

    The first two name what the baseline has and component 1 and 2 take away; the others name
    what components 3 to 5 add. `tie_complete` covers pair selection, the polarity average of
    pair embeddings and tie-symmetric mutual exclusion.
    """

    literal_sign: bool
    content_keys: bool
    label_average: bool = False
    tie_complete: bool = False
    canonical_export: bool = False
    symmetrised_training: bool = False


CONDITIONS = {
    "nri": Condition(literal_sign=True, content_keys=True),
    "eqarch": Condition(literal_sign=False, content_keys=False),
    "+tta": Condition(literal_sign=False, content_keys=False, label_average=True),
    "+export": Condition(
        literal_sign=False,
        content_keys=False,
        label_average=True,
        tie_complete=True,
        canonical_export=True,
    ),
    "gnri": Condition(
        literal_sign=False,
        content_keys=False,
        label_average=True,
        tie_complete=True,
        canonical_export=True,
        symmetrised_training=True,
    ),
}
"""`+tta` and `+export` read the weights of `eqarch`: they differ at inference only."""
