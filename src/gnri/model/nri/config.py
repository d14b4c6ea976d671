"""The size of a network, saved with its weights.

The paper's conditions, as switches on one implementation.
"""

from dataclasses import dataclass

from gnri.errors import RecipeError


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """One dial, `width`; the rest are the paper's counts.

    `content_atoms` is the number of columns that content keys are trained on; it is read only
    by the baseline, the one condition that has such keys. The released NRI trains with a dropout
    of 0.1; without it rules hold up better on wide tables (docs/log.md).
    """

    width: int = 384
    slots: int = 8
    layers: int = 3
    heads: int = 4
    pairs: int = 8
    pair_width: int = 16
    content_width: int = 64
    content_atoms: int = 12
    dropout: float = 0.0

    def __post_init__(self) -> None:
        if self.heads < 1 or self.width % self.heads:
            raise RecipeError(
                f"model.width must be a multiple of model.heads, got {self.width} and {self.heads}"
            )


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
