"""Every error gnri raises on bad input, in one family.

    GnriError (a ValueError)
    ├── ShapeError          arrays whose sizes do not fit together
    ├── EncodingError       a cell or a label outside {-1, 0, +1}, or a score outside [0, 1]
    ├── RuleError           a rule that cannot be: atom out of range, unknown JSON version
    │   └── RuleSyntaxError a rule text that cannot be read
    ├── SymmetryError       not a permutation, or a transform of the wrong size
    ├── CheckpointError     weights that are not ours, or not whole
    └── RecipeError         a training recipe with an unknown or impossible setting

A message says what was expected, what came, and what to do about it.
"""


class GnriError(ValueError):
    """The base of every error that bad input can cause."""


class ShapeError(GnriError):
    """Arrays whose sizes do not fit together."""


class EncodingError(GnriError):
    """A cell or a label outside {-1, 0, +1}, or a score outside [0, 1]."""


class RuleError(GnriError):
    """A rule that cannot be."""


class RuleSyntaxError(RuleError):
    """A rule text that cannot be read."""


class SymmetryError(GnriError):
    """A transform that is not one, or that does not fit what it is applied to."""


class CheckpointError(GnriError):
    """Weights that are not ours, or not whole."""


class RecipeError(GnriError):
    """A training recipe with an unknown or impossible setting."""
