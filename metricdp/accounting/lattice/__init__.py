"""lattice: compositions on lattices from above and from below, in bounded doubles."""
