"""Plain Python floats as the elementary functions see them: the reference of the array form."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite, sqrt
from struct import pack, unpack
from typing import Any

from metricdp.columns.constants import LARGEST, Lookup

_WORD = (1 << 64) - 1


def finite(x: float) -> float:
    """NaN counts as 0.0, an infinity as the largest double: as in data that enter."""
    if isfinite(x):
        return x
    return 0.0 if x != x else LARGEST if x > 0 else -LARGEST


def bits(x: float) -> int:
    """The 64 bits of a double, as a signed integer."""
    return int(unpack("<q", pack("<d", x))[0])


def double(pattern: int) -> float:
    """The double with these 64 bits; what stands above them is dropped, as arrays do."""
    return float(unpack("<d", pack("<Q", pattern & _WORD))[0])


def whole(n: int) -> float:
    """A small integer as a double."""
    return float(n)


def floor(x: float) -> float:
    """The largest whole number that is not above x."""
    return float(x // 1.0)


def where(condition: bool, yes: Any, no: Any) -> Any:
    """One of two numbers."""
    return yes if condition else no


def look(table: Lookup, position: int) -> Any:
    """An entry of a table."""
    return table.values[position]


def root(x: float) -> float:
    """The square root, correctly rounded by IEEE 754."""
    return sqrt(x)


def up_to(x: float, most: float) -> bool:
    """Whether a number is no larger in size than a positive one."""
    return abs(x) <= most


def apart(ordinary: bool, main: Callable[..., Any], rest: Callable[..., Any], *args: Any) -> Any:
    """`main` of what is ordinary, `rest` of what is not."""
    return main(*args) if ordinary else rest(*args)
