"""accounting: numbers alone, certified: curves, laws of privacy losses, and two engines."""
