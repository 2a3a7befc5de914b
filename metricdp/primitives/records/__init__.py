"""Primitives: records."""
