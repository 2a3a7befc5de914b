"""Primitives: mechanisms."""
