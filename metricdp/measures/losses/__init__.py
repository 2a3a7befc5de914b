"""losses: laws of the privacy loss ln dP/dQ, and two engines that compose them, certified."""
