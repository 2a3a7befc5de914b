"""Single values from one Python type to another; None where there is no such value, never an error.

Numbers to integers: towards zero, missing beyond the type's range.  To floats: the nearest double.
Text to numbers: decimal notation without spaces, missing otherwise, also beyond the doubles.
To Booleans: nonzero, or nonempty text.  To text: the shortest decimal, without an exponent.
"""

from __future__ import annotations

import re
from fractions import Fraction
from math import isfinite
from typing import Any

import msgspec

from metricdp.expr import ONE, ZERO
from metricdp.record import Arg, refuse
from metricdp.spaces import Scalar

_FLOAT = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?", re.ASCII)
_INT = re.compile(r"[+-]?0*([0-9]{1,19})", re.ASCII)
_KINDS = ("float", "int", "bool", "str")


def _range(bits: int, signed: bool) -> tuple[int, int]:
    # Integers of more than 64 bits are kept as those of 64 bits.
    bits = min(bits, 64)
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << min(bits, 63)) - 1)


#: Integer types by their number of bits -> least and largest value.
RANGES = {
    **{f"i{bits}": _range(bits, True) for bits in (8, 16, 32, 64, 128)},
    **{f"u{bits}": _range(bits, False) for bits in (8, 16, 32, 64)},
    "isize": _range(64, True),
    "usize": _range(64, False),
    "int": _range(64, True),
}
#: Other names of types -> their name here.
OTHERS = {"f32": "float", "f64": "float", "String": "str", **{k: k for k in _KINDS}}


def target(to: Arg, verb: str) -> tuple[str, Scalar]:
    """The name and the row space of a type given as "int", "float", "bool", "str" or "i32".

    Raises:
        Refusal: no such type, or one that is not written out.
    """
    name = to.literal
    if isinstance(name, str) and not (to.private or to.released):
        if name in RANGES:
            return name, Scalar("Data", kind="int")
        if name in OTHERS:
            return OTHERS[name], Scalar("Data", kind=OTHERS[name])
    raise refuse(
        "wrong-arguments",
        f"`{verb}` makes floats, integers, Booleans or text, and {to.text} is none of them",
        need='"float", "int", "bool", "str", or an integer type such as "u8"',
        help=f'dp.{verb}(x, "int")',
    )


def kept_bounds(inner: Scalar, row: Scalar) -> Scalar:
    """The row space of a cast: integers keep their bounds, Booleans become 0 and 1."""
    if inner.kind == "bool" and row.kind in ("int", "float"):
        return msgspec.structs.replace(row, lo=ZERO, hi=ONE)
    if inner.kind == row.kind == "int":
        return msgspec.structs.replace(row, lo=inner.lo, hi=inner.hi)
    return row


def type_name(to: Any) -> Any:
    """The name of a type that is given as `float` or "float"; anything else as it is."""
    return to.__name__ if isinstance(to, type) else to


def default_of(to: Any) -> Any:
    """0, False or "" of a type."""
    to = type_name(to)
    return {"bool": False, "str": ""}.get(OTHERS.get(to, "int"), 0)


def converted(value: Any, to: Any) -> Any:
    """The value in the type `to`, or None."""
    if value is None:
        return None
    to = type_name(to)
    to = OTHERS.get(to, to)
    if to == "str":
        return _text(value)
    if to == "bool":
        return bool(value)
    if isinstance(value, str):
        return _parsed(value, to)
    number = Fraction(value)
    return _double(number) if to == "float" else _whole(int(number), to)


def _double(number: Fraction) -> Fraction:
    from metricdp.values import to_float

    return Fraction(to_float(number))


def _whole(number: int, to: str) -> int | None:
    low, high = RANGES[to]
    return number if low <= number <= high else None


def _parsed(text: str, to: str) -> Any:
    if to == "float":
        number = float(text) if _FLOAT.fullmatch(text) else None
        return Fraction(number) if number is not None and isfinite(number) else None
    digits = _INT.fullmatch(text)
    if digits is None:
        return None
    return _whole(int(digits.group(1)) * (-1 if text[0] == "-" else 1), to)


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    number = Fraction(value)
    if number.denominator == 1 and abs(number) < 1 << 64:
        return str(number.numerator)
    from decimal import Decimal

    from metricdp.values import to_float

    return format(Decimal(repr(to_float(number))), "f").removesuffix(".0")
