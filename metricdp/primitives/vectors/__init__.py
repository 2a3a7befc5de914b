"""Primitives: vectors."""
