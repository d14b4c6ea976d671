"""Exact counts over packed rows, wherever the rows are."""
