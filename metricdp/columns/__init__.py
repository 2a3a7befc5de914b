"""Columns: private rows, what is done with them in one small language, and its evaluators."""
