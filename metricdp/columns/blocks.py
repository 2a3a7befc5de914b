"""NumPy arrays as the elementary functions see them, block by block.

Only operations that IEEE 754 rounds correctly, or that are exact, are used: their results do not
depend on where an entry stands. NumPy's own exp, log, sin, ... are not of that kind.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any, TypeAlias

import numpy as np

import metricdp.columns.memory  # noqa: F401
from metricdp.columns.constants import LARGEST, Lookup, pattern

Doubles: TypeAlias = "np.ndarray[Any, np.dtype[np.float64]]"
#: A few temporaries of that many doubles stay in the second cache.
BLOCK = 32_768


def finite(x: Doubles) -> Doubles:
    """NaN counts as 0.0, an infinity as the largest double: as in data that enter."""
    return np.nan_to_num(x, nan=0.0, posinf=LARGEST, neginf=-LARGEST)


def bits(x: Doubles) -> Any:
    """The 64 bits of each double, as signed integers: a view."""
    return x.view(np.int64)


def double(pattern: Any) -> Doubles:
    """The doubles with these bits: a view."""
    found: Doubles = pattern.view(np.float64)
    return found


def whole(n: Any) -> Doubles:
    """Small integers as doubles."""
    found: Doubles = n.astype(np.float64)
    return found


def floor(x: Doubles) -> Doubles:
    """The largest whole numbers that are not above x."""
    found: Doubles = np.floor(x)
    return found


def where(condition: Any, yes: Any, no: Any) -> Any:
    """Entry by entry, one of two: by bits, since branches on data are guessed wrong."""
    chosen = condition.astype(np.int64)
    np.negative(chosen, out=chosen)
    other = _words(no)
    chosen &= _words(yes) ^ other
    chosen ^= other
    whole = isinstance(yes, np.ndarray) and yes.dtype == np.int64
    return chosen if whole else chosen.view(np.float64)


def _words(x: Any) -> Any:
    """The bits of an array or of one number."""
    return x.view(np.int64) if isinstance(x, np.ndarray) else pattern(x)


def look(table: Lookup, position: Any) -> Any:
    """Entries of a table, at positions that lie in it."""
    if table.array is None:
        table.array = np.array(table.values)
    found: Any = table.array
    # Without the look for a position outside, which takes as long as the rest.
    return found.take(position, mode="clip")


def root(x: Doubles) -> Doubles:
    """Square roots, correctly rounded by IEEE 754."""
    found: Doubles = np.sqrt(x)
    return found


def up_to(x: Doubles, most: float) -> Any:
    """Which entries are no larger in size than a positive number; True where all are."""
    if -most <= np.minimum.reduce(x, axis=None) and np.maximum.reduce(x, axis=None) <= most:
        return True
    return abs(x) <= most


def apart(ordinary: Any, main: Callable[..., Any], rest: Callable[..., Any], *args: Any) -> Any:
    """`main` of the ordinary entries, `rest` of the others, each set back to its place."""
    if ordinary is True or np.logical_and.reduce(ordinary, axis=None):
        return main(*args)
    if not ordinary.any():
        return rest(*args)
    # 1.0 is ordinary everywhere, so that `main` may go over all entries at once.
    found = main(*(np.where(ordinary, arg, 1.0) for arg in args))
    odd = ~ordinary
    found[odd] = rest(*(arg[odd] for arg in args))
    return found


def over(definition: Callable[..., Any], *arrays: Any) -> Doubles:
    """A function of doubles at every entry of arrays of any layout, broadcast; a new array."""
    taken = [np.asarray(a, dtype=np.float64) for a in arrays]
    if len(taken) > 1:
        taken = list(np.broadcast_arrays(*taken))
    shape = taken[0].shape
    flat = [_in_line(a) for a in taken]
    with np.errstate(all="ignore"):
        if 0 < flat[0].size <= BLOCK:
            return _block(definition, flat).reshape(shape)
        found: Doubles = np.empty(flat[0].shape)
        for start in range(0, found.size, BLOCK):
            stop = start + BLOCK
            found[start:stop] = _block(definition, [a[start:stop] for a in flat])
    return found.reshape(shape)


def _in_line(x: Doubles) -> Doubles:
    """The entries row by row, aligned: a view where they lie so."""
    flags = x.flags
    if not (flags.c_contiguous and flags.aligned):
        x = np.require(x, requirements=["C", "A"])
    return x if x.ndim == 1 else x.reshape(-1)


def _block(definition: Callable[..., Any], block: list[Doubles]) -> Doubles:
    # A finite sum has finite terms; what else it is does not matter.
    clean = [part if isfinite(np.add.reduce(part)) else finite(part) for part in block]
    found: Doubles = definition(*clean)
    return found
