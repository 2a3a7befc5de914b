"""Applications on top of the library; thin."""
