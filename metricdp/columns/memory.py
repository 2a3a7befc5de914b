"""Blocks of memory that are asked for again and again stay with the process.

glibc gives blocks of the size of a piece back to the system at every release, and each new one
costs its pages again, five times the arithmetic; it stops doing so once it has released a larger
one.
"""

import numpy as np

np.empty(1 << 21)
