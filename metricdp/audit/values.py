"""Values that attacks compare: plain, exact and total, whatever a function returned."""

from __future__ import annotations

from fractions import Fraction
from math import isfinite
from typing import Any


def plain(value: Any) -> Any:
    """Lists, tuples and exact rationals instead of arrays, NumPy scalars and floats.

    NaN and infinities stay floats, so that no space contains them.
    """
    if isinstance(value, (bool, str, int)) or value is None:
        return value
    if isinstance(value, float):
        return Fraction(value) if isfinite(value) else value
    if isinstance(value, Fraction):
        return value
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, tuple):
        parts = [plain(item) for item in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value


def has_float(value: Any) -> bool:
    """Whether a result went through floating point, so that its last bits are rounding."""
    if hasattr(value, "dtype"):
        return bool(value.dtype.kind == "f")
    if isinstance(value, (list, tuple)):
        return any(map(has_float, value))
    return isinstance(value, float)


#: From here on a number is written as a power of two: it may be no double, nor a text.
_LARGE = 10**300


def magnitude(value: Any) -> float:
    """Largest absolute number inside a plain value."""
    if isinstance(value, (list, tuple)):
        return max(map(magnitude, value), default=0.0)
    try:
        return abs(float(value))
    except (TypeError, ValueError, OverflowError):
        return 0.0


def shown(value: Any) -> str:
    """Short text: rationals as they are, exact values without their class name."""
    if isinstance(value, bool) or value is None or isinstance(value, (str, float)):
        return repr(value)
    if isinstance(value, (int, Fraction)):
        if not -_LARGE < value < _LARGE:
            return f"about {'-' if value < 0 else ''}2**{int(value).bit_length() - 1}"
        text = str(value)
        return text if len(text) <= 24 else f"about {float(value):.6g}"
    if isinstance(value, tuple):
        return f"({', '.join(map(shown, value))}{',' if len(value) == 1 else ''})"
    if isinstance(value, list):
        return f"[{', '.join(map(shown, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k!r}: {shown(v)}" for k, v in value.items()) + "}"
    return repr(value)
