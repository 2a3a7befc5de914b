"""How many entries a public array has that NumPy makes of public numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from metricdp.check.values.objects import Obj, Value
from metricdp.check.values.public import origin
from metricdp.expr import ONE, ZERO, Expr, ceil, maximum, num
from metricdp.spaces import Vector


def made(dotted: str, arguments: Sequence[Obj], keywords: Mapping[str, Obj]) -> Value | None:
    """The array of `numpy.arange` of whole numbers, or of `numpy.linspace`; None for any other."""
    numbers = [a.expr if isinstance(a, Value) and not a.private else None for a in arguments]
    size: Expr | None = None
    if dotted == "numpy.arange" and not keywords:
        size = _steps(numbers)
    elif dotted == "numpy.linspace" and not keywords.keys() - {"num"} and 2 <= len(numbers) <= 3:
        number = keywords.get("num", arguments[2] if len(arguments) > 2 else None)
        size = num(50) if number is None else _whole(getattr(number, "expr", None))
    if size is None:
        return None
    found = origin(*arguments, *keywords.values())
    return Value(found, Vector("Real", "LInf", size), source="computed", size=size)


def _steps(ends: Sequence[Expr | None]) -> Expr | None:
    """Number of whole numbers from start to stop; NumPy computes it in doubles for others."""
    whole = [_whole(end) for end in ends]
    if not 1 <= len(whole) <= 3 or None in whole:
        return None
    start, stop, step = (ZERO, whole[0], ONE) if len(whole) == 1 else (*whole, ONE)[:3]
    assert start is not None and stop is not None and step is not None
    if step.sign() not in ("+", "-"):
        return None
    return maximum(ZERO, ceil((stop - start) / step))


def _whole(value: Expr | None) -> Expr | None:
    return value if value is not None and value.is_integer() else None
