"""The public names that a space mentions in its sizes, bounds and radii."""

from __future__ import annotations

from typing import Any

from metricdp.expr import Expr
from metricdp.spaces.base import Space

#: Fields of spaces that count something.
_SIZES = frozenset(("size", "rows", "cols"))


def symbols_of(space: Any, sizes: bool = False) -> set[str]:
    """Free public names of a space and of the spaces inside it; none for anything else.

    Args:
        sizes: only those in numbers of entries, rows and columns, which are integers.
    """
    found: set[str] = set()
    for field in getattr(space, "__struct_fields__", ()):
        value = getattr(space, field)
        for item in value if isinstance(value, tuple) else (value,):
            for part in item if isinstance(item, tuple) else (item,):
                if isinstance(part, Expr):
                    found |= part.symbols if field in _SIZES or not sizes else set()
                elif isinstance(part, Space):
                    found |= symbols_of(part, sizes)
    return found
