"""Primitives: matrices."""
