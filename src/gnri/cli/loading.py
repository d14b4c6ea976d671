"""The packages that learning takes, loaded when there is something to learn."""

from functools import cache

from gnri.processes import kept_for_good


@cache
def load_packages() -> None:
    """Import what finds rules, with torch behind it."""
    with kept_for_good():
        import gnri.estimator.plain  # noqa: F401
