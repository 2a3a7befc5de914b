"""Primitives: texts."""
