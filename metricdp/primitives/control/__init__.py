"""Primitives: control."""
