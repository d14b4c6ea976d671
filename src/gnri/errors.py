"""The errors that gnri raises on bad input.

A message says what was expected, what was given, and what to do about it.
"""


class GnriError(ValueError):
    """The base of every error that bad input can cause."""


class ShapeError(GnriError):
    """Arrays whose sizes do not fit together."""


class EncodingError(GnriError):
    """A cell or a label outside {-1, 0, +1}, or a score outside [0, 1]."""


class RuleError(GnriError):
    """An invalid rule: an atom out of range, an unknown JSON version."""


class RuleSyntaxError(RuleError):
    """A rule text that cannot be read."""


class SymmetryError(GnriError):
    """Not a permutation, or a symmetry of the wrong size."""


class CheckpointError(GnriError):
    """Weights of another program, or an incomplete file."""


class RecipeError(GnriError):
    """A training recipe with an unknown or impossible setting."""
