"""Primitives: gradients."""
