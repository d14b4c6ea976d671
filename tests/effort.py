"""How hard a property is tried."""

from hypothesis import settings

half_as_often = settings(max_examples=settings.default.max_examples // 2)
"""For a property that is no law of symmetry, and whose examples take long."""
