"""From an interpreted function to its guarantee, its claims, its diagnostics."""
