"""Figures of several seeds in one cell."""

from collections.abc import Sequence
from statistics import mean, stdev


def spread_of(found: Sequence[float]) -> str:
    """Mean and deviation, as 0.930 ± 0.015; the figure alone where there is one, else a dash.

    >>> spread_of([0.5, 0.7]), spread_of([0.5]), spread_of([])
    ('0.600 ± 0.141', '0.500', '-')
    """
    if not found:
        return "-"
    middle = f"{mean(found):.3f}"
    return middle if len(found) == 1 else f"{middle} ± {stdev(found):.3f}"


def share_of(share: float) -> str:
    """Three places, cut and not rounded, so that only an exact 1 reads as 1.000.

    >>> share_of(0.99999), share_of(1.0)
    ('0.999', '1.000')
    """
    return f"{int(share * 1000) / 1000:.3f}"
