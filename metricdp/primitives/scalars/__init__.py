"""Primitives: scalars."""
