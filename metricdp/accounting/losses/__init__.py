"""losses: laws of the privacy loss ln dP/dQ, one file per dominating pair."""
