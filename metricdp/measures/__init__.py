"""measures: events of mechanisms, their composition, and readings of it."""
