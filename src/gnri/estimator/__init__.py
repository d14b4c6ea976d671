"""Fit rules to a table; statistics and cross-validation."""
