"""The packages that learning takes, loaded when there is something to learn."""

import gc
from functools import cache


@cache
def load_packages() -> None:
    """Import what finds rules, with torch behind it.

    They stay until the process ends. So they are kept from the garbage collector, which would go
    through their million objects again and again while they load, and once more at the end.
    """
    gc.disable()
    try:
        import gnri.estimator.plain  # noqa: F401
    finally:
        gc.freeze()
        gc.enable()
