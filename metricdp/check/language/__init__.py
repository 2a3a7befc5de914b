"""Python's own semantics over the domain: statements, expressions, calls."""
