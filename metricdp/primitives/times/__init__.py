"""Primitives: dates and times."""
