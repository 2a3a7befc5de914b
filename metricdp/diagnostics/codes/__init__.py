"""Explanations of every code, one module per theme."""
