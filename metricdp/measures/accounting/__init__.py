"""accounting: what mechanisms cost together, from both sides, under a neighbouring relation."""
