"""exp, exp2, expm1, sinh, cosh and tanh from correctly rounded operations.

e**x = 2**q * 2**(j / 2048) * e**r with |r| <= ln 2 / 4096: a table, a short Taylor sum, and q added
to the exponent (P. T. P. Tang, "Table-driven implementation of the exponential function in IEEE
floating-point arithmetic", ACM TOMS 15, 1989). `ops` is `floats` or `blocks`; arguments are finite
and never written on; the last value of a chain of operations is changed in place.
"""

from __future__ import annotations

from typing import Any

from metricdp.columns.constants import (
    BITS,
    LARGEST,
    LN2,
    LOG2_E,
    Lookup,
    nearest,
    parts,
    pattern,
    roots_of_two,
)
from metricdp.columns.pieces import ROUND, plus, quotient, signed

_COUNT = 2048
_ROOTS = roots_of_two(_COUNT, 200)
_HEADS = [nearest(root, 200) for root in _ROOTS]
#: Bits of 2**(j / 2048), less what (j << 41) adds when q * 2048 + j is shifted into the exponent.
_PATTERNS = Lookup([pattern(head) - (j << 41) for j, head in enumerate(_HEADS)])
#: What the heads leave, as a share of them.
_SHARES = Lookup(
    [
        (root - int(head * 2.0**60) * 2**140) / root
        for root, head in zip(_ROOTS, _HEADS, strict=True)
    ]
)
_STEPS = nearest(LOG2_E * _COUNT, BITS)
_STEP_HIGH, _STEP_LOW = parts(LN2 // _COUNT, BITS, 31)
_LN2 = nearest(LN2, BITS)
#: The results of main ranges are normal doubles, and their reciprocals too.
_ORDINARY = 708.0
_ORDINARY_TWO = 1021.0
#: From here on e**x is 0 or the largest double.
_BEYOND = 760.0


def _reduced(ops: Any, x: Any) -> tuple[Any, Any]:
    """The whole number of steps nearest to x (in the last bits of a pattern), and what is left."""
    t = x * _STEPS
    t += ROUND
    w = t - ROUND
    r = x - w * _STEP_HIGH
    w *= _STEP_LOW
    r -= w
    return ops.bits(t), r


def _scaled(ops: Any, k: Any, shift: int = 0) -> tuple[Any, Any]:
    """2**(k / 2048 + shift), to the nearest double, and the position in the table."""
    j = k & (_COUNT - 1)
    found = ops.look(_PATTERNS, j)
    found += k << 41
    if shift:
        found += shift << 52
    return ops.double(found), j


def _short(r: Any) -> Any:
    """e**r - 1 with an error of r**4 / 24 < 2**-54."""
    p = r * (1 / 6)
    p += 0.5
    p *= r
    p += 1.0
    p *= r
    return p


def _relative(r: Any) -> Any:
    """e**r - 1 with a relative error of r**4 / 120."""
    p = r * (1 / 24)
    p += 1 / 6
    p *= r
    p += 0.5
    p *= r
    p *= r
    p += r
    return p


def _finished(ops: Any, k: Any, r: Any, up: Any, shift: int = 0, exactly: bool = False) -> Any:
    """2**(k / 2048 + shift) * e**r anywhere: made 2**128 nearer to 1, and scaled at the end."""
    small, j = _scaled(ops, k, shift - 128)
    large, j = _scaled(ops, k, shift + 128)
    t = ops.where(up, small, large)
    p = _short(r)
    if exactly:
        p += ops.look(_SHARES, j)
    p *= t
    p += t
    p *= ops.where(up, 2.0**128, 2.0**-128)
    return ops.where(p <= LARGEST, p, LARGEST)


def _far(ops: Any, x: Any, shift: int = 0, low: Any = None) -> Any:
    """e**(x + low) * 2**shift for any x."""
    up = x > 0.0
    near = abs(x) <= _BEYOND
    k, r = _reduced(ops, ops.where(near, x, ops.where(up, _BEYOND, -_BEYOND)))
    if low is not None:
        r += ops.where(near, low, 0.0)
    return _finished(ops, k, r, up, shift, low is not None)


def exp(ops: Any, x: Any) -> Any:
    """e**x."""

    def main(x: Any) -> Any:
        k, r = _reduced(ops, x)
        p = _short(r)
        t, _ = _scaled(ops, k)
        p *= t
        p += t
        return p

    return ops.apart(ops.up_to(x, _ORDINARY), main, lambda x: _far(ops, x), x)


def exp_closely(ops: Any, x: Any, *low: Any) -> Any:
    """e**x, or e**(x + low) with low below the last place of x; nearly correctly rounded."""

    def main(x: Any, *low: Any) -> Any:
        k, r = _reduced(ops, x)
        for part in low:
            r += part
        p = _short(r)
        t, j = _scaled(ops, k)
        p += ops.look(_SHARES, j)
        p *= t
        p += t
        return p

    def far(x: Any, low: Any = 0.0) -> Any:
        return _far(ops, x, 0, low)

    return ops.apart(ops.up_to(x, _ORDINARY), main, far, x, *low)


def exp2(ops: Any, x: Any) -> Any:
    """2**x."""

    def steps(x: Any) -> tuple[Any, Any]:
        t = x * float(_COUNT)
        t += ROUND
        w = t - ROUND
        w *= 1 / _COUNT
        r = x - w
        r *= _LN2
        return ops.bits(t), r

    def main(x: Any) -> Any:
        k, r = steps(x)
        p = _short(r)
        t, _ = _scaled(ops, k)
        p *= t
        p += t
        return p

    def far(x: Any) -> Any:
        up = x > 0.0
        k, r = steps(ops.where(abs(x) <= 1100.0, x, ops.where(up, 1100.0, -1100.0)))
        return _finished(ops, k, r, up)

    return ops.apart(ops.up_to(x, _ORDINARY_TWO), main, far, x)


def _less_one(ops: Any, x: Any) -> tuple[Any, Any]:
    """e**x - 1 for |x| <= 708, in two parts."""
    k, r = _reduced(ops, x)
    p = _relative(r)
    t, j = _scaled(ops, k)
    p += ops.look(_SHARES, j)
    p *= t
    t -= 1.0
    e = t + p
    t -= e
    t += p
    return e, t


def expm1(ops: Any, x: Any) -> Any:
    """e**x - 1."""

    def far(x: Any) -> Any:
        found = _far(ops, x)
        found -= 1.0
        return found

    return ops.apart(ops.up_to(x, _ORDINARY), lambda x: _less_one(ops, x)[0], far, x)


def tanh(ops: Any, x: Any) -> Any:
    """The hyperbolic tangent, e / (e + 2) with e = e**(2|x|) - 1; 1.0 beyond 20."""

    def main(x: Any) -> Any:
        e, low = _less_one(ops, abs(x) * 2.0)
        d, lost = plus(e, 2.0)
        lost += low
        q = quotient(e, low, d, lost)
        return signed(ops, q, x)

    return ops.apart(ops.up_to(x, 20.0), main, lambda x: ops.where(x < 0.0, -1.0, 1.0), x)


def sinh(ops: Any, x: Any) -> Any:
    """The hyperbolic sine."""

    def main(x: Any) -> Any:
        e, low = _less_one(ops, abs(x))
        d, lost = plus(e, 1.0)
        lost += low
        q = quotient(e, low, d, lost)
        q += low
        q += e
        q *= 0.5
        return signed(ops, q, x)

    def far(x: Any) -> Any:
        e = _far(ops, abs(x), -1)
        return signed(ops, e, x)

    return ops.apart(ops.up_to(x, 700.0), main, far, x)


def cosh(ops: Any, x: Any) -> Any:
    """The hyperbolic cosine."""

    def main(x: Any) -> Any:
        e = exp(ops, abs(x))
        e += 1.0 / e
        e *= 0.5
        return e

    return ops.apart(ops.up_to(x, 700.0), main, lambda x: _far(ops, abs(x), -1), x)
