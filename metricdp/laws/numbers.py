"""Numbers that laws are made of: exact rationals, read from what people type."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import ceil, floor
from typing import Any

import msgspec

from metricdp.errors import ParameterError
from metricdp.noise.enclose import contexts
from metricdp.noise.parameters import rational


def share(value: Any, place: str) -> Fraction:
    """A probability or weight: the decimal that was typed (0.1 is 1/10), so that 0.1 + 0.9 is 1.

    Args:
        value: a rational, a decimal, a float, or text such as "1/3".

    Raises:
        ParameterError: no finite number.
    """
    if type(value) is Fraction:
        return value
    if type(value) is int:
        return Fraction(value)
    kind = type(value).__name__
    try:
        if isinstance(value, bool):
            raise TypeError
        # A NumPy number is one of these by `item`.
        plain = value.item() if hasattr(value, "item") and not hasattr(value, "__len__") else value
        if isinstance(plain, Fraction | int):
            return Fraction(plain)
        if isinstance(plain, float | Decimal | str):
            return Fraction(str(plain))
    except (TypeError, ValueError, ZeroDivisionError):
        pass
    raise ParameterError(
        f"{value!r} ({kind}) is no finite number", place=place, remedy="give a rational number"
    )


def real(value: Any, place: str) -> Fraction:
    """A point of the line or a parameter of noise: exactly the number that `value` denotes.

    Raises:
        ParameterError: no finite number.
    """
    return Fraction(value) if isinstance(value, Fraction) else rational(value, place)


def positive(value: Any, place: str) -> Fraction:
    """A rational above 0.

    Raises:
        ParameterError: no finite number above 0.
    """
    number = real(value, place)
    if number <= 0:
        raise ParameterError("must be positive", place=place, remedy=f"choose `{place}` > 0")
    return number


def whole(value: Any, place: str) -> int:
    """An integer, given as one or as a rational or float equal to one.

    Raises:
        ParameterError: no integer.
    """
    if type(value) is int:
        return value
    number = real(value, place)
    if number.denominator != 1:
        raise ParameterError("must be an integer", place=place)
    return number.numerator


def next_whole(x: Any) -> int:
    """The least integer >= x: P(X >= x) of a law on integers is that of it."""
    return x if type(x) is int else ceil(real(x, "x"))


def last_whole(x: Any) -> int:
    """The greatest integer <= x: P(X <= x) of a law on integers is that of it."""
    return x if type(x) is int else floor(real(x, "x"))


def settle(law: msgspec.Struct, **fields: Any) -> None:
    """Put checked values in the place of the fields of a law that is being made."""
    for name, value in fields.items():
        msgspec.structs.force_setattr(law, name, value)


def told(value: Fraction) -> str:
    """A rational for people: a short fraction as it is, else six digits."""
    if max(value.numerator.bit_length(), value.denominator.bit_length()) <= 24:
        return str(value)
    # Decimals have exponents for numbers that no double holds.
    down, _ = contexts(6)
    return f"{down.divide(Decimal(value.numerator), Decimal(value.denominator)):g}"


def described(law: msgspec.Struct) -> str:
    """A law in one line, with its parameters as short rationals."""
    fields = ((name, getattr(law, name)) for name in law.__struct_fields__)
    parts = ", ".join(f"{name}={_short(value)}" for name, value in fields)
    return f"{type(law).__name__}({parts})"


def _short(value: Any) -> str:
    if isinstance(value, Fraction):
        return told(value)
    if isinstance(value, tuple):
        return f"({', '.join(_short(part) for part in value)})"
    return repr(value)
