"""Benchmarks against other learners."""
