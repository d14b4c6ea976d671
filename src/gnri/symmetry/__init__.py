"""The symmetry group, its action, and the audit of learners."""
