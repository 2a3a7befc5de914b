"""Steps that several elementary functions take; `ops` is `floats` or `blocks`."""

from __future__ import annotations

from typing import Any

#: Adding 1.5 * 2**52 rounds to a whole number, which then stands in the last bits.
ROUND = 1.5 * 2.0**52


def signed(ops: Any, size: Any, x: Any) -> Any:
    """A number that is not negative, with the sign of x."""
    return ops.double(ops.bits(size) | (ops.bits(x) & -(1 << 63)))


def plus(e: Any, n: float) -> tuple[Any, Any]:
    """e + n, and what the sum lost, whichever is the larger (D. E. Knuth's sum)."""
    d = e + n
    back = d - e
    lost = n - back
    back -= d
    back += e
    lost += back
    return d, lost


def quotient(high: Any, low: Any, divisor: Any, divisor_low: Any) -> Any:
    """(high + low) / (divisor + divisor_low), rounded twice; the lows are below a last place."""
    q = high / divisor
    rest = low - q * divisor_low
    rest /= divisor
    q += rest
    return q
