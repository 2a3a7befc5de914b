"""Numbers that people type, as exact rationals in their range, or a typed error."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from fractions import Fraction
from typing import Any

from metricdp.errors import ParameterError

#: What may be typed: a float is the double it is, a text or a Decimal the number it spells.
Number = int | float | Fraction | Decimal | str

#: Beyond these a number is a slip of the pen, and doubles of the engines would overflow.
_LARGEST, _LEAST = Fraction(10**300), Fraction(1, 10**4000)
#: The largest epsilon or rho, and the inverse of the least scale of noise.
_COSTLY = Fraction(10**100)
#: The most rounds, rows and draws, and the largest epsilon that is asked about.
_MOST = 10**18
#: An exponent so long that the number itself would fill the memory.
_LONG = re.compile(r"[eE][+-]?0*[1-9][0-9]{4,}")


def exact(value: Any, name: str, place: str) -> Fraction:
    """The rational that a parameter of an event is: a double exactly, a text as it is spelled.

    Raises:
        ParameterError: no finite number, or one outside 1e-4000 to 1e300.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction | Decimal | str):
        # NumPy's scalars are doubles and integers of their own classes.
        item = getattr(value, "item", None)
        value = item() if callable(item) and getattr(value, "ndim", None) == 0 else None
    if isinstance(value, bool) or value is None:
        raise _wrong(name, "no number", place, "a number such as 1.5, Fraction(3, 2) or '1.5'")
    if isinstance(value, str | Decimal) and _LONG.search(str(value)):
        raise _outside(name, str(value), place)
    try:
        found = Fraction(value)
    except (ValueError, OverflowError, ZeroDivisionError):
        shown = f"{value!r}" if isinstance(value, str) else f"{value}"
        raise _wrong(name, shown, place, "a finite number") from None
    if found and not _LEAST <= abs(found) <= _LARGEST:
        raise _outside(name, "too large" if abs(found) > 1 else "too small", place)
    return found


def typed(value: Any, name: str, place: str) -> Fraction:
    """The rational of a target: the decimal that was typed, so that 1e-5 is 1/100000.

    Raises:
        ParameterError: no finite number.
    """
    if isinstance(value, float) and math.isfinite(value):
        return Fraction(float.__repr__(value))
    return exact(value, name, place)


def positive(value: Any, name: str, place: str) -> Fraction:
    """A parameter above 0, and not below 1e-100.  ParameterError otherwise."""
    found = exact(value, name, place)
    if found <= 0:
        raise _wrong(name, value, place, f"{name} > 0")
    if found * _COSTLY < 1:
        raise _wrong(name, "too small", place, f"{name} >= 1e-100")
    return found


def nonnegative(value: Any, name: str, place: str) -> Fraction:
    """A parameter of at least 0, and at most 1e100.  ParameterError otherwise."""
    found = exact(value, name, place)
    if found < 0:
        raise _wrong(name, value, place, f"{name} >= 0")
    if found > _COSTLY:
        raise _wrong(name, "too large", place, f"{name} <= 1e100")
    return found


def share(value: Any, name: str, place: str) -> Fraction:
    """A probability, in [0, 1].  ParameterError otherwise."""
    found = exact(value, name, place)
    if not 0 <= found <= 1:
        raise _wrong(name, value, place, f"0 <= {name} <= 1")
    return found


def whole(value: Any, name: str, place: str, least: int = 0) -> int:
    """A whole number of at least `least`, and at most 1e18.  ParameterError otherwise."""
    found = exact(value, name, place)
    if found.denominator != 1 or found < least:
        raise _wrong(name, value, place, f"a whole number, {name} >= {least}")
    if found > _MOST:
        raise _wrong(name, value, place, f"{name} <= 1e18")
    return int(found)


def target_delta(value: Any, place: str = "delta") -> Fraction:
    """delta in [0, 1), as typed.  ParameterError otherwise."""
    found = typed(value, "delta", place)
    if not 0 <= found < 1:
        raise _wrong("delta", value, place, "0 <= delta < 1")
    return found


def target_epsilon(value: Any, place: str = "epsilon") -> Fraction:
    """epsilon in [0, 1e18], as typed.  ParameterError otherwise."""
    found = typed(value, "epsilon", place)
    if not 0 <= found <= _MOST:
        raise _wrong("epsilon", value, place, "epsilon >= 0 (and at most 1e18)")
    return found


def target_rate(value: Any, name: str, place: str) -> Fraction:
    """A false-positive rate or the like in [0, 1], as typed.  ParameterError otherwise."""
    found = typed(value, name, place)
    if not 0 <= found <= 1:
        raise _wrong(name, value, place, f"0 <= {name} <= 1")
    return found


def _outside(name: str, shown: str, place: str) -> ParameterError:
    return _wrong(name, shown, place, "a number between 1e-4000 and 1e300")


def _wrong(name: str, value: Any, place: str, remedy: str) -> ParameterError:
    return ParameterError(f"{name} is {value}", place=place, remedy=f"choose {remedy}")
